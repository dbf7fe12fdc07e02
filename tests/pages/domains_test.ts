import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aDomain,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  carol,
  dave,
  inOrder,
  namesOf,
} from "../support/mod.ts";

const LIST = "/network/domains";
const COUNTS = ["Scopes", "Networks", "Hosts"];

async function countsFor(person: typeof alice): Promise<string[]> {
  const { text } = await (await browser(person)).get(LIST);
  return COUNTS.map((label) => texts(text, `td[data-label=${label}]`)[0]!);
}

describe("GET /network/domains", () => {
  test("counts the visible records of each", async () => {
    const { id } = await aDomain({ name: "lab.example.org" });
    const { name: scope } = await aScope({ domain_id: id });
    const open = await aNetwork({ scope });
    const hidden = await aNetwork({ scope, sensitive: true });
    await anInterface({ network: open.vlan_name });
    await anInterface({ network: hidden.vlan_name });
    expect(await countsFor(alice)).toEqual(["1", "2", "2"]);
    expect(await countsFor(carol)).toEqual(["1", "1", "1"]);
  });

  test("is sorted and filtered by its URL, and returns only the list to htmx", async () => {
    await inOrder(["a.org", "b.org", "c.net"].map((name) => () => aDomain({ name })));
    const own = await browser(carol);
    const { text } = await own.get(`${LIST}?sort=-name&name__contains=org`);
    expect(texts(text, "td a.open")).toEqual(["b.org", "a.org"]);
    expect((await own.get(LIST, { headers: HTMX })).text).toStartWith('<div id="list"');
    expect((await own.get(`${LIST}?colour=red`)).status).toBe(422);
  });

  test("offers to add and to delete to admins only", async () => {
    await aDomain();
    const { text } = await (await browser(dave)).get(LIST);
    expect(elements(text, "td form, a[href$='/create']")).toEqual([]);
    expect((await (await browser(dave)).get(`${LIST}/create`)).status).toBe(403);
  });
});

describe("POST /network/domains/create", () => {
  test("adds one, in lower case", async () => {
    const own = await browser(alice);
    const added = await own.submit(`${LIST}/create`, { name: "Lab.Example.org" });
    expect([added.status, added.headers.get("location")]).toEqual([303, LIST]);
    expect(namesOf((await api(alice).get(LIST)).body)).toEqual(["lab.example.org"]);
  });

  test("shows a refused form filled in, with the error beside its field", async () => {
    await aDomain({ name: "lab.example.org" });
    const own = await browser(alice);
    const refused = await own.submit(`${LIST}/create`, { name: "lab.example.org" });
    expect(refused.status).toBe(422);
    expect(texts(refused.text, "#error-field-name")).toEqual(["This name is taken"]);
    expect(elements(refused.text, "#field-name")[0]!.attributes.value).toBe("lab.example.org");
    expect((await own.submit(`${LIST}/create`, { name: "-" })).status).toBe(422);
  });
});

describe("POST /network/domains/delete", () => {
  test("asks on a page of its own, and then deletes", async () => {
    const { id } = await aDomain({ name: "lab.example.org" });
    const own = await browser(alice);
    const asked = await own.submit(`${LIST}/delete`, { id: String(id) });
    expect(texts(asked.text, "h1")).toEqual(["Delete lab.example.org?"]);
    expect((await api(alice).get(`${LIST}/${id}`)).status).toBe(200);
    const fields = { id: String(id), confirmed: "true" };
    expect((await own.submit(`${LIST}/delete`, fields)).status).toBe(303);
    expect((await api(alice).get(`${LIST}/${id}`)).status).toBe(404);
  });

  test("says by how many records a domain is used", async () => {
    const { id } = await aDomain();
    await aScope({ domain_id: id });
    const own = await browser(alice);
    const kept = await own.submit(`${LIST}/delete`, { id: String(id), confirmed: "true" });
    expect(kept.status).toBe(422);
    expect(texts(kept.text, `#row-${id} .error`)).toEqual(["This domain is in use by 1 scope"]);
  });

  test("refuses those who may not, and an invalid key", async () => {
    const { id } = await aDomain();
    const fields = { id: String(id), confirmed: "true" };
    expect((await (await browser(dave)).submit(`${LIST}/delete`, fields)).status).toBe(403);
    const own = await browser(alice);
    expect((await own.submit(`${LIST}/delete`, { id: "x" })).status).toBe(404);
    expect((await own.submit(`${LIST}/delete`, { id: "99999" })).status).toBe(404);
  });
});
