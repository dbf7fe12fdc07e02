import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aCname,
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  audrey,
  dave,
} from "../support/mod.ts";

const LIST = "/network/networks";
const CREATE = `${LIST}/create`;
const EDIT = `${LIST}/edit/Bench`;
const FIELDS = {
  scope: "Laboratory",
  vlan_name: "Bench",
  vlan_id: "100",
  address: "10.8.0.0/24",
  first_ip: "10.8.0.10",
  last_ip: "10.8.0.200",
  gateway: "10.8.0.254",
  domain: "",
  description: "",
  admin_only: "false",
  sensitive: "false",
};

function aLaboratory() {
  return aScope({ name: "Laboratory", first_vlan: 100, last_vlan: 199, supernet: "10.8.0.0/16" });
}

async function aBench(fields: object = {}) {
  await aLaboratory();
  const { domain, ...plain } = FIELDS;
  const given = { ...plain, vlan_id: 100, admin_only: false, sensitive: false };
  return aNetwork({ ...given, ...fields });
}

/** The values of the fields of the form. */
function valuesIn(text: string, ...names: string[]): Array<string | undefined> {
  return names.map((name) => elements(text, `#field-${name}`)[0]?.attributes.value);
}

function valueOfDomain(text: string): string {
  return elements(text, "#field-domain option[selected]")[0]?.attributes.value ?? "";
}

const ENDS = ["address", "first_ip", "last_ip", "gateway"];

test("a form that needs a scope or a domain leads to adding the first one", async () => {
  const own = await browser(alice);
  for (const [path, needed] of [
    [CREATE, "scope"],
    ["/network/scopes/create", "domain"],
  ] as const) {
    const { text } = await own.get(path);
    expect(texts(text, ".hint"), path).toContain(`No ${needed}s yet: add a ${needed} first`);
    expect(elements(text, ".hint a")[0]?.attributes.href).toBe(`/network/${needed}s/create`);
  }
  await aLaboratory();
  for (const path of [CREATE, "/network/scopes/create"]) {
    expect(elements((await own.get(path)).text, ".hint a"), path).toEqual([]);
  }
});

describe("GET /network/networks/create", () => {
  test("proposes values of the scope, without those in use", async () => {
    await aBench();
    const own = await browser(alice);
    const { text } = await own.get(`${CREATE}?scope=Laboratory`);
    expect(valuesIn(text, "vlan_id", ...ENDS)).toEqual([
      "101",
      "10.8.1.0/24",
      "10.8.1.1",
      "10.8.1.253",
      "10.8.1.254",
    ]);
    expect(texts(text, "#field-prefix option[selected]")).toEqual(["/24"]);
    expect(elements(text, "#subnets option")).toHaveLength(200);
    expect(elements(text, ".supernet .taken, .supernet .proposed")).toHaveLength(2);
  });

  test("uses the block of the gap that was followed", async () => {
    await aLaboratory();
    const own = await browser(alice);
    const { text } = await own.get(`${CREATE}?scope=Laboratory&address=10.8.4.0/22`);
    expect(valuesIn(text, ...ENDS)).toEqual([
      "10.8.4.0/22",
      "10.8.4.1",
      "10.8.7.253",
      "10.8.7.254",
    ]);
  });

  test("is allowed for admins only", async () => {
    for (const person of [dave, audrey]) {
      expect((await (await browser(person)).get(CREATE)).status, person.username).toBe(403);
    }
  });
});

describe("POST /network/networks/create", () => {
  test("creates one, in the domain of its scope", async () => {
    const { domain } = await aLaboratory();
    const own = await browser(alice);
    const made = await own.submit(CREATE, FIELDS);
    expect(made.headers.get("location")).toBe(`${LIST}/view/Bench`);
    const { body } = await api(alice).get(LIST);
    expect(body[0]).toMatchObject({ vlan_name: "Bench", vlan_id: 100, domain, description: null });
  });

  test("shows a refused form filled in, with every error beside its field", async () => {
    await aLaboratory();
    const own = await browser(alice);
    const wrong = { ...FIELDS, vlan_id: "99", address: "10.9.0.0/24" };
    const { status, text } = await own.submit(CREATE, wrong);
    expect(status).toBe(422);
    expect(elements(text, "p.error").map(({ attributes }) => attributes.id)).toEqual([
      "error-field-vlan_id",
      "error-field-address",
      "error-field-first_ip",
      "error-field-last_ip",
      "error-field-gateway",
    ]);
    expect(valuesIn(text, "vlan_name", "address")).toEqual(["Bench", "10.9.0.0/24"]);
    expect((await api(alice).get(LIST)).body).toEqual([]);
  });

  test("checks while typing and writes nothing, without errors for blank fields", async () => {
    await aBench();
    const own = await browser(alice);
    const check = (changed: string, fields: object) =>
      own.submit(CREATE, { ...FIELDS, ...fields, _validate: changed }, { headers: HTMX });
    const taken = await check("address", { vlan_name: "", vlan_id: "101" });
    expect([taken.status, texts(taken.text, "p.error")]).toEqual([200, []]);
    const named = await check("address", { vlan_name: "Other", vlan_id: "101" });
    expect(texts(named.text, "#error-field-address")).toEqual([
      "This block overlaps with another network",
    ]);
    expect(named.text).toStartWith("<form");
    expect((await api(alice).get(LIST)).body).toHaveLength(1);
  });

  test("proposes another block when another size is chosen, and the range with it", async () => {
    await aBench();
    const own = await browser(alice);
    const fields = { ...FIELDS, vlan_id: "101", prefix: "26", _validate: "prefix" };
    const { text } = await own.submit(CREATE, fields, { headers: HTMX });
    expect(valuesIn(text, ...ENDS)).toEqual(["10.8.1.0/26", "10.8.1.1", "10.8.1.61", "10.8.1.62"]);
  });

  test("lets the range follow the size until somebody typed it, also without scripting", async () => {
    await aLaboratory();
    const own = await browser(alice);
    const { text } = await own.get(`${CREATE}?scope=Laboratory`);
    const values = [...ENDS, "vlan_id"].map((name, at) => [
      name,
      valuesIn(text, ...ENDS, "vlan_id")[at],
    ]);
    const _proposed = elements(text, "input[name=_proposed]")[0]?.attributes.value ?? "";
    const shown = {
      ...FIELDS,
      ...Object.fromEntries(values),
      prefix: "22",
      _proposed,
    };
    const large = ["10.8.0.0/22", "10.8.0.1", "10.8.3.253", "10.8.3.254"];
    const sized = await own.submit(CREATE, { ...shown, _validate: "prefix" }, { headers: HTMX });
    expect(valuesIn(sized.text, ...ENDS)).toEqual(large);
    const typed = { ...shown, first_ip: "10.8.0.10", _validate: "prefix" };
    const some = await own.submit(CREATE, typed, { headers: HTMX });
    expect(valuesIn(some.text, ...ENDS)).toEqual(large.with(1, "10.8.0.10"));
    expect((await own.submit(CREATE, shown)).status).toBe(303);
    const [made] = (await api(alice).get(LIST)).body;
    expect([made.address, made.first_ip, made.last_ip, made.gateway]).toEqual(large);
  });

  test("asks before it saves a range that leaves out more than half of the block", async () => {
    const { id } = await aBench();
    await api(alice).delete(`${LIST}/${id}`);
    const own = await browser(alice);
    const small = { ...FIELDS, address: "10.8.0.0/22" };
    const asked = await own.submit(CREATE, small);
    expect(asked.status).toBe(422);
    expect(texts(asked.text, "#error-field-last_ip")).toEqual([
      "This range leaves out 82 % of 10.8.0.0/22; tick the box below to use it",
    ]);
    expect(texts(asked.text, "label[for=field-force]")).toEqual(["Use this range anyway"]);
    expect((await api(alice).get(LIST)).body).toEqual([]);
    expect((await own.submit(CREATE, { ...small, force: "true" })).status).toBe(303);
    const { text } = await own.get(EDIT);
    expect(texts(text, "label[for=field-force]")).toEqual([]);
    const { scope, vlan_id, ...edited } = { ...small, domain: valueOfDomain(text), version: "1" };
    const described = { ...edited, description: "Racks" };
    expect((await own.submit(EDIT, described)).status).toBe(303);
    const smaller = { ...described, last_ip: "10.8.0.20", version: "2" };
    expect((await own.submit(EDIT, smaller)).status).toBe(422);
    expect((await own.submit(EDIT, { ...smaller, force: "true" })).status).toBe(303);
  });

  test("keeps what a user typed, though it is wrong", async () => {
    await aLaboratory();
    const own = await browser(alice);
    const fields = { ...FIELDS, first_ip: "10.7.0.1", _validate: "first_ip" };
    const { text } = await own.submit(CREATE, fields, { headers: HTMX });
    expect(valuesIn(text, "first_ip")).toEqual(["10.7.0.1"]);
    expect(texts(text, "#error-field-first_ip")).toEqual(["Use an address inside 10.8.0.0/24"]);
  });
});

describe("GET and POST /network/networks/edit/(vlan_name)", () => {
  const { scope, vlan_id, ...EDITED } = FIELDS;

  test("change the edited fields", async () => {
    const { id, domain } = await aBench();
    const own = await browser(alice);
    const fields = { ...EDITED, domain, version: "1", vlan_name: "Benches", description: "Long" };
    const saved = await own.submit(EDIT, fields);
    expect(saved.headers.get("location")).toBe(`${LIST}/view/Benches`);
    const { body } = await api(alice).get(`${LIST}/${id}`);
    expect(body).toMatchObject({
      vlan_name: "Benches",
      description: "Long",
      address: "10.8.0.0/24",
    });
    expect((await own.get(EDIT)).headers.get("location")).toBe(`${LIST}/edit/Benches`);
  });

  test("name every interface that would be outside", async () => {
    const { domain } = await aBench();
    for (const ip of ["10.8.0.20", "10.8.0.130", "10.8.0.140"]) {
      await anInterface({ network: "Bench", ip, name: `at-${ip.replaceAll(".", "-")}` });
    }
    const own = await browser(alice);
    const shrunk = { address: "10.8.0.0/25", last_ip: "10.8.0.100", gateway: "10.8.0.126" };
    const refused = await own.submit(EDIT, { ...EDITED, ...shrunk, domain, version: "1" });
    expect(refused.status).toBe(422);
    expect(texts(refused.text, "#error-field-address")).toEqual([
      "The interface at-10-8-0-130 at 10.8.0.130 would be outside",
    ]);
    expect(texts(refused.text, ".outside .mono")).toEqual(["10.8.0.130", "10.8.0.140"]);
    expect(texts(refused.text, ".outside p")).toEqual([
      "2 interfaces would be outside the network:",
    ]);
  });

  test("list who would lose access to what, before a network becomes sensitive", async () => {
    await aBench();
    await aHost({ name: "crate" });
    const main = await anInterface({ host: "crate", name: "crate", network: "Bench" });
    const { vlan_name } = await aNetwork({
      scope: "Laboratory",
      vlan_id: 101,
      address: "10.8.9.0/24",
    });
    await anInterface({ host: "crate", network: vlan_name });
    await aCname({ interface_id: main.id });
    const { text } = await (await browser(alice)).get(EDIT);
    expect(text).toContain("This would hide 1 host, 2 interfaces, 1 cname from all others.");
  });

  test("do not overwrite a concurrent change", async () => {
    const { id, domain } = await aBench();
    await api(alice).patch(`${LIST}/${id}`, { description: "Theirs" });
    const own = await browser(alice);
    const fields = { ...EDITED, domain, first_ip: "10.8.0.20" };
    const late = await own.submit(EDIT, { ...fields, version: "1" });
    expect(late.status).toBe(412);
    expect(texts(late.text, ".note th[scope=row]")).toEqual(["First address", "Description"]);
    expect(texts(late.text, "#field-description")).toEqual(["Theirs"]);
    const [version = ""] = elements(late.text, "input[name=version]").map(
      ({ attributes }) => attributes.value,
    );
    const again = await own.submit(EDIT, { ...fields, description: "Theirs", version });
    expect(again.status).toBe(303);
    const { body } = await api(alice).get(`${LIST}/${id}`);
    expect(body).toMatchObject({ description: "Theirs", first_ip: "10.8.0.20" });
  });

  test("are allowed for admins only", async () => {
    await aBench();
    const own = await browser(dave);
    expect((await own.get(EDIT)).status).toBe(403);
    expect((await own.submit(EDIT, EDITED)).status).toBe(403);
  });
});
