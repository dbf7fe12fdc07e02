// The receivers of docs/events.md, one of them Debian's webhook, verify what is sent.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../tools/free_port.ts";
import { alice, aManufacturer, api } from "../support/mod.ts";
import { folder, isMissing } from "../support/programs.ts";
import { aWebhook, until, whileSending } from "../support/receiver.ts";

setDefaultTimeout(60_000);
const started: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) {
    one.kill();
    await one.exited;
  }
});

const DOCUMENT = readFileSync(join(import.meta.dir, "../../docs/events.md"), "utf8");

/** The block of the document with this text. */
function example(text: string): string {
  const blocks = [...DOCUMENT.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const found = blocks.find((block) => block.includes(text));
  if (!found) throw new Error(`docs/events.md has no example with ${text}`);
  return found;
}

interface Start {
  path: string;
  command: (port: number) => string[];
  cwd: string;
  env?: Record<string, string>;
  /** Before the start. */
  configure?: (secret: string) => void;
}

/** The statuses of the answers: to a message with the right secret, and to one by secrets that came long after it. */
async function answersOf({ path, command, cwd, env = {}, configure }: Start): Promise<number[]> {
  const port = await freePort();
  const { id, secret } = await aWebhook(`http://127.0.0.1:${port}${path}`);
  configure?.(secret);
  const child = Bun.spawn(command(port), {
    cwd,
    env: { ...process.env, ...env, SECRET: secret },
    stdout: Bun.file(join(cwd, "output")),
    stderr: "ignore",
  });
  started.push(child);
  const listens = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  await until("the receiver", listens);
  const deliveries = async () => (await api(alice).get(`/webhooks/${id}/deliveries?sort=id`)).body;
  const tried = (count: number) =>
    whileSending(() =>
      until(`${count} attempts`, async () => {
        const found = (await deliveries()).filter(({ attempts }: any) => attempts > 0);
        return found.length === count;
      }),
    );
  await aManufacturer({ name: "Acme" });
  await tried(1);
  for (let at = 0; at < 5; at += 1) await api(alice).post(`/webhooks/${id}/rotate`, {});
  await aManufacturer({ name: "Forged" });
  await tried(2);
  return (await deliveries()).map(({ answer }: any) => answer);
}

describe("the receivers in docs/events.md", () => {
  test.skipIf(isMissing("python3"))("verify messages: in Python", async () => {
    const cwd = folder();
    writeFileSync(join(cwd, "receiver.py"), example("# receiver.py"));
    const command = (port: number) => ["python3", "receiver.py", String(port)];
    expect(await answersOf({ path: "/", command, cwd })).toEqual([204, 401]);
    expect(readFileSync(join(cwd, "output"), "utf8")).toBe("change.insert\n");
  });

  test.skipIf(isMissing("webhook"))("verify messages: in shell, by webhook", async () => {
    const cwd = folder();
    const script = join(cwd, "receive.sh");
    writeFileSync(script, example("# receive.sh"));
    chmodSync(script, 0o755);
    const configure = (secret: string) =>
      writeFileSync(
        join(cwd, "hooks.json"),
        example('"execute-command"').replace("whsec_…", secret).replace("./receive.sh", script),
      );
    const command = (port: number) => [
      ...["webhook", "-hooks", "hooks.json", "-ip", "127.0.0.1", "-port", String(port)],
    ];
    const seen = join(cwd, "seen");
    const path = "/hooks/cadastre";
    expect(await answersOf({ path, command, cwd, configure, env: { SEEN: seen } })).toEqual([
      200, 500,
    ]);
    const messages = readFileSync(join(seen, "messages"), "utf8").trimEnd().split("\n");
    expect(messages.map((text) => JSON.parse(text).data.records.manufacturers[0].name)).toEqual([
      "Acme",
    ]);
    expect(readdirSync(seen)).toHaveLength(2);
  });
});
