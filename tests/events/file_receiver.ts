// A receiver of webhooks in a process of its own: it writes each message to a file before it answers.
// Arguments: the port and the file.
import { appendFileSync } from "node:fs";

const [port = "0", file = ""] = Bun.argv.slice(2);

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { data } = (await request.json()) as any;
    const line = {
      to: new URL(request.url).pathname,
      id: request.headers.get("webhook-id"),
      name: data.change_set.events[0].name,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    return new Response(null, { status: 204 });
  },
});
process.stdout.write(`listens at ${server.port}\n`);
