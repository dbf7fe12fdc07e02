import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aDomain,
  aHost,
  alice,
  aNetwork,
  api,
  aScope,
  audrey,
  carol,
  dave,
} from "../support/mod.ts";

const LIST = "/network/scopes";
const MEASURES = { first_vlan: 100, last_vlan: 199, supernet: "10.8.0.0/16" };

async function aLaboratory() {
  await aScope({ name: "Laboratory", ...MEASURES });
  const scope = "Laboratory";
  await aNetwork({ scope, vlan_name: "Bench", vlan_id: 100, address: "10.8.0.0/24" });
  await aNetwork({
    scope,
    vlan_name: "Vault",
    vlan_id: 150,
    address: "10.8.128.0/24",
    sensitive: true,
  });
}

async function labelsOn(person: typeof alice, selector: string): Promise<string[]> {
  const { text } = await (await browser(person)).get(`${LIST}/view/Laboratory`);
  return texts(text, `${selector} > title`);
}

describe("GET /network/scopes", () => {
  test("shows the VLANs, the supernet and how much of it is used by networks", async () => {
    await aScope({ name: "Laboratory", first_vlan: 100, last_vlan: 199, supernet: "10.8.0.0/23" });
    await aNetwork({ scope: "Laboratory", vlan_id: 100, address: "10.8.0.0/24" });
    const { text } = await (await browser(carol)).get(LIST);
    expect(texts(text, "td").slice(0, 3)).toEqual(["Laboratory", "100 – 199", "10.8.0.0/23"]);
    expect(elements(text, "td meter")[0]!.attributes.value).toBe("50");
    const sorted = await (await browser(carol)).get(`${LIST}?sort=-utilisation`);
    expect(sorted.status).toBe(200);
  });

  test("counts a sensitive network only for those who may see it", async () => {
    await aLaboratory();
    const countFor = async (person: typeof alice) =>
      texts((await (await browser(person)).get(LIST)).text, "td[data-label=Networks]");
    expect(await countFor(audrey)).toEqual(["2"]);
    expect(await countFor(dave)).toEqual(["1"]);
  });
});

describe("a form without the record that it needs", () => {
  const FORMS = [
    [`${LIST}/create`, "domain", "Choose a domain", { name: "Laboratory" }],
    ["/network/networks/create", "scope", "Choose a scope", { vlan_name: "Bench" }],
    ["/network/interfaces/create/web-01", "network", "Choose a network", { name: "web-01-2" }],
    ["/network/hosts/create", "device_type", "Choose a device type", { name: "web-02" }],
  ] as const;

  test.each(FORMS)("%s asks for a %s beside its field: %s", async (path, field, message, typed) => {
    await aHost({ name: "web-01" });
    const { status, text } = await (await browser(alice)).submit(path, { [field]: "", ...typed });
    expect(status).toBe(422);
    expect(texts(text, `#error-field-${field}`)).toEqual([message]);
    expect(elements(text, `[name="${field}"]`)[0]!.attributes["aria-invalid"]).toBe("true");
    for (const [name, value] of Object.entries(typed)) {
      expect(elements(text, `input[name="${name}"]`)[0]!.attributes.value, name).toBe(value);
    }
  });
});

test("a browser does not send a form in which nothing is chosen", async () => {
  await aScope({ name: "Laboratory", ...MEASURES });
  const { text } = await (await browser(alice)).get("/network/networks/create");
  expect(elements(text, "select[name=scope]")[0]!.attributes.required).toBeDefined();
});

describe("GET /network/scopes/view/(name)", () => {
  test("draws the visible networks, by VLAN and by address", async () => {
    await aLaboratory();
    expect(await labelsOn(carol, ".vlans a")).toEqual(["VLAN 100 Bench"]);
    expect(await labelsOn(carol, ".supernet a")).toEqual(["Bench 10.8.0.0/24"]);
    expect(await labelsOn(audrey, ".supernet a")).toEqual([
      "Bench 10.8.0.0/24",
      "Vault 10.8.128.0/24",
    ]);
  });

  test("links from each gap to a new network, for admins only", async () => {
    await aLaboratory();
    const { text } = await (await browser(alice)).get(`${LIST}/view/Laboratory`);
    const gaps = elements(text, ".supernet a.gap").map(({ attributes }) => attributes.href);
    expect(gaps).toContain("/network/networks/create?scope=Laboratory&address=10.8.1.0%2F24");
    expect(await labelsOn(audrey, ".supernet a.gap")).toEqual([]);
    const plain = await (await browser(carol)).get(`${LIST}/view/Laboratory`);
    expect(plain.text).not.toContain("/network/networks/create");
    expect(plain.text).not.toContain("Vault");
  });

  test("names each network in the picture or beside it, which shows the part that is used", async () => {
    await aLaboratory();
    const scope = "Laboratory";
    const gallery = {
      vlan_name: "Klystron-Gallery-Basement",
      vlan_id: 101,
      address: "10.8.3.0/24",
    };
    await aNetwork({ scope, ...gallery });
    const small = {
      address: "10.8.4.0/28",
      first_ip: "10.8.4.1",
      last_ip: "10.8.4.9",
      gateway: "10.8.4.14",
    };
    await aNetwork({ scope, vlan_name: "Interlocks", vlan_id: 102, ...small });
    const { text } = await (await browser(carol)).get(`${LIST}/view/Laboratory`);
    const named = ["Bench", "10.8.0.0/24", "Klystron-Gallery-", "Basement", "10.8.3.0/24"];
    expect(texts(text, ".supernet text")).toEqual(named);
    expect(texts(text, ".legend > li")).toEqual([
      "Shown is the part with the networks, 10.8.0.0/21 of 10.8.0.0/16",
      "Interlocks 10.8.4.0/28",
    ]);
    const all = await (await browser(audrey)).get(`${LIST}/view/Laboratory`);
    expect(all.text).not.toContain("Shown is the part");
  });

  test("lists the networks", async () => {
    await aLaboratory();
    const { text } = await (await browser(carol)).get(`${LIST}/view/Laboratory`);
    expect(texts(text, "table.list td a.open")).toEqual(["Bench"]);
  });

  test("redirects from a former name, and returns 404 for any other", async () => {
    const { id } = await aScope({ name: "Laboratory" });
    await api(alice).patch(`${LIST}/${id}`, { name: "Workshop" });
    const own = await browser(carol);
    const led = await own.get(`${LIST}/view/Laboratory`);
    expect([led.status, led.headers.get("location")]).toEqual([303, `${LIST}/view/Workshop`]);
    expect((await own.get(`${LIST}/view/workshop-x`)).status).toBe(404);
    expect((await own.get(`${LIST}/view/%00`)).status).toBe(404);
  });
});

describe("POST /network/scopes/create and …/edit/(name)", () => {
  const FIELDS = { name: "Laboratory", first_vlan: "100", last_vlan: "199", description: "" };

  test("create one, with its domain by name", async () => {
    await aDomain({ name: "lab.example.org" });
    const own = await browser(alice);
    const fields = { ...FIELDS, supernet: "10.8.0.0/16", domain: "lab.example.org" };
    const added = await own.submit(`${LIST}/create`, fields);
    expect(added.headers.get("location")).toBe(`${LIST}/view/Laboratory`);
    const { body } = await api(alice).get(LIST);
    expect(body[0]).toMatchObject({ ...MEASURES, domain: "lab.example.org", description: null });
  });

  test("show a refused form, with each error beside its field", async () => {
    const own = await browser(alice);
    const fields = { ...FIELDS, first_vlan: "0", supernet: "10.8.0.1/16", domain: "" };
    const refused = await own.submit(`${LIST}/create`, fields);
    expect(refused.status).toBe(422);
    const wrong = elements(refused.text, "p.error").map(({ attributes }) => attributes.id);
    expect(wrong).toEqual(["error-field-first_vlan", "error-field-supernet", "error-field-domain"]);
    expect(elements(refused.text, "#field-supernet")[0]!.attributes.value).toBe("10.8.0.1/16");
    const nowhere = { ...FIELDS, supernet: "10.8.0.0/16", domain: "no.where" };
    const { text } = await own.submit(`${LIST}/create`, nowhere);
    expect(texts(text, "#error-field-domain")).toEqual(['There is no domain "no.where"']);
  });

  test("refuse to leave a network outside, and name it", async () => {
    await aLaboratory();
    const { text } = await (await browser(alice)).get(`${LIST}/edit/Laboratory`);
    const value = (name: string) => elements(text, `#field-${name}`)[0]!.attributes.value!;
    const version = elements(text, "input[name=version]")[0]!.attributes.value!;
    const [domain = ""] = texts(text, "#field-domain option[selected]");
    const fields = { name: value("name"), version, domain, description: "" };
    const shrunk = { ...fields, first_vlan: "110", last_vlan: "199", supernet: "10.8.0.0/17" };
    const refused = await (await browser(alice)).submit(`${LIST}/edit/Laboratory`, shrunk);
    expect(refused.status).toBe(422);
    expect(texts(refused.text, "#error-field-first_vlan")[0]).toContain("Bench");
    expect(texts(refused.text, "#error-field-supernet")[0]).toContain("Vault");
  });

  test("do not overwrite a concurrent change", async () => {
    const { id, domain } = await aScope({ name: "Laboratory", ...MEASURES });
    await api(alice).patch(`${LIST}/${id}`, { last_vlan: 299 });
    const own = await browser(alice);
    const fields = { ...FIELDS, supernet: "10.8.0.0/16", domain, description: "Benches" };
    const late = await own.submit(`${LIST}/edit/Laboratory`, { ...fields, version: "1" });
    expect(late.status).toBe(412);
    expect(texts(late.text, ".note tbody tr")).toHaveLength(2);
    expect(elements(late.text, "#field-last_vlan")[0]!.attributes.value).toBe("299");
    expect((await api(alice).get(`${LIST}/${id}`)).body.description).toBe(null);
  });

  test("are allowed for admins only", async () => {
    await aScope({ name: "Laboratory" });
    const own = await browser(dave);
    expect((await own.get(`${LIST}/create`)).status).toBe(403);
    expect((await own.get(`${LIST}/edit/Laboratory`)).status).toBe(403);
    expect((await own.submit(`${LIST}/create`, FIELDS)).status).toBe(403);
  });
});

describe("POST /network/scopes/delete", () => {
  test("deletes an empty one after confirmation, and keeps one with networks", async () => {
    await aLaboratory();
    await aScope({ name: "Empty" });
    const own = await browser(alice);
    const kept = await own.submit(`${LIST}/delete`, { name: "Laboratory", confirmed: "true" });
    expect(kept.status).toBe(422);
    expect(texts(kept.text, ".note.bad")).toEqual(["This scope is in use by 2 networks"]);
    expect(texts((await own.submit(`${LIST}/delete`, { name: "Empty" })).text, "h1")).toEqual([
      "Delete Empty?",
    ]);
    await own.submit(`${LIST}/delete`, { name: "Empty", confirmed: "true" });
    expect((await own.get(`${LIST}/view/Empty`)).status).toBe(404);
  });
});
