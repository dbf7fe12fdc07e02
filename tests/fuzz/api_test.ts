// Every route of the API, with requests generated from the OpenAPI document and with malformed requests.
import { expect, setDefaultTimeout, test } from "bun:test";
import fc, { type Arbitrary } from "fast-check";
import { aFeedNetwork } from "../support/feed_network.ts";
import { aGroup, aLocation, alice, anItem, api, reference } from "../support/mod.ts";
import {
  BUDGET,
  bodies,
  fittingField,
  hostileText,
  inWords,
  knownText,
  type Schema,
  segmentOf,
  seldom,
} from "./values.ts";

setDefaultTimeout(300_000);

interface Parameter {
  name: string;
  in: string;
  schema?: Schema;
}

interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body?: Schema;
}

interface FuzzRequest {
  path: string;
  body?: unknown;
  headers: Record<string, string>;
}

/** Deletions are last, so that there are records to change. */
async function operations(): Promise<Operation[]> {
  const { paths } = await reference();
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace("/api/v1", ""),
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content?.["application/json"]?.schema as Schema | undefined,
    })),
  );
  const isDeletion = ({ method }: Operation) => method === "DELETE";
  return [...all.filter((one) => !isDeletion(one)), ...all.filter(isDeletion)];
}

const header = fc.constantFrom<Record<string, string>>(
  { "if-match": '"v1"' },
  { "if-match": '"v99999999999"' },
  { "if-match": "*" },
  { "if-none-match": "W/" },
  { "idempotency-key": "again" },
  { "idempotency-key": "" },
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=latin1" },
  { "content-type": "application/x-ndjson" },
  { accept: "text/html" },
  { cookie: "session=%E0%A4%A; session=x" },
  { "x-request-id": "not one\tof ours" },
);

const raw = fc.constantFrom("", "{", "[1,", '{"a":1}{', "\ufeff{}", '{"a":1e999}', "\0", "null");

function requests(
  { method, path, parameters, body }: Operation,
  ids: string[],
): Arbitrary<FuzzRequest> {
  const places = [...path.matchAll(/\{[^}]+\}/g)].length;
  const existing = fc.constantFrom(...ids, ...(ids.length > 0 ? [] : ["location", "1"]));
  const segment = seldom(existing, fc.oneof(knownText, hostileText));
  const known = parameters.filter((one) => one.in === "query");
  const strange = hostileText.map((name): Parameter => ({ name, in: "query" }));
  const parameter = known.length > 0 ? seldom(fc.constantFrom(...known), strange, 15) : strange;
  const pair = parameter.chain(({ name, schema = {} }) =>
    fc.tuple(fc.constant(name), seldom(fittingField(name, schema), hostileText, 2)),
  );
  const isRead = method === "GET";
  const none = fc.constant([] as Array<[string, unknown]>);
  const pairs = fc.array(pair, { minLength: 1, maxLength: isRead ? 2 : 1 });
  const isAsking = isRead && known.length > 0;
  return fc
    .record({
      values: fc.array(segment, { minLength: places, maxLength: places }),
      query: isAsking ? seldom(pairs, none) : seldom(none, pairs),
      headers: seldom(fc.constant({}), header),
      body: isRead ? fc.constant(undefined) : seldom(bodies(body ?? {}), raw, 15),
    })
    .map(({ values, query, ...rest }) => ({ ...rest, path: addressOf(path, values, query) }));
}

/** Ids of existing records, except for Alice, who sends the requests. */
async function idsFor(path: string): Promise<string[]> {
  const [collection = ""] = path.split("/{");
  if (collection === path) return [];
  const { body } = await api(alice).get(collection);
  const records: Array<{ id: number; username?: string }> = Array.isArray(body) ? body : [];
  return records.filter(({ username }) => username !== "alice").map(({ id }) => String(id));
}

function addressOf(path: string, values: string[], query: Array<[string, unknown]>): string {
  let place = 0;
  const filled = path.replace(/\{[^}]+\}/g, () => segmentOf(values[place++] ?? ""));
  const pairs = query.map(([name, value]) => [name.toWellFormed(), textOf(value).toWellFormed()]);
  return pairs.length > 0 ? `${filled}?${new URLSearchParams(pairs)}` : filled;
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

test("no request to the API returns 5xx, and every response matches the reference", async () => {
  await aFeedNetwork();
  await aLocation({ name: "Racks" });
  await anItem({ ics_id: "AAA001", location: "Racks" });
  await api(alice).post("/inventory/items/AAA001/comments", { body: "Dented" });
  await aGroup({ name: "Web", hosts: ["web"] });
  const all = await operations();
  const errors: string[] = [];
  for (const operation of all) {
    const { method, path } = operation;
    const ids = await idsFor(path);
    const details = await fc.check(
      fc.asyncProperty(requests(operation, ids), async (sent) => {
        const { status } = await api(alice).send(method, sent.path, sent);
        expect(status).toBeLessThan(500);
      }),
      BUDGET,
    );
    if (details.failed) errors.push(`${method} ${path}: ${inWords(details)}`);
  }
  expect(errors).toEqual([]);
  expect(all.length).toBeGreaterThan(90);
});
