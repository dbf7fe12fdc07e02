import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aLocation,
  alice,
  anItem,
  api,
  aStatus,
  bob,
  carol,
  inOrder,
  namesOf,
  visit,
} from "../support/mod.ts";

const LIST = "/inventory/attributes/location";

async function namesOn(own: Awaited<ReturnType<typeof browser>>, path: string): Promise<string[]> {
  return texts((await own.get(path)).text, "td a.open");
}

describe("GET /inventory/attributes/(kind)", () => {
  test("shows the attributes of a kind, named in any case, in the singular or the plural", async () => {
    await aStatus({ name: "In service" });
    const own = await browser(carol);
    for (const kind of ["Status", "status", "STATUS", "statuses"]) {
      expect(await namesOn(own, `/inventory/attributes/${kind}`)).toEqual(["In service"]);
    }
    expect((await own.get("/inventory/attributes/gadget")).status).toBe(404);
  });

  test("filters, sorts and pages by its URL", async () => {
    await inOrder(["Hall B", "Hall A", "Yard"].map((name) => () => aLocation({ name })));
    const own = await browser(carol);
    expect(await namesOn(own, `${LIST}?sort=-name`)).toEqual(["Yard", "Hall B", "Hall A"]);
    expect(await namesOn(own, `${LIST}?q=hall`)).toEqual(["Hall A", "Hall B"]);
    expect(await namesOn(own, `${LIST}?name__startswith=Y`)).toEqual(["Yard"]);
    expect(await namesOn(own, `${LIST}?per_page=2&page=2`)).toEqual(["Yard"]);
    expect(await namesOn(own, `${LIST}?q=&sort=&name__contains=`)).toHaveLength(3);
  });

  test("has real links for sorting and pages that keep the filter", async () => {
    await inOrder(["Hall A", "Hall B", "Yard"].map((name) => () => aLocation({ name })));
    const own = await browser(carol);
    const { text } = await own.get(`${LIST}?name__contains=hall&per_page=1`);
    const next = elements(text, "nav.pages a[rel=next]")[0]!.attributes.href!;
    expect(await namesOn(own, next)).toEqual(["Hall B"]);
    expect(texts(text, "ul.chips b")).toEqual(["hall"]);
    const without = elements(text, "ul.chips a")[0]!.attributes.href!;
    expect(await namesOn(own, without)).toEqual(["Hall A"]);
  });

  test("returns only the region of the list to htmx", async () => {
    await aLocation({ name: "Hall A" });
    const own = await browser(carol);
    const { status, text } = await own.get(LIST, { headers: HTMX });
    expect(status).toBe(200);
    expect(text).toStartWith('<div id="list"');
    expect(text).not.toContain("<html");
  });

  test("shows only the chosen columns", async () => {
    await aLocation();
    const { text } = await (await browser(carol)).get(`${LIST}?cols=items`);
    expect(elements(text, "td[data-label=Items]")).toHaveLength(1);
    expect(elements(text, "td[data-label=Description]")).toHaveLength(0);
  });

  test("counts the items in a location and in those inside of it, and leads to them", async () => {
    await aLocation({ name: "Hall A" });
    await aLocation({ name: "Rack 1", parent: "Hall A" });
    await aLocation({ name: "Yard" });
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    await anItem({ ics_id: "AAA002", location: "Rack 1" });
    const own = await browser(carol);
    const { text } = await own.get(`${LIST}?sort=-items`);
    expect(texts(text, "td[data-label=Items]")).toEqual(["2", "1", "0"]);
    const [all, ofRack] = elements(text, "td[data-label=Items] a").map(
      ({ attributes }) => attributes.href!,
    );
    expect(texts((await own.get(all!)).text, "td[data-label=Label]")).toEqual([
      ...["AAA001", "AAA002"],
    ]);
    expect(texts((await own.get(ofRack!)).text, "td[data-label=Label]")).toEqual(["AAA002"]);
  });

  test("distinguishes an empty list from one without matches", async () => {
    const own = await browser(carol);
    expect(texts((await own.get(LIST)).text, ".empty p")).toEqual([
      ...["No locations yet", "Users in the group inventory and admins add them"],
    ]);
    await aLocation({ name: "Hall A" });
    expect(texts((await own.get(`${LIST}?q=zzz`)).text, ".empty p")).toEqual([
      "No matching locations",
    ]);
    const past = await own.get(`${LIST}?page=7`);
    expect(past.status).toBe(200);
    expect(texts(past.text, ".empty p")).toEqual(["This page is past the end of the list"]);
  });

  test("says what is wrong with a URL and links to the list without it", async () => {
    const { status, text } = await (await browser(carol)).get(`${LIST}?colour=red`);
    expect(status).toBe(422);
    expect(text).toContain("colour");
    expect(elements(text, `a[href="${LIST}"]`)).not.toHaveLength(0);
  });

  test("shows the selected one with its code, and its form to those who may change it", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const shown = await (await browser(bob)).get(`${LIST}?selected=${id}`);
    expect(texts(shown.text, "aside figcaption")).toEqual(["CSE:location:Hall A"]);
    expect(elements(shown.text, "aside input[name=version]")[0]!.attributes.value).toBe("1");
    const read = await (await browser(carol)).get(`${LIST}?selected=${id}`);
    expect(elements(read.text, "aside form")).toHaveLength(0);
    expect((await (await browser(carol)).get(`${LIST}?selected=999`)).status).toBe(404);
  });
});

describe("POST /inventory/attributes/(kind)", () => {
  test("adds one and shows it", async () => {
    const own = await browser(bob);
    const added = await own.submit(LIST, { name: " Hall A ", description: "" });
    expect(added.status).toBe(303);
    const { text } = await own.get(added.headers.get("location")!);
    expect(texts(text, "aside h2")).toEqual(["Hall A"]);
    expect(texts(text, "#toasts .toast p")).toEqual(["Added Hall A"]);
    const { body } = await api(bob).get("/inventory/locations");
    expect(body[0]).toMatchObject({ name: "Hall A", description: null });
  });

  test("shows a refused form filled in, with the error beside its field", async () => {
    await aLocation({ name: "Hall A" });
    const own = await browser(bob);
    const { status, text } = await own.submit(LIST, { name: "hall a", description: "The same" });
    expect(status).toBe(422);
    expect(texts(text, "#error-new-name")).toEqual(["This name is taken"]);
    const input = elements(text, "#new-name")[0]!.attributes;
    expect(input).toMatchObject({ value: "hall a", "aria-invalid": "true" });
    expect(elements(text, "#new-description")[0]!.attributes.value).toBe("The same");
    expect((await api(bob).get("/inventory/locations")).body).toHaveLength(1);
  });

  test("changes one, and a blank clears a field", async () => {
    const { id } = await aLocation({ name: "Hall A", description: "Old" });
    const own = await browser(bob);
    const fields = {
      action: "update",
      id: String(id),
      version: "1",
      name: "Hall B",
      description: "",
    };
    expect((await own.submit(LIST, fields)).status).toBe(303);
    const { body } = await api(bob).get(`/inventory/locations/${id}`);
    expect(body).toMatchObject({ name: "Hall B", description: null });
  });

  test("does not overwrite a concurrent change", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(alice).patch(`/inventory/locations/${id}`, { description: "Theirs" });
    const own = await browser(bob);
    const fields = { action: "update", id: String(id), name: "Hall A", description: "Mine" };
    const { status, text } = await own.submit(LIST, { ...fields, version: "1" });
    expect(status).toBe(412);
    expect(texts(text, ".note.warn td")).toEqual([
      "Hall A",
      "Hall A",
      "Theirs",
      "Mine",
      "",
      "",
      "",
      "",
    ]);
    expect((await api(bob).get(`/inventory/locations/${id}`)).body.description).toBe("Theirs");
    const version = elements(text, "aside input[name=version]")[0]!.attributes.value!;
    expect((await own.submit(LIST, { ...fields, version })).status).toBe(303);
    expect((await api(bob).get(`/inventory/locations/${id}`)).body.description).toBe("Mine");
  });

  test("asks for confirmation, and then deletes", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(alice);
    const fields = { action: "delete", id: String(id) };
    const asked = await own.submit(LIST, fields);
    expect(asked.status).toBe(200);
    expect(texts(asked.text, "h1")).toEqual(["Delete Hall A?"]);
    expect((await api(alice).get(`/inventory/locations/${id}`)).status).toBe(200);
    expect((await own.submit(LIST, { ...fields, confirmed: "true" })).status).toBe(303);
    expect((await api(alice).get(`/inventory/locations/${id}`)).status).toBe(404);
  });

  test("keeps the form of one that is in use, and leads to what uses it", async () => {
    const { id } = await aLocation({ name: "Hall A", description: "Shelves 1 to 40" });
    await anItem({ location: "Hall A" });
    const own = await browser(alice);
    const { status, text } = await own.submit(LIST, {
      action: "delete",
      id: String(id),
      confirmed: "true",
    });
    expect([status, texts(text, "aside [role=alert]")]).toEqual([
      422,
      ["This location is in use by 1 item. Open Hall A to see what uses it, and change that first"],
    ]);
    expect(elements(text, "aside [role=alert] a")[0]?.attributes.href).toBe(`${LIST}/Hall%20A`);
    expect(elements(text, "aside [name=name]")[0]?.attributes.value).toBe("Hall A");
    expect(texts(text, "aside textarea[name=description]")).toEqual(["Shelves 1 to 40"]);
  });

  test("refuses readers before it reads anything else", async () => {
    const { id } = await aLocation();
    const update = { action: "update", id: String(id), name: "X" };
    const remove = { action: "delete", id: String(id), confirmed: "true" };
    expect((await (await browser(carol)).submit(LIST, update)).status).toBe(403);
    expect((await (await browser(bob)).submit(LIST, remove)).status).toBe(403);
    expect((await api(alice).get(`/inventory/locations/${id}`)).status).toBe(200);
  });

  test("does not change the actions", async () => {
    const own = await browser(alice);
    const path = "/inventory/attributes/Action";
    expect((await own.submit(path, { name: "Explode" })).status).toBe(422);
    expect(await namesOn(own, path)).toHaveLength(7);
  });

  test("refuses requests of another site", async () => {
    const { cookie } = await browser(alice);
    const { status } = await visit(LIST, {
      method: "POST",
      body: new URLSearchParams({ name: "Planted" }),
      headers: { cookie, "sec-fetch-site": "cross-site" },
    });
    expect(status).toBe(403);
    expect(namesOf((await api(alice).get("/inventory/locations")).body)).toEqual([]);
  });

  test("refuses unknown actions", async () => {
    const own = await browser(bob);
    for (const action of ["constructor", "toString", "burn"]) {
      expect([action, (await own.submit(LIST, { action })).status]).toEqual([action, 422]);
      expect((await own.submit("/user/profile", { action })).status).toBe(422);
    }
  });

  test("escapes markup in texts", async () => {
    const name = `<hx-a hx-get=/x hx-trigger=load x>"'<script>alert(1)</script>`;
    const { id } = await aLocation({
      name,
      description: "</textarea><img src=x onerror=alert(1)>",
    });
    const { text } = await (await browser(bob)).get(`${LIST}?selected=${id}`);
    expect(texts(text, "aside h2")).toHaveLength(1);
    expect(elements(text, "main script, main img, hx-a")).toEqual([]);
    expect(text).not.toContain("<hx-a");
  });
});

describe("GET /inventory/_retrieve_attributes/(kind)", () => {
  test("returns JSON, or the list for htmx", async () => {
    const { id } = await aStatus({ name: "In service" });
    const own = await browser(carol);
    const path = "/inventory/_retrieve_attributes/Status";
    const { body, headers } = await own.get(path, { headers: { accept: "*/*" } });
    expect(body.data).toMatchObject([{ id, name: "In service", favorite: false, items: 0 }]);
    expect(headers.get("x-total-count")).toBe("1");
    expect((await own.get(path, { headers: HTMX })).text).toStartWith('<div id="list"');
    expect((await own.get("/inventory/_retrieve_attributes/gadget")).status).toBe(404);
  });
});
