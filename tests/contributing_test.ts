// Follows CONTRIBUTING.md to the letter on a copy of the project: adds the field and the resource that it describes, and
// uses them over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endAll, launch } from "./running/processes.ts";
import { administrator, PASSWORD, type Serving, served } from "./running/program.ts";
import { aDatabase } from "./support/cluster.ts";
import { texts } from "./support/html.ts";

const ROOT = join(import.meta.dir, "..");
const COPIED = ["db", "pages", "src", "static", "package.json", "tsconfig.json", "bunfig.toml"];
const MOST_FILES = { "Add a field": 3, "Add a resource": 6 };

interface Step {
  path: string;
  code: string;
  after?: string;
  before?: string;
}

/** The steps of a section: each block of code belongs to the file and the place that were named last. */
function stepsOf(title: string): Step[] {
  const document = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const [, section = ""] = document.split(`## ${title}\n`);
  const [own = ""] = section.split("\n## ");
  const blocks = [...own.matchAll(/([^`]|`[^`]+`)*?\n\s*```\w+\n([\s\S]*?)```/g)];
  let path = "";
  let places: Array<Pick<Step, "after" | "before">> = [];
  return blocks.map(([block, , code = ""]) => {
    const [said = ""] = block.split("```");
    const [, named] = /\d\. `([^`]+)`/.exec(said) ?? [];
    if (named) {
      path = named;
      places = [...said.matchAll(/(after|before) `([^`]+)`/g)].map(([, where, line]) => ({
        [where!]: line,
      }));
    }
    const indent = /^ */.exec(code)?.[0] === "     " ? "   " : "   ";
    return { path, code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""), ...places.shift() };
  });
}

function follow(copy: string, { path, code, after, before }: Step): void {
  const file = join(copy, path);
  const anchor = after ?? before;
  if (anchor === undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return;
  }
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes(anchor));
  if (at < 0) throw new Error(`${path} has no line with ${anchor}`);
  lines.splice(after ? at + 1 : at, 0, code.replace(/\n$/, ""));
  writeFileSync(file, lines.join("\n"));
}

let copy: string;
let serving: Serving;
let headers: Record<string, string>;
let cookie: string;
let database: Awaited<ReturnType<typeof aDatabase>>;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "contributing-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  for (const title of Object.keys(MOST_FILES))
    for (const step of stepsOf(title)) follow(copy, step);
  database = await aDatabase();
  const env = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: database.url,
    ADMIN_USERNAME: "alice",
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: "info",
    LOG_FORMAT: "pretty",
  };
  serving = await served(launch([process.execPath, "src/main.ts", "serve"], { cwd: copy, env }));
  headers = { ...(await administrator(serving)), "content-type": "application/json" };
  const login = await serving.fetch("/user/login", {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ username: "alice", password: PASSWORD }),
  });
  cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}, 60_000);

afterAll(async () => {
  endAll();
  rmSync(copy, { recursive: true, force: true });
  await database.drop();
});

async function api(method: string, path: string, body?: unknown) {
  const answer = await serving.fetch(`/api/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text && JSON.parse(text) };
}

async function see(path: string): Promise<string> {
  const answer = await serving.fetch(path, { headers: { cookie, accept: "text/html" } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

/** The fields of the form on a page, and its action. */
async function submit(path: string, fields: Record<string, string>) {
  const answer = await serving.fetch(path, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, accept: "text/html", "sec-fetch-site": "same-origin" },
    body: new URLSearchParams(fields),
  });
  return {
    status: answer.status,
    location: answer.headers.get("location"),
    text: await answer.text(),
  };
}

async function parametersOf(path: string): Promise<string[]> {
  const { body } = await api("GET", "/openapi.json");
  return body.paths[`/api/v1${path}`].get.parameters.map(({ name }: { name: string }) => name);
}

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
  });

  test("is in the record and in the reference", async () => {
    const { body } = await api("GET", `${PATH}/${network.id}`);
    expect(body.contact).toBe("Ada Lovelace");
    const { body: reference } = await api("GET", "/openapi.json");
    expect(JSON.stringify(reference.paths[`/api/v1${PATH}`].post)).toContain('"contact"');
    expect(await parametersOf(PATH)).toContain("contact__contains");
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
    const [, set] = /\/changes\/(\d+)"/.exec(await see(`${PATH}/view/Bench`)) ?? [];
    expect((await api("POST", `/changes/${set}/undo`, {})).status).toBe(201);
    expect((await api("GET", `${PATH}/${network.id}`)).body.contact).toBe("Grace Hopper");
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

  test("is served by the API and found by the one box, and its changes can be undone", async () => {
    const { status, body: rack } = await api("POST", PATH, {
      name: "R7",
      height: 47,
      location: "Hall 1",
    });
    expect([status, rack.location]).toEqual([201, "Hall 1"]);
    expect(await parametersOf(PATH)).toEqual(
      expect.arrayContaining(["height__gte", "location", "location_id"]),
    );
    for (const query of ["location=Hall 1", "q=location:Hall*", "height__gte=47&sort=-height"]) {
      expect([query, (await api("GET", `${PATH}?${encodeURI(query)}`)).body.length]).toEqual([
        query,
        1,
      ]);
    }
    expect(await see("/?q=R7")).toContain(`${PATH}/view/R7`);
    const hall = (await api("GET", "/inventory/locations?name=Hall 1")).body[0];
    expect((await api("DELETE", `/inventory/locations/${hall.id}`)).status).toBe(422);
    expect((await api("DELETE", `${PATH}/${rack.id}`)).status).toBe(204);
    const [, set] = /\/changes\/(\d+)"/.exec(await see("/")) ?? [];
    expect((await api("POST", `/changes/${set}/undo`, {})).status).toBe(201);
    expect((await api("GET", `${PATH}/${rack.id}`)).body.name).toBe("R7");
  });
});
