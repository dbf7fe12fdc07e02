// Fields of every kind that CONTRIBUTING.md names, on a resource without rules of its own and on records that are imported.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChangedProject, changedProject } from "./support/changed_project.ts";
import { type ContributingStep, stepsOf } from "./support/contributing.ts";
import { elements, texts } from "./support/html.ts";

const LEVEL = `Type.Union([Type.Literal("low"), Type.Literal("high")], { description: "Use low or high" })`;
const KEYWORDS = `    keywords: fields.list({
      label: "Keywords",
      input: Type.Array(line(30), { maxItems: 20, description: "Use at most 20 keywords" }),
    }),\n`;
const STEPS: ContributingStep[] = [
  {
    path: "db/migrations/0198_kinds.sql",
    code: `
      alter table racks add column bought timestamptz, add column level text not null default 'low',
        add column is_locked boolean not null default true;
      alter table items add column rack_id integer references racks, add column keywords text[] not null default '{}';
      alter table hosts add column cores integer, add column level text not null default 'high',
        add column location_id integer references locations;
      alter table interfaces add column rack_id integer references racks;
      alter table racks add constraint racks_bought_apart exclude using gist (tstzrange(bought, bought, '[]') with &&) where (bought is not null);`,
  },
  {
    path: "db/tables/inventory.ts",
    after: `height: integer("height"),`,
    code: `  bought: time("bought"),\n  level: text("level").notNull().default("low"),
  is_locked: boolean("is_locked").notNull().default(true),\n`,
  },
  {
    path: "db/tables/inventory.ts",
    before: "import { id,",
    code: `import { boolean } from "drizzle-orm/pg-core";\n`,
  },
  {
    path: "db/tables/inventory.ts",
    after: `quantity: integer("quantity")`,
    code: `  rack_id: integer("rack_id"),\n  keywords: text("keywords").array().notNull().default([]),\n`,
  },
  {
    path: "db/tables/network.ts",
    after: `is_ioc: boolean("is_ioc")`,
    code: `  cores: integer("cores"),\n  level: text("level").notNull().default("high"),\n  location_id: integer("location_id"),\n`,
  },
  {
    path: "db/tables/network.ts",
    after: `mac: macaddr("mac")`,
    code: `  rack_id: integer("rack_id"),\n`,
  },
  {
    path: "src/inventory/racks/rack.ts",
    after: "height: fields.integer(",
    code: `    bought: fields.time({ label: "Bought", input: nullable(TIME) }),
    level: fields.choice({ label: "Level", input: ${LEVEL} }),
    is_locked: fields.boolean({ label: "Locked", input: TRUE_OR_FALSE }),\n`,
  },
  {
    path: "src/inventory/racks/rack.ts",
    before: "import { sql }",
    code: `import { Type } from "@sinclair/typebox";\nimport { TIME } from "../../input/kinds.ts";
import { TRUE_OR_FALSE } from "../../input/shape.ts";\n`,
  },
  {
    path: "src/inventory/items/item.ts",
    after: "quantity: fields.integer(",
    code: `${KEYWORDS}${referenceTo("rack", "racks")}    parent_model: fields.derived<string | null>({
      label: "Model of the parent",
      kind: "text",
      nullable: true,
      value: sql\`(select models.name from models, items holder where models.id = holder.model_id and holder.id = items.parent_id)\`,
    }),\n`,
  },
  {
    path: "src/inventory/items/item.ts",
    before: "import { type SQL",
    code: `import { racks } from "../../../db/tables/inventory.ts";\n`,
  },
  {
    path: "src/network/hosts/host.ts",
    after: "is_ioc: fields.boolean(",
    code: `    cores: fields.integer({ label: "Cores", input: nullable(COUNT) }),
    level: fields.choice({ label: "Level", input: ${LEVEL} }),
${referenceTo("location", "locations")}`,
  },
  {
    path: "src/network/hosts/host.ts",
    before: "import { type SQL",
    code: `import { COUNT, nullable } from "../../input/shape.ts";
import { locations } from "../../../db/tables/inventory.ts";\n`,
  },
  {
    path: "src/network/interfaces/interface.ts",
    after: "mac: fields.mac(",
    code: referenceTo("rack", "racks"),
  },
  {
    path: "src/network/interfaces/interface.ts",
    before: "import { sql }",
    code: `import { racks } from "../../../db/tables/inventory.ts";
import { line } from "../../input/shape.ts";\n`,
  },
];

function referenceTo(name: string, table: string): string {
  return `    ${name}: fields.belongsTo(${table}, {
      label: "${name.charAt(0).toUpperCase()}${name.slice(1)}",
      kind: "name",
      input: nullable(line(100)),
      nullable: true,
    }),\n`;
}

let project: ChangedProject;

beforeAll(async () => {
  project = await changedProject([...stepsOf("Add a resource"), ...STEPS]);
}, 60_000);

afterAll(() => project.end());

async function made(path: string, fields: object) {
  const { status, body } = await project.api("POST", path, fields);
  expect([path, status, body.detail]).toEqual([path, 201, undefined]);
  return body;
}

describe("a time and a choice", () => {
  const PATH = "/inventory/racks";
  let rack: { id: number; bought: string; level: string };

  beforeAll(async () => {
    rack = await made(PATH, { name: "R1", bought: "2099-06-30T14:05:00+02:00" });
    await made(PATH, { name: "R2", bought: "2099-07-01", level: "high" });
  });

  test("are in the record, with the default of the column", () => {
    expect([rack.bought, rack.level]).toEqual(["2099-06-30 12:05", "low"]);
  });

  test.each([
    "bought__gte=2099-07-01",
    "bought=2099-07-01",
    "q=bought:>2099-06-30",
    "sort=-bought&bought__isnull=false&level=high",
    "level__ne=low",
    "q=level:high",
  ])("are filtered, sorted and searched: %s", async (query) => {
    const { body } = await project.api("GET", `${PATH}?${encodeURI(query)}`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(["R2"]);
  });

  test.each([
    [{ bought: "yesterday" }, /^bought: Use a time such as 2026-01-31, /],
    [{ level: "urgent" }, /^level: Use low or high$/],
  ])("are refused with a message: %j", async (wrong, message) => {
    const { status, body } = await project.api("PATCH", `${PATH}/${rack.id}`, wrong);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(message)]);
  });

  test("are in the form of a new record as they are stored if nobody touches them", async () => {
    const rackForm = await project.see(`${PATH}/create`);
    const [box] = elements(rackForm, `input[type="checkbox"][name="is_locked"]`);
    expect(box?.attributes.checked).toBeDefined();
    const hostForm = await project.see("/network/hosts/create");
    expect(texts(hostForm, `select[name="level"] option[selected]`)).toEqual(["High"]);
    const itemForm = await project.see("/inventory/items/create");
    expect(elements(itemForm, `input[name="quantity"]`)[0]?.attributes.value).toBe("1");
  });

  test("are changed by the form, shown in words, kept in the history and undone", async () => {
    const form = await project.see(`${PATH}/edit/R1`);
    expect(texts(form, `select[name="level"] option`)).toEqual(["Low", "High"]);
    const [input] = elements(form, `input[name="bought"]`);
    expect(input?.attributes.value).toBe("2099-06-30 12:05");
    const fields = { version: "1", name: "R1", height: "", location: "", level: "high" };
    const { status } = await project.submit(`${PATH}/edit/R1`, { ...fields, bought: "2099-12-24" });
    expect(status).toBe(303);
    const view = await project.see(`${PATH}/view/R1`);
    expect(texts(view, "dl.facts dd")).toContain("24 Dec 2099");
    const told = texts(view, ".timeline .differences li").join("\n");
    for (const text of ["2099-06-30 12:05", "2099-12-24 00:00"]) expect(told).toContain(text);
    const path = `${PATH}/${rack.id}`;
    const past = await project.api("GET", `${path}?at=${new Date().toISOString()}`);
    expect([past.body.bought, past.body.level]).toEqual(["2099-12-24 00:00", "high"]);
    const [, set] = /\/changes\/(\w{26})"/.exec(view) ?? [];
    expect((await project.api("POST", `/changes/${set}/undo`, {})).status).toBe(201);
    const { body } = await project.api("GET", path);
    expect([body.bought, body.level]).toEqual(["2099-06-30 12:05", "low"]);
  });

  test("are not put back where a constraint on what is computed from them is in the way", async () => {
    const rack = await made(PATH, { name: "R3", bought: "2088-01-01" });
    await project.api("PATCH", `${PATH}/${rack.id}`, { bought: "2088-02-01" });
    const [, set] = /\/changes\/(\w{26})"/.exec(await project.see(`${PATH}/view/R3`)) ?? [];
    await made(PATH, { name: "R4", bought: "2088-01-01" });
    const { status, body } = await project.api("POST", `/changes/${set}/undo`, {});
    expect([status, body.detail]).toEqual([
      422,
      "id: R3 cannot be as it was: another record is in the way",
    ]);
  });

  test("are on pages that the page of their area leads to", async () => {
    const links = async (page: string) =>
      elements(await project.see(page), "main a").map(({ attributes }) => attributes.href);
    expect(await links("/inventory")).toContain(PATH);
    expect(await links("/network")).not.toContain(PATH);
  });
});

test("the total of a list by a derived field is right, whichever tables the field reads", async () => {
  const PATH = "/inventory/items";
  await made("/inventory/models", { name: "M1" });
  for (const [at, holder] of ["DDD000", "DDD001", "DDD002"].entries()) {
    await made(PATH, { ics_id: holder, serial_number: holder, ...(at < 2 && { model: "M1" }) });
    const { body } = await project.api("GET", `${PATH}/${holder}`);
    await made(PATH, { ics_id: `DDD01${at}`, serial_number: `1${at}`, parent_id: body.id });
  }
  const matching = async () => {
    const { headers } = await project.api("GET", `${PATH}?parent_model=M1&per_page=1`);
    return headers.get("x-total-count");
  };
  // Long enough for a total to be brought up to date instead of counted.
  for (let at = 1; at <= 6; at += 1) {
    await made("/inventory/models", { name: `Other ${at}` });
    expect(await matching()).toBe("2");
    await Bun.sleep(600);
  }
  expect((await project.api("PATCH", `${PATH}/DDD002`, { model: "M1" })).status).toBe(200);
  expect(await matching()).toBe("3");
});

describe("fields of records that are imported", () => {
  const rows = (...lines: object[]) => lines.map((one) => JSON.stringify(one)).join("\n");
  const imported = async (path: string, ...lines: object[]) => {
    const by = { ...project.headers, "content-type": "application/x-ndjson" };
    const { body } = await project.api("POST", `${path}/import`, rows(...lines), by);
    return String(body)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  beforeAll(async () => {
    await made("/inventory/racks", { name: "R9" });
    await made("/inventory/locations", { name: "Hall 1" });
    const domain = await made("/network/domains", { name: "lab.example.org" });
    await made("/network/scopes", {
      ...{ name: "Lab", first_vlan: 1, last_vlan: 9, supernet: "10.0.0.0/16" },
      domain_id: domain.id,
    });
    await made("/network/networks", {
      ...{ vlan_name: "Bench", vlan_id: 1, scope: "Lab", address: "10.0.0.0/24", gateway: null },
      ...{ first_ip: "10.0.0.10", last_ip: "10.0.0.20" },
    });
  });

  test("of items are written; an unknown name is refused, a blank cell keeps the value, and null clears it", async () => {
    const path = "/inventory/items";
    const row = { ics_id: "AAA001", serial_number: "1", rack: "r9", keywords: "lab, old hall" };
    const [verdict] = await imported(path, row);
    expect(verdict.changes).toEqual(
      expect.arrayContaining([
        { field: "rack", old: null, now: "R9" },
        { field: "keywords", old: null, now: "lab, old hall" },
      ]),
    );
    const { body } = await project.api("GET", `${path}/AAA001`);
    expect([body.rack, body.keywords]).toEqual(["R9", ["lab", "old hall"]]);
    const [refused] = await imported(path, { ics_id: "AAA001", rack: "Nowhere" });
    expect(refused.errors).toMatchObject([
      { field: "rack", message: "'Nowhere' is not a valid rack" },
    ]);
    const [same] = await imported(path, row);
    expect(same.verdict).toBe("same");
    const [kept] = await imported(path, { ics_id: "AAA001", rack: "", keywords: "" });
    expect(kept.verdict).toBe("same");
    const [cleared] = await imported(path, { ics_id: "AAA001", rack: null, keywords: null });
    expect(cleared.changes).toEqual([
      { field: "keywords", old: "lab, old hall", now: null },
      { field: "rack", old: "R9", now: null },
    ]);
  });

  test("of hosts and interfaces are written; an unknown name is refused", async () => {
    const path = "/network/hosts";
    const row = { name: "h1", device_type: "Physical", network: "Bench" };
    const own = { cores: "8", level: "high", location: "hall 1", interface_rack: "R9" };
    const [verdict] = await imported(path, { ...row, ...own });
    expect([verdict.verdict, verdict.errors]).toEqual(["new", []]);
    const [host] = (await project.api("GET", `${path}?name=h1&recursive=true`)).body;
    expect([host.cores, host.level, host.location.name]).toEqual([8, "high", "Hall 1"]);
    expect((await project.api("GET", "/network/interfaces?name=h1")).body[0].rack).toBe("R9");
    const [same] = await imported(path, { name: "h1", ...own });
    expect(same.verdict).toBe("same");
    const wrong = { location: "Nowhere", interface_rack: "R0" };
    const [refused] = await imported(path, { name: "h1", ...wrong });
    expect(refused.errors).toMatchObject([
      { field: "location", message: "'Nowhere' is not a valid location" },
      { field: "interface_rack", message: "'R0' is not a valid interface rack" },
    ]);
  });
});
