// Prints the files and functions of ours that a request enters: how much an engineer meets who follows it.
//   bun tools/trace.ts                      a table of the requests that docs/decisions compares
//   bun tools/trace.ts "a list of hosts"    the files of one of them, with their functions
import { join, relative } from "node:path";
import { plugin } from "bun";

const ROOT = join(import.meta.dir, "..");

/** By file the names of the functions that were entered. */
const entered = new Map<string, Set<string>>();

Object.assign(globalThis, {
  noteEntered: (file: string, name: string) => {
    entered.set(file, (entered.get(file) ?? new Set()).add(name));
  },
});

/** The first line of a function; its signature may take more. */
const FUNCTION = /^(?:export )?(?:async )?function\*? (\w+)/;
/** A method whose signature is one line. */
const METHOD =
  /^ {2}(?:(?:static|async|readonly|private|protected|get) )*(#?\w+)\([^;]*\).*[^:<|&=] \{$/;
const WORDS = ["if", "for", "while", "switch", "catch", "constructor"];
/** The end of a signature, in the way of our formatter. */
const BODY = /^(?:(?:\S.*)?\).*[^:<|&=]|\}.*[^:<|&=]) \{$/;

/** The source with a call at the beginning of each function with a name. */
function noted(source: string, file: string): string {
  let name: string | undefined;
  const lines = source.split("\n").map((line) => {
    const [, method = ""] = METHOD.exec(line) ?? [];
    name = line === "}" ? undefined : (FUNCTION.exec(line)?.[1] ?? name);
    const found = name !== undefined && BODY.test(line) ? name : method;
    if (found === "" || WORDS.includes(found)) return line;
    if (found === name) name = undefined;
    return `${line} noteEntered(${JSON.stringify(file)}, ${JSON.stringify(found)});`;
  });
  return lines.join("\n");
}

plugin({
  name: "trace",
  setup: (build) => {
    build.onLoad({ filter: /\/(src|pages|db)\/.*\.tsx?$/ }, async ({ path }) => ({
      contents: noted(await Bun.file(path).text(), relative(ROOT, path)),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
});

// Loaded now, so that they are noted.
const { api } = await import("../tests/support/api.ts");
const { browser } = await import("../tests/support/browser.ts");
const { alice } = await import("../tests/support/cast.ts");
const { stopCluster } = await import("../tests/support/cluster.ts");
const make = await import("../tests/support/makers.ts");
const { allowThisMachine, aWebhook, receiver, until, whileSending } = await import(
  "../tests/support/receiver.ts"
);
const { closeService } = await import("../tests/support/service.ts");
const { closeAll } = await import("../tests/support/teardown.ts");

const admin = api(alice);
const own = await browser(alice);
await make.aNetwork({ vlan_name: "Lab" });
await make.aHost({ name: "archiver-01", network: "Lab" });
await make.anItem({ ics_id: "AAA001" });
const [network] = (await admin.get("/network/networks")).body;
await allowThisMachine();
const target = receiver();
await aWebhook(target.url);

let number = 0;
const REQUESTS: Record<string, () => Promise<unknown>> = {
  "a list of hosts": () => admin.get("/network/hosts"),
  "a search of hosts, q=name:arch*": () => admin.get("/network/hosts?q=name:arch*"),
  "a new host with a network": () => {
    number += 1;
    return admin.post("/network/hosts", {
      name: `host-${number}`,
      device_type: "VME",
      network: "Lab",
    });
  },
  "the page of an item": () => own.get("/inventory/items/view/AAA001"),
  "a refused edit of a network (412)": () =>
    admin.patch(
      `/network/networks/${network.id}`,
      { description: "x" },
      { headers: { "if-match": '"v9"' } },
    ),
  "a change until its webhook is sent": () =>
    whileSending(async () => {
      const { length } = target.received;
      number += 1;
      await admin.patch("/inventory/items/AAA001", { quantity: number + 1 });
      await until("it is sent", () => target.received.length > length);
    }),
};

const [wanted] = process.argv.slice(2);
try {
  for (const [name, send] of Object.entries(REQUESTS)) {
    if (wanted && wanted !== name) continue;
    // The first one fills caches.
    await send();
    entered.clear();
    await send();
    const functions = [...entered.values()].reduce((sum, names) => sum + names.size, 0);
    console.log(`| ${name} | ${entered.size} files | ${functions} functions |`);
    if (!wanted) continue;
    for (const [file, names] of entered) console.log(`${file}: ${[...names].join(", ")}`);
  }
} finally {
  await closeService();
  await stopCluster();
  await closeAll();
}
process.exit(0);
