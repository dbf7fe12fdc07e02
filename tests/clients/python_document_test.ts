// The examples of docs/python.md, as they are.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { aHost, aLocation, alice, anItem, api, service, tokenOf } from "../support/mod.ts";
import { folder, isMissing, run } from "../support/programs.ts";
import { FOLDER, lacksMypy, program } from "./python.ts";

setDefaultTimeout(60_000);

const text = await Bun.file(join(import.meta.dir, "../../docs/python.md")).text();
const examples = [...text.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = ""]) => code);

/** A part of each example, and what it prints. */
const PRINTS: Array<[part: string, printed: string]> = [
  ["hosts.list", "db db.lab.example.org\n"],
  ["hosts.create", "10.1.7.1\nchanged\n"],
  ["items.list", "AAA001\n"],
  ["client.undo", ""],
  ["search_hosts", "archiver-01 ['10.1.7.1'] ['archivers']\n"],
];

async function aSite(): Promise<void> {
  await aFeedNetwork();
  await add("networks", {
    vlan_name: "CSLab",
    vlan_id: 7,
    address: "10.1.7.0/24",
    first_ip: "10.1.7.1",
    last_ip: "10.1.7.200",
    gateway: "10.1.7.254",
    scope: "Lab",
  });
  await add("groups", { name: "archivers" });
  await aLocation({ name: "Hall A" });
  await anItem({ ics_id: "AAA001", location: "Hall A" });
}

test("each example is run", () => {
  expect(examples.length).toBe(PRINTS.length + 1);
  for (const [part] of [...PRINTS, [".events("]])
    expect(examples.filter((code) => code.includes(part!)).length, part).toBe(1);
});

test.skipIf(isMissing("python3")).each(PRINTS)("the example with %s", async (part, printed) => {
  await aSite();
  if (part === "search_hosts") {
    await aHost({ name: "archiver-01", network: "CSLab", automation_groups: ["archivers"] });
  }
  const { out, err } = await program(examples.find((code) => code.includes(part))!);
  expect([out, err]).toEqual([printed, ""]);
});

test.skipIf(lacksMypy)("the examples pass mypy --strict", async () => {
  const made = folder();
  for (const [number, code] of examples.entries())
    await Bun.write(join(made, `example_${number}.py`), code);
  const { said } = await run(["mypy", "--strict", "--cache-dir", folder(), made], {
    MYPYPATH: FOLDER,
  });
  expect(said).toBe(`Success: no issues found in ${examples.length} source files\n`);
});

test.skipIf(isMissing("python3"))("the example with events goes on where it was", async () => {
  await aSite();
  const cwd = folder();
  const [begin] = (await api(alice).get("/changes")).body;
  await Bun.write(join(cwd, "last"), begin.id);
  const followed = async () => {
    const running = Bun.spawn(
      ["python3", "-c", examples.find((code) => code.includes(".events("))!],
      {
        cwd,
        env: {
          ...process.env,
          PYTHONPATH: FOLDER,
          PYTHONDONTWRITEBYTECODE: "1",
          CADASTRE_URL: (await service()).origin,
          CADASTRE_TOKEN: await tokenOf(alice),
        },
        stdout: "pipe",
      },
    );
    let line = "";
    for await (const part of running.stdout.pipeThrough(new TextDecoderStream())) {
      line += part;
      if (line.endsWith("\n")) break;
    }
    running.kill();
    await running.exited;
    return line;
  };
  await aHost({ name: "one" });
  expect(await followed()).toBe("alice ['one']\n");
});
