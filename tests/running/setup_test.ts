// cadastre setup: with options, on a terminal, and the file of settings that every command reads.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll, launch, until } from "./processes.ts";
import { aServer, MAIN, type Server, served } from "./program.ts";

const LIMIT = 180_000;
const PROGRAM = [process.execPath, MAIN];
const SECRET = "a phrase that is long enough";

let server: Server;
let directory: string;
let file: string;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "cadastre-setup-"));
  file = join(directory, "cadastre.env");
});
afterEach(() => {
  endAll();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => server.stop());

/** The environment without settings. */
const environment = { PATH: process.env.PATH ?? "", HOME: tmpdir() };

async function run(args: string[], input = "") {
  const child = Bun.spawn([...PROGRAM, ...args, "--config", file], {
    env: environment,
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err: err.trim() };
}

async function canLogIn(origin: string, username: string, password: string): Promise<boolean> {
  const answer = await fetch(`${origin}/api/v1/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  return answer.status === 200;
}

describe("cadastre setup", () => {
  test(
    "writes the settings, makes the database and the admin, and changes nothing the second time",
    async () => {
      const data = join(directory, "data");
      const first = await run(["setup", "--data-dir", data, "--port", "0", "--admin", "boss"]);
      expect(first.code).toBe(0);
      expect(first.out).toContain(`Settings  ${file}\n`);
      expect(first.out).toContain(`Database  embedded in ${data}, up to date\n`);
      expect(first.out).toContain(`Start     cadastre serve --config ${file}\n`);
      const [, password = ""] = /^Admin +boss, with the password (\S+)$/m.exec(first.out) ?? [];
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const written = readFileSync(file, "utf8");
      expect(written).toBe(`DATA_DIR=${data}\nHOST=127.0.0.1\nPORT=0\n`);

      const second = await run(["setup"]);
      expect(second.out).toContain(`Settings  ${file}, unchanged\n`);
      expect(second.out).toContain("not made, because there are users");
      expect(readFileSync(file, "utf8")).toBe(written);

      const serving = launch([...PROGRAM, "--config", file, "serve"], { env: { ...environment } });
      const { origin } = await served(serving);
      expect(await canLogIn(origin, "boss", password)).toBe(true);
      // Before its directory is deleted.
      serving.child.kill("SIGINT");
      expect(await serving.ended).toBe(0);
    },
    LIMIT,
  );

  test(
    "asks on a terminal, again after a wrong answer, and keeps what it does not ask for",
    async () => {
      const url = await server.database();
      writeFileSync(file, "# Ours\nAUDIT_DAYS='30'\nPORT=0 \nPUBLIC_URL=\"http://old.example\"\n");
      let written = "";
      const shown = () => Bun.stripANSI(written);
      const child = Bun.spawn([...PROGRAM, "setup", "--config", file], {
        env: environment,
        terminal: { cols: 200, rows: 50, data: (_, bytes) => (written += Buffer.from(bytes)) },
      });
      const answers: Array<[question: string, answer: string]> = [
        ["Data: ", url],
        ["Address and port to listen on [127.0.0.1:0]: ", "123456"],
        ["PORT must be a number", ""],
        ["empty for any [http://old.example]: ", "http://new.example"],
        ["Name of the first admin [admin]: ", ""],
        ["have one made: ", "short"],
        ["Use 12 characters or more", SECRET],
        ["The same again: ", SECRET],
      ];
      let from = 0;
      for (const [question, answer] of answers) {
        await until(question, () => shown().includes(question, from) && shown().endsWith(": "));
        from = shown().length;
        child.terminal?.write(`${answer}\r`);
      }
      expect(await child.exited).toBe(0);
      await until("the end", () => shown().includes("Open "));
      expect(shown()).toMatch(/^Admin +admin\r$/m);
      expect(shown()).toMatch(/^Open +http:\/\/new\.example\r$/m);
      expect(shown()).not.toContain(SECRET);
      expect(readFileSync(file, "utf8")).toBe(
        `# Ours\nAUDIT_DAYS='30'\nPORT=0 \nPUBLIC_URL=http://new.example\nDATABASE_URL=${url}\nHOST=127.0.0.1\n`,
      );
      expect((await run(["doctor"])).out).toContain(`The settings can be read from ${file}`);
    },
    LIMIT,
  );

  test(
    "writes nothing if an answer cannot be used, and says why",
    async () => {
      const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
      const cases: Array<[string[], string]> = [
        [
          ["--database-url", "postgres://u:p@127.0.0.1:1/x"],
          "No database answers at 127.0.0.1:1/x",
        ],
        [["--port", String(taken.port)], `Port ${taken.port} on 127.0.0.1 is taken`],
        [["--public-url", "example.org"], "PUBLIC_URL must be an origin"],
        [["--admin", "No Body"], "ADMIN_USERNAME must be"],
        [["--password-stdin"], "Use 12 characters or more"],
      ];
      for (const [args, sentence] of cases) {
        const free = args.includes("--port") ? [] : ["--port", "0"];
        const place = args[0] === "--database-url" ? [] : ["--data-dir", join(directory, "data")];
        const { code, err } = await run(["setup", ...place, ...free, ...args], "short\n");
        expect(code).toBe(1);
        expect(err).toStartWith(sentence);
      }
      taken.stop(true);
      expect([existsSync(file), existsSync(join(directory, "data"))]).toEqual([false, false]);
    },
    LIMIT,
  );
});
