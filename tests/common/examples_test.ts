// The examples of the OpenAPI document are sent as they stand there.
import { expect, test } from "bun:test";
import { EXAMPLES } from "../../src/api/examples.ts";
import { alice, api, reference } from "../support/mod.ts";

const admin = api(alice);
/** They need a message or a run that nobody has sent or begun. */
const WITHOUT_RECORD = [
  ...["sendWebhookDelivery", "repeatTriggerRun"],
  // They are numbered together.
  ...["updateModelFile", "updateLocationFile", "updateHostFile", "updateNetworkFile"],
];

interface Found {
  method: string;
  path: string;
  type: string;
}

async function operations(): Promise<Map<string, Found>> {
  const { paths } = await reference();
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => {
      const [type = ""] = Object.keys(requestBody?.content ?? {});
      return [operationId, { method, type, path: path.replace("/api/v1", "") }] as const;
    }),
  );
  return new Map(all);
}

test("each operation with a body has an example, and each example is accepted", async () => {
  const all = await operations();
  const withBody = [...all].filter(([, { type }]) => type !== "").map(([id]) => id);
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(withBody.toSorted());
  /** The last record made under a path, and the last change. */
  const ids = new Map<string, string>();
  const idIn = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name) => ids.get(name) ?? ids.get("id") ?? "1");
  for (const [id, body] of Object.entries(EXAMPLES)) {
    const { method, path, type } = all.get(id)!;
    const collection = path.replace(/\/(\{|by-|import|test|rotate|preview).*$/, "");
    ids.set("id", ids.get(collection) ?? "1");
    const rows = Array.isArray(body) ? body.map((row) => JSON.stringify(row)).join("\n") : body;
    const named = { ...nameOf(id) };
    const address = path.replace(/\{(\w+)\}/g, (whole, name) => named[name] ?? whole);
    const {
      status,
      body: answer,
      headers,
    } = await admin.send(method.toUpperCase(), idIn(address), {
      body: rows,
      headers: { "content-type": type },
    });
    const isFine = status < 300 || (WITHOUT_RECORD.includes(id) && status === 404);
    expect([id, status, isFine ? "" : JSON.stringify(answer)]).toEqual([id, status, ""]);
    if (answer?.id && path === collection) ids.set(collection, String(answer.id));
    const change = headers.get("change-set");
    if (change && /^.(network|inventory)/.test(path)) ids.set("/changes", change);
  }
});

/** What PUT names: what the example before it has made. */
function nameOf(id: string): Record<string, string> {
  const created = EXAMPLES[id.replace(/^put/, "create")];
  if (!id.startsWith("put") || !created || Array.isArray(created)) return {};
  return Object.fromEntries(Object.entries(created).map(([name, value]) => [name, String(value)]));
}

test("each example of a parameter is accepted where it stands", async () => {
  const { paths } = await reference();
  let tried = 0;
  for (const [path, { get }] of Object.entries(paths)) {
    for (const { name, example } of get?.parameters.filter((one) => one.in === "query") ?? []) {
      if (example === undefined) continue;
      const isObject = typeof example === "object" && !Array.isArray(example);
      const query: Record<string, string> = isObject
        ? (example as Record<string, string>)
        : { [name]: String(example) };
      const address = path.replace("/api/v1", "").replace(/\{\w+\}/g, "1");
      const { status, text } = await admin.get(`${address}?${new URLSearchParams(query)}`);
      tried += 1;
      if (![200, 404].includes(status)) expect([address, query, status, text]).toEqual([]);
    }
  }
  expect(tried).toBeGreaterThan(100);
});
