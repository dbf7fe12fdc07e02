// Follows CONTRIBUTING.md to the letter on a copy of the project: adds the field and the resource that it describes, and
// uses them over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resolved } from "../src/api/openapi.ts";
import { PASSWORD } from "./running/program.ts";
import { type ChangedProject, changedProject } from "./support/changed_project.ts";
import { type ContributingStep, stepsOf } from "./support/contributing.ts";
import { texts } from "./support/html.ts";

const ROOT = join(import.meta.dir, "..");
const MOST_FILES = {
  "Add a field": 3,
  "Add a list of texts": 3,
  "Add a reference": 3,
  "Add a resource": 6,
  "Add a rule": 1,
  "Add a resource of a host": 4,
  "Add to the pages of a resource": 3,
};
/** The same on resources that other pages show, and a reference to records that may be hidden. */
const FURTHER: ContributingStep[] = [
  {
    path: "db/migrations/0199_further.sql",
    code: `
      alter table interfaces add column contact text;
      alter table hosts add column contact text;
      alter table racks add column host_id integer references hosts;`,
  },
  ...[`mac: macaddr("mac")`, `is_ioc: boolean("is_ioc")`].map((after) => ({
    path: "db/tables/network.ts",
    after,
    code: `  contact: text("contact"),\n`,
  })),
  ...[
    { path: "src/network/interfaces/interface.ts", after: "mac: fields.mac(" },
    { path: "src/network/hosts/host.ts", after: "is_ioc: fields.boolean(" },
  ].map((place) => ({
    ...place,
    code: `    contact: fields.line({ label: "Contact", longest: 200 }),\n`,
  })),
  {
    path: "db/tables/inventory.ts",
    after: `height: integer("height"),`,
    code: `  host_id: integer("host_id"),\n`,
  },
  {
    path: "src/inventory/racks/rack.ts",
    after: "height: fields.integer(",
    code: `    host: fields.belongsTo(hosts, {
      label: "Host",
      kind: "label",
      input: nullable(line(100)),
      nullable: true,
      visible: (caller, one) => mayKnowHost(caller, sql\`\${one}.id\`),
    }),\n`,
  },
  {
    path: "src/inventory/racks/rack.ts",
    before: "import { sql }",
    code: `import { hosts } from "../../../db/tables/network.ts";
import { mayKnowHost } from "../../auth/visibility.ts";\n`,
  },
];

let project: ChangedProject;
const api: ChangedProject["api"] = (...request) => project.api(...request);
const see: ChangedProject["see"] = (path) => project.see(path);
const submit: ChangedProject["submit"] = (path, fields) => project.submit(path, fields);

beforeAll(async () => {
  project = await changedProject([...Object.keys(MOST_FILES).flatMap(stepsOf), ...FURTHER]);
}, 60_000);

afterAll(() => project.end());

async function operation(method: "get" | "post", path: string) {
  const { body } = await api("GET", "/openapi.json");
  return resolved(body).paths[`/api/v1${path}`]?.[method] ?? {};
}

async function parametersOf(path: string): Promise<string[]> {
  const { parameters } = await operation("get", path);
  return (parameters as Array<{ name: string }>).map(({ name }) => name);
}

test("the first change replaces a sentence that the page has", async () => {
  const document = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8").replaceAll(/\s+/g, " ");
  const [, present = ""] = /says "([^"]+)"\. Let it say/.exec(document) ?? [];
  expect(texts(await see("/network/domains"), "p.lead")).toEqual([present]);
});

describe.each(Object.entries(MOST_FILES))("%s", (title, most) => {
  test(`touches at most ${most} files`, () => {
    const files = new Set(stepsOf(title).map(({ path }) => path));
    expect(files.size).toBeGreaterThan(0);
    expect(files.size).toBeLessThanOrEqual(most);
  });
});

describe("a field that is added to networks", () => {
  const PATH = "/network/networks";
  let network: { id: number };

  beforeAll(async () => {
    const domain = await api("POST", "/network/domains", { name: "lab.example.org" });
    const scope = {
      name: "Lab",
      first_vlan: 1,
      last_vlan: 9,
      supernet: "10.0.0.0/16",
      domain_id: domain.body.id,
    };
    await api("POST", "/network/scopes", scope);
    const created = await api("POST", PATH, {
      vlan_name: "Bench",
      vlan_id: 1,
      scope: "Lab",
      address: "10.0.0.0/24",
      first_ip: "10.0.0.10",
      last_ip: "10.0.0.20",
      gateway: null,
      contact: "Ada Lovelace",
    });
    expect([created.status, created.body.contact]).toEqual([201, "Ada Lovelace"]);
    network = created.body;
    await api("POST", "/inventory/locations", { name: "Attic" });
    await api("POST", "/inventory/locations", { name: "Cellar 1" });
  });

  test("is in the record and in the reference", async () => {
    const { body } = await api("GET", `${PATH}/${network.id}`);
    expect(body.contact).toBe("Ada Lovelace");
    expect(JSON.stringify(await operation("post", PATH))).toContain('"contact"');
    expect(await parametersOf(PATH)).toContain("contact");
  });

  test("filters and sorts the list, and is found by a query", async () => {
    for (const query of [
      "contact=Ada Lovelace",
      "contact__startswith=ada",
      "sort=-contact",
      "q=contact:ada",
      "q=lovelace",
    ]) {
      const { status, body } = await api("GET", `${PATH}?${encodeURI(query)}`);
      expect([query, status, body.map?.((one: { vlan_name: string }) => one.vlan_name)]).toEqual([
        query,
        200,
        ["Bench"],
      ]);
    }
    expect((await api("GET", `${PATH}?contact=Nobody`)).body).toEqual([]);
  });

  test("is a column of the list, and a fact and an input on the pages", async () => {
    expect(await see(`${PATH}?cols=contact`)).toContain("Ada Lovelace");
    const view = await see(`${PATH}/view/Bench`);
    expect(texts(view, "dl.facts dt")).toContain("Contact");
    const form = await see(`${PATH}/edit/Bench`);
    expect(form).toContain('name="contact"');
    expect(texts(form, "label")).toContain("Contact");
    expect(await see(`${PATH}/create`)).toContain('name="contact"');
  });

  test("is changed over the API and by the form; a value that is too long is refused", async () => {
    const changed = await api("PATCH", `${PATH}/${network.id}`, { contact: "Grace Hopper" });
    expect([changed.status, changed.body.contact]).toEqual([200, "Grace Hopper"]);
    const long = await api("PATCH", `${PATH}/${network.id}`, { contact: "x".repeat(201) });
    expect([long.status, long.body.detail]).toEqual([
      422,
      "contact: Use 1 to 200 characters on one line",
    ]);
    const fields = {
      version: "2",
      vlan_name: "Bench",
      address: "10.0.0.0/24",
      first_ip: "10.0.0.10",
      last_ip: "10.0.0.20",
      gateway: "",
      domain: "lab.example.org",
      description: "",
      admin_only: "false",
      sensitive: "false",
      contact: "Mary Shelley",
    };
    expect((await submit(`${PATH}/edit/Bench`, fields)).status).toBe(303);
    const { body } = await api("GET", `${PATH}/${network.id}`);
    expect(body.contact).toBe("Mary Shelley");
    const late = await submit(`${PATH}/edit/Bench`, { ...fields, contact: "Hedy Lamarr" });
    expect(late.status).toBe(412);
    expect(late.text).toContain("Mary Shelley");
  });

  test("is in the history and in past states, and can be undone", async () => {
    expect(texts(await see(`${PATH}/view/Bench`), ".timeline .differences li")[0]).toMatch(
      /^Contact/,
    );
    const { body: then } = await api("GET", `${PATH}/${network.id}?at=${new Date().toISOString()}`);
    expect(then.contact).toBe("Mary Shelley");
    const [, set] = /\/changes\/(\w{26})"/.exec(await see(`${PATH}/view/Bench`)) ?? [];
    expect((await api("POST", `/changes/${set}/undo`, {})).status).toBe(201);
    expect((await api("GET", `${PATH}/${network.id}`)).body.contact).toBe("Grace Hopper");
  });
});

describe("a list and a reference that are added to networks", () => {
  const PATH = "/network/networks";
  const FORM = {
    vlan_name: "Yard",
    address: "10.0.1.0/24",
    first_ip: "10.0.1.10",
    last_ip: "10.0.1.20",
    gateway: "",
    domain: "lab.example.org",
    description: "",
    admin_only: "false",
    sensitive: "false",
    contact: "",
  };
  let id: number;

  beforeAll(async () => {
    const { address, first_ip, last_ip } = FORM;
    const created = await api("POST", PATH, {
      ...{ vlan_name: "Yard", vlan_id: 2, scope: "Lab", address, first_ip, last_ip, gateway: null },
      keywords: ["lab", "old hall"],
      location: "cellar 1",
    });
    expect([created.status, created.body.keywords, created.body.location]).toEqual([
      201,
      ["lab", "old hall"],
      "Cellar 1",
    ]);
    id = created.body.id;
  });

  test("are in the record, empty or null where they are not given, and in the reference", async () => {
    const { body } = await api("GET", `${PATH}?sort=vlan_name`);
    const kept = body.map(({ vlan_name, keywords, location }: Record<string, unknown>) => [
      vlan_name,
      keywords,
      location,
    ]);
    expect(kept).toEqual([
      ["Bench", [], null],
      ["Yard", ["lab", "old hall"], "Cellar 1"],
    ]);
    expect(await parametersOf(PATH)).toEqual(
      expect.arrayContaining(["keywords", "location", "location_id"]),
    );
    // Names match as a whole.
    expect((await api("GET", `${PATH}?q=location:Cellar`)).body).toEqual([]);
  });

  test.each([
    "keywords=lab",
    "keywords=old hall",
    "keywords__isnull=false",
    "q=keywords:lab",
    "q=old*",
    "location=CELLAR 1",
    "location__startswith=cell",
    "q=location:Cellar*",
    "sort=-location&location__isnull=false",
  ])("are filtered, sorted and searched: %s", async (query) => {
    const { status, body } = await api("GET", `${PATH}?${encodeURI(query)}`);
    expect([status, body.map?.((one: { vlan_name: string }) => one.vlan_name)]).toEqual([
      200,
      ["Yard"],
    ]);
  });

  test("are columns of the list, facts and inputs of the pages", async () => {
    const list = await see(`${PATH}?cols=keywords&cols=location`);
    for (const text of ["lab, old hall", "Cellar 1"]) expect(list).toContain(text);
    const view = await see(`${PATH}/view/Yard`);
    expect(texts(view, "dl.facts dt")).toEqual(expect.arrayContaining(["Keywords", "Location"]));
    const form = await see(`${PATH}/edit/Yard`);
    expect(form).toContain("lab\nold hall</textarea>");
    expect(form).toContain('data-suggest="/_names/locations"');
  });

  test("are refused with a message that names the line of the list, or the unknown record", async () => {
    const wrong = { keywords: ["a", "x".repeat(31)], location: "Nowhere" };
    const { body } = await api("PATCH", `${PATH}/${id}`, wrong);
    expect(body.errors).toEqual([
      { field: "keywords.1", message: "Use 1 to 30 characters on one line" },
    ]);
    const form = { ...FORM, version: "1", keywords: `a\n\n${"x".repeat(31)}`, location: "Nowhere" };
    const { status, text } = await submit(`${PATH}/edit/Yard`, form);
    expect(status).toBe(422);
    expect(texts(text, ".summary li")).toEqual(
      expect.arrayContaining([
        "Keywords: Line 3: Use 1 to 30 characters on one line",
        'Location: There is no location "Nowhere"',
      ]),
    );
  });

  test("are changed by the form, are in the history and in past states, and can be undone", async () => {
    const form = { ...FORM, version: "1", keywords: "new", location: "Attic" };
    expect((await submit(`${PATH}/edit/Yard`, form)).status).toBe(303);
    const { body } = await api("GET", `${PATH}/${id}?at=${new Date().toISOString()}`);
    expect([body.keywords, body.location]).toEqual([["new"], "Attic"]);
    const view = await see(`${PATH}/view/Yard`);
    const told = texts(view, ".timeline .differences li").join("\n");
    for (const text of ["Keywords", "old hall", "Location", "Cellar 1", "Attic"])
      expect(told).toContain(text);
    const [, set] = /\/changes\/(\w{26})"/.exec(view) ?? [];
    expect((await api("POST", `/changes/${set}/undo`, {})).status).toBe(201);
    const { body: back } = await api("GET", `${PATH}/${id}`);
    expect([back.keywords, back.location]).toEqual([["lab", "old hall"], "Cellar 1"]);
  });

  test("prevent that a record they refer to is deleted", async () => {
    const [location] = (await api("GET", "/inventory/locations?name=Cellar 1")).body;
    const rack = (await api("POST", "/inventory/racks", { name: "R9", location: "Cellar 1" })).body;
    const { status, body } = await api("DELETE", `/inventory/locations/${location.id}`);
    expect([status, body.detail]).toEqual([
      422,
      "id: This location is in use by 1 network and 1 rack",
    ]);
    expect((await api("DELETE", `/inventory/racks/${rack.id}`)).status).toBe(204);
  });
});

describe("a field of records that other pages show", () => {
  test("is a column of the interfaces of a host, and of the hosts of a group", async () => {
    await api("POST", "/network/device_types", { name: "Server" });
    const host = await api("POST", "/network/hosts", {
      name: "shelf-1",
      device_type: "Server",
      contact: "Emmy Noether",
    });
    expect([host.status, host.body.contact]).toEqual([201, "Emmy Noether"]);
    const { status } = await api("POST", "/network/interfaces", {
      ...{ host: "shelf-1", network: "Bench", name: "shelf-1", contact: "Lise Meitner" },
    });
    expect(status).toBe(201);
    const page = await see("/network/hosts/view/shelf-1");
    expect(texts(page, "table.list th")).toContain("Contact");
    expect(texts(page, "table.list td")).toContain("Lise Meitner");
    await api("POST", "/network/groups", { name: "Shelves", hosts: ["shelf-1"] });
    const members = await see("/network/groups/view/Shelves?cols=contact");
    expect(texts(members, "table.list td")).toContain("Emmy Noether");
  });
});

describe("a resource that is added", () => {
  const PATH = "/inventory/racks";

  test("is created, listed, viewed, edited and deleted in a browser", async () => {
    await api("POST", "/inventory/locations", { name: "Hall 1" });
    const form = await see(`${PATH}/create`);
    expect(texts(form, "label")).toEqual(expect.arrayContaining(["Name", "Height", "Location"]));
    const created = await submit(`${PATH}/create`, {
      name: "R1",
      height: "42",
      location: "Hall 1",
    });
    expect([created.status, created.location]).toEqual([303, `${PATH}/view/R1`]);
    const wrong = await submit(`${PATH}/create`, { name: "r1", height: "-1", location: "Nowhere" });
    expect(wrong.status).toBe(422);
    for (const said of ["Use a whole number from 1", "This name is taken"])
      expect(wrong.text).toContain(said);
    expect(texts(await see(PATH), "table.list td")).toEqual(
      expect.arrayContaining(["R1", "42", "Hall 1"]),
    );
    const edited = await submit(`${PATH}/edit/R1`, {
      version: "1",
      name: "R2",
      height: "40",
      location: "",
    });
    expect([edited.status, edited.location]).toEqual([303, `${PATH}/view/R2`]);
    const view = await see(`${PATH}/view/R2`);
    expect(texts(view, "dl.facts dd")).toContain("40");
    expect(texts(view, ".timeline .differences li").join("\n")).toContain("Height");
    const late = await submit(`${PATH}/edit/R2`, {
      version: "1",
      name: "R3",
      height: "40",
      location: "",
    });
    expect(late.status).toBe(412);
    expect((await submit(`${PATH}/delete`, { name: "R2", confirmed: "true" })).location).toBe(PATH);
    expect(texts(await see(PATH), ".empty p")).toContain("No racks yet");
  });

  test("has hooks on its pages, and a further route", async () => {
    const form = await see(`${PATH}/create`);
    expect(texts(form, "#hint-field-height")).toEqual(["In units of 1.75 inches"]);
    expect((await submit(`${PATH}/create`, { name: "R5", height: "21" })).status).toBe(303);
    expect(texts(await see(`${PATH}/view/R5`), "p.lead")).toEqual(["Rack of 21 units"]);
    const heights = JSON.parse(await see(`${PATH}/heights?name=R5`));
    expect(heights).toEqual({ data: [{ name: "R5", height: 21 }] });
  });

  test("is served by the API and found by the one box, and its changes can be undone", async () => {
    const given = { name: "R7", height: 47, location: "Hall 1" };
    const { status, body: rack } = await api("POST", PATH, given);
    expect([status, rack.location]).toEqual([201, "Hall 1"]);
    expect(await parametersOf(PATH)).toEqual(
      expect.arrayContaining(["height", "location", "location_id"]),
    );
    for (const query of ["location=Hall 1", "q=location:Hall*", "height__gte=47&sort=-height"]) {
      const { body } = await api("GET", `${PATH}?${encodeURI(query)}`);
      expect(body.length, query).toBe(1);
    }
    expect(await see("/?q=R7")).toContain(`${PATH}/view/R7`);
    const hall = (await api("GET", "/inventory/locations?name=Hall 1")).body[0];
    expect((await api("DELETE", `/inventory/locations/${hall.id}`)).status).toBe(422);
    expect((await api("DELETE", `${PATH}/${rack.id}`)).status).toBe(204);
    const [, set] = /\/changes\/(\w{26})"/.exec(await see("/")) ?? [];
    expect((await api("POST", `/changes/${set}/undo`, {})).status).toBe(201);
    expect((await api("GET", `${PATH}/${rack.id}`)).body.name).toBe("R7");
  });

  test("keeps its rule, however many clients write at once", async () => {
    await api("POST", "/inventory/locations", { name: "Hall 20" });
    const place = { location: "Hall 20" };
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => api("POST", PATH, { name: `H${n}`, ...place })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const full = answers.filter(({ status }) => status === 422);
    expect(full).toHaveLength(10);
    expect(full[0]?.body.errors).toEqual([
      { field: "location", message: "Hall 20 has 20 racks already" },
    ]);
    const form = await submit(`${PATH}/create`, { name: "H99", ...place });
    expect(form.status).toBe(422);
    expect(form.text).toContain("Hall 20 has 20 racks already");
    for (const { body } of answers.filter(({ status }) => status === 201)) {
      await api("DELETE", `${PATH}/${body.id}`);
    }
  });

  test("refers to no record that is hidden from the caller", async () => {
    const network = await api("POST", "/network/networks", {
      ...{ vlan_name: "Vault", vlan_id: 9, scope: "Lab", sensitive: true, gateway: null },
      ...{ address: "10.0.9.0/24", first_ip: "10.0.9.10", last_ip: "10.0.9.20" },
    });
    expect(network.status).toBe(201);
    await api("POST", "/network/hosts", {
      ...{ name: "canary", device_type: "Server", network: "Vault" },
    });
    const erin = { username: "erin", password: PASSWORD };
    await api("POST", "/user/users", { ...erin, groups: ["inventory"] });
    const { body: login } = await api("POST", "/user/login", erin);
    const by = { ...project.headers, authorization: `Bearer ${login.access_token}` };
    for (const host of ["canary", "nobody"]) {
      const { status, body } = await api("POST", PATH, { name: "R11", host }, by);
      expect([status, body.errors]).toEqual([
        422,
        [{ field: "host", message: `'${host}' is not a valid host` }],
      ]);
    }
    const made = await api("POST", PATH, { name: "R11", host: "canary" });
    expect([made.status, made.body.host]).toEqual([201, "canary"]);
    for (const path of [`${PATH}/${made.body.id}`, `${PATH}/${made.body.id}?at=${NOW()}`])
      expect([path, (await api("GET", path, undefined, by)).body.host]).toEqual([path, null]);
    const gone = await api("DELETE", `/network/hosts/${await hostId("canary")}`);
    expect([gone.status, gone.body.detail]).toEqual([422, "id: This host is in use by 1 rack"]);
  });
});

describe("a resource of a host that is added", () => {
  const PATH = "/network/reservations";
  const at = (hour: number) => `2026-12-01T${String(hour).padStart(2, "0")}:00:00Z`;
  const reserved = (name: string, host: string, from = 8, to = 10) => ({
    ...{ name, host, begins_at: at(from), ends_at: at(to) },
  });
  let dave: Record<string, string>;

  beforeAll(async () => {
    const network = { scope: "Lab", gateway: null };
    await api("POST", "/network/networks", {
      ...{ ...network, vlan_name: "Safe", vlan_id: 7, address: "10.0.7.0/24", admin_only: true },
      ...{ first_ip: "10.0.7.10", last_ip: "10.0.7.20" },
    });
    for (const [name, where] of [
      ["free", "Bench"],
      ["kept", "Safe"],
      ["secret", "Vault"],
    ])
      await api("POST", "/network/hosts", { name, device_type: "Server", network: where });
    const user = { username: "dave", password: PASSWORD };
    await api("POST", "/user/users", { ...user, groups: ["network"] });
    const { body } = await api("POST", "/user/login", user);
    dave = { ...project.headers, authorization: `Bearer ${body.access_token}` };
  });

  test("is made once at a time, however many clients ask", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api("POST", PATH, reserved(`At once ${n}`, "free"), dave),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const [refused] = answers.filter(({ status }) => status === 422);
    expect(refused?.body.detail).toMatch(/^begins_at: Reserved by At once \d+$/);
    const wrong = await api("POST", PATH, reserved("Backwards", "free", 12, 11), dave);
    expect([wrong.status, wrong.body.detail]).toEqual([422, "ends_at: Use a time after the begin"]);
  });

  test("is written by those who may change the host, also by undo", async () => {
    for (const host of ["kept", "secret"]) {
      const { status } = await api("POST", PATH, reserved("Mine", host), dave);
      expect([host, status]).toEqual([host, host === "kept" ? 403 : 422]);
    }
    const { body: own } = await api("POST", PATH, reserved("Kept", "kept"));
    const moved = await api("POST", PATH, reserved("Moving", "free", 20, 21), dave);
    expect(moved.status).toBe(201);
    const onto = { host: "kept" };
    expect((await api("PATCH", `${PATH}/${moved.body.id}`, onto, dave)).status).toBe(403);
    expect((await api("PATCH", `${PATH}/${own.id}`, { name: "Taken" }, dave)).status).toBe(403);
    expect((await api("DELETE", `${PATH}/${own.id}`, undefined, dave)).status).toBe(403);
    const gone = await api("DELETE", `${PATH}/${own.id}`);
    expect(gone.status).toBe(204);
    const undo = `/changes/${gone.headers.get("change-set")}/undo`;
    expect((await api("POST", undo, {}, dave)).status).toBe(403);
    expect((await api("POST", undo, {})).status).toBe(201);
  });

  test("is hidden with its host, in lists, by its id and in the history", async () => {
    const { status, body } = await api("POST", PATH, reserved("Hush", "secret"));
    expect(status).toBe(201);
    const answers = await Promise.all([
      ...["", "?q=Hush", "?name=Hush"].map((query) => api("GET", PATH + query, undefined, dave)),
      api("GET", "/changes", undefined, dave),
    ]);
    for (const answer of answers) expect(JSON.stringify(answer.body)).not.toContain("Hush");
    const own = `${PATH}/${body.id}`;
    const attempts = [
      await api("GET", own, undefined, dave),
      await api("PATCH", own, { name: "Found" }, dave),
      await api("DELETE", own, undefined, dave),
    ];
    expect(attempts.map((one) => one.status)).toEqual([404, 404, 404]);
    expect(JSON.stringify((await api("GET", "/changes")).body)).toContain("Hush");
  });
});

const NOW = () => new Date().toISOString();

async function hostId(name: string): Promise<number> {
  return (await api("GET", `/network/hosts?name=${name}`)).body[0].id;
}
