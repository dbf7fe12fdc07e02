// A rule for all lists that take `q`, including future ones: each operator of the query language works on each field.
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeRecords } from "./search/lists_made.ts";
import {
  aHost,
  aLocation,
  alice,
  aModel,
  aNetwork,
  anItem,
  api,
  reference,
  searched,
} from "./support/mod.ts";

setDefaultTimeout(120_000);

/** One that each kind of field can hold, and none of them. */
const VALUES = ["word", "12", "true", "2024-01-01", "10.1.0.0/16"];
const OPERATORS: Array<(value: string) => string> = [
  (value) => `"${value}"`,
  (value) => `"${value} other"`,
  (value) => `"${value} other"~2`,
  (value) => value.replaceAll("/", "\\/"),
  (value) => `${value.replaceAll("/", "\\/")}*`,
  (value) => `*${value.slice(1).replaceAll("/", "\\/")}`,
  (value) => `*${value.slice(1, 3)}*`,
  (value) => `?${value.slice(1).replaceAll("/", "\\/")}`,
  (value) => `${value.replaceAll("/", "\\/")}~`,
  (value) => `${value.replaceAll("/", "\\/")}~1`,
  (value) => `${value.replaceAll("/", "\\/")}^2`,
  (value) => `/${value.replaceAll("/", "\\/")}.*/`,
  (value) => `/@${value.slice(0, 2)}&~(@9)/`,
  (value) => `["${value}" TO "${value}"]`,
  (value) => `{"${value}" TO *}`,
  (value) => `>="${value}"`,
  (value) => `<"${value}"`,
];
const WITHOUT_VALUES = ["*", "[* TO *]", '""', "/@/", "word~0"];

/** Plain terms that are joined by OR are looked up together, so there is also one that is not. */
function queriesOn(field: string): string[] {
  const named = (one: string) => (field === "" ? one : `${field}:${one}`);
  const each = VALUES.flatMap((value) => OPERATORS.map((operator) => named(operator(value))));
  const exists = field === "" ? [] : [`_exists_:${field}`];
  return [
    [...each, ...WITHOUT_VALUES.map(named), ...exists].join(" OR "),
    `+${named("word")} -${named("word~")} -${named("other*")}`,
    named(`(${VALUES.map((value) => `"${value}"`).join(" OR ")})`),
  ];
}

/** They take words, and no query. */
const OTHERS = ["/changes", "/events"];

interface Parameter {
  name: string;
  in: string;
}

async function listsWithQ(areParts = false): Promise<string[]> {
  const { paths } = await reference();
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const takesQ = get?.parameters?.some(
      (one: Parameter) => one.in === "query" && one.name === "q",
    );
    const list = path.replace("/api/v1", "").replace("{kind}", "location");
    return takesQ && list.includes("{") === areParts && !OTHERS.includes(list) ? [list] : [];
  });
}

/** The fields of a record, and those of the records in it. */
function fieldsIn(record: Record<string, unknown>): string[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const [inner] = [value].flat();
    const isRecord = inner !== null && typeof inner === "object";
    return [name, ...(isRecord ? Object.keys(inner).map((one) => `${name}.${one}`) : [])];
  });
}

test("a query is taken by the lists of parts of a record", async () => {
  await anItem();
  await Promise.all([aModel(), aLocation(), aHost()]);
  const network = await aNetwork();
  const url = "https://hooks.example.org/";
  const ids = new Map<string, number>([["/network/networks", network.id]]);
  for (const [path, body] of [
    ["/webhooks", { name: "Hook", url }],
    ["/triggers", { name: "Trigger", url, template: "post", body: "{}" }],
    ["/user/service_accounts", { username: "ansible" }],
  ] as const) {
    const made = await api(alice).post(path, body);
    expect([path, made.status]).toEqual([path, 201]);
    ids.set(path, made.body.id);
  }
  const lists = await listsWithQ(true);
  expect(lists.length).toBeGreaterThan(3);
  for (const path of lists) {
    const id = ids.get(path.split("/{")[0] ?? "") ?? 1;
    for (const q of ["web", "id:1", "NOT 7"]) {
      const list = path.replace("{id}", String(id));
      const { status } = await api(alice).get(`${list}?q=${encodeURIComponent(q)}`);
      expect([list, q, status]).toEqual([list, q, 200]);
    }
  }
});

test("each operator of the query language works on each field of each list", async () => {
  await makeRecords();
  const lists = await listsWithQ();
  expect(lists.length).toBeGreaterThan(10);
  for (const path of lists) {
    const { body } = await api(alice).get(`${path}?per_page=100`);
    const records: Array<Record<string, unknown>> = Array.isArray(body) ? body : [];
    const fields = new Set(["", "id", ...records.flatMap(fieldsIn)]);
    for (const field of fields) {
      for (const query of queriesOn(field)) {
        const { status, body } = await searched(() =>
          api(alice).get(`${path}?q=${encodeURIComponent(query)}`),
        );
        expect([path, query, status, body.detail]).toEqual([path, query, 200, undefined]);
      }
    }
  }
});
