import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, alice, anItem, api, aSiteField, aStatus, bob, carol } from "../support/mod.ts";

const EDIT = "/inventory/items/edit/AAA001";
const VIEW = "/inventory/items/view/AAA001";
const ITEM = "/inventory/items/AAA001";

/** The fields of the unchanged form, as a browser sends them. */
function fieldsOf(html: string): Record<string, string> {
  const inputs = elements(html, "form.item input[name]:not([type=checkbox])");
  const chosen = elements(html, "form.item option[selected]")[0]?.attributes.value ?? "";
  const pairs = inputs.map(({ attributes }) => [attributes.name, attributes.value ?? ""]);
  return { ...Object.fromEntries(pairs), stack_member: chosen };
}

describe("POST /inventory/items/edit/(ics_id)", () => {
  test("changes the edited fields and says so", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    await anItem({ ics_id: "AAA001", location: "Hall A", quantity: 2 });
    const own = await browser(bob);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const { status, headers } = await own.submit(EDIT, { ...fields, location: "Hall B" });
    expect(status).toBe(303);
    const { text } = await own.get(headers.get("location")!);
    expect(texts(text, "#toasts p")).toEqual(["Saved AAA001: location changed"]);
    expect((await api(bob).get(ITEM)).body).toMatchObject({ location: "Hall B", quantity: 2 });
  });

  test("names fields of the site by their labels", async () => {
    await aSiteField({ record: "item", key: "rp_class", label: "RP class", type: "text" });
    await aSiteField({ record: "item", key: "price", label: "Price", type: "number" });
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const fields = fieldsOf((await own.get(EDIT)).text);
    await own.submit(EDIT, { ...fields, quantity: "2", "site.rp_class": "A" });
    expect(texts((await own.get(VIEW)).text, "#toasts p")).toEqual([
      "Saved AAA001: quantity and RP class changed",
    ]);
  });

  test("clears blank fields, and changes nothing where nothing was edited", async () => {
    await aStatus({ name: "Used" });
    await anItem({ ics_id: "AAA001", status: "Used" });
    const own = await browser(bob);
    const fields = fieldsOf((await own.get(EDIT)).text);
    await own.submit(EDIT, fields);
    expect(texts((await own.get(VIEW)).text, "#toasts .toast")).toEqual(["No changes"]);
    expect((await api(bob).get(ITEM)).body.user).toBe("alice");
    await own.submit(EDIT, { ...fields, status: "" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ status: null, user: "bob" });
  });

  test("takes location and status of a new parent, unless others are given with it", async () => {
    await Promise.all(["Hall A", "Hall B", "Hall C"].map((name) => aLocation({ name })));
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    await anItem({ ics_id: "AAA002", location: "Hall B" });
    const own = await browser(bob);
    const fields = fieldsOf((await own.get(EDIT)).text);
    await own.submit(EDIT, { ...fields, parent: "AAA002" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: "AAA002", location: "Hall B" });
    const later = fieldsOf((await own.get(EDIT)).text);
    await own.submit(EDIT, { ...later, parent: "", location: "Hall C" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: null, location: "Hall C" });
  });

  test("asks whether an item with a new location leaves its parent, together with all errors", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    const rack = await anItem({ ics_id: "AAA000", location: "Hall A" });
    await anItem({ ics_id: "AAA001", parent_id: rack.id });
    const own = await browser(bob);
    const fields = { ...fieldsOf((await own.get(EDIT)).text), location: "Hall B" };
    const asked = await own.submit(EDIT, { ...fields, model: "None" });
    expect([asked.status, texts(asked.text, "p.error")]).toEqual([
      422,
      ['There is no model "None"', "AAA001 leaves AAA000; choose below, then save again"],
    ] as any);
    const box = "form.item input[type=checkbox][name=leave_parent]";
    expect("checked" in elements(asked.text, box)[0]!.attributes).toBe(true);
    const kept = { ...fields, leave_parent: "false" };
    const again = await own.submit(EDIT, { ...kept, model: "None" });
    expect(texts(again.text, "p.error")).toEqual(['There is no model "None"']);
    expect("checked" in elements(again.text, box)[0]!.attributes).toBe(false);
    await own.submit(EDIT, kept);
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: "AAA000", location: "Hall B" });
    const now = fieldsOf((await own.get(EDIT)).text);
    const left = await own.submit(EDIT, { ...now, location: "", leave_parent: "true" });
    const { text } = await own.get(left.headers.get("location")!);
    expect(texts(text, "#toasts p").at(-1)).toBe("Saved AAA001: location and parent changed");
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: null, location: null });
  });

  test("replaces a temporary id by a label, and no label by another", async () => {
    const { ics_id } = await anItem();
    const own = await browser(bob);
    const path = `/inventory/items/edit/${ics_id}`;
    const form = await own.get(path);
    expect(elements(form.text, "input[name=ics_id]")[0]!.attributes.value ?? "").toBe("");
    const { headers } = await own.submit(path, { ...fieldsOf(form.text), ics_id: "aaa001" });
    expect(headers.get("location")).toBe(VIEW);
    const labelled = await own.get(EDIT);
    expect(elements(labelled.text, "input[name=ics_id]")).toEqual([]);
    expect(texts(labelled.text, "form .hint")[0]).toBe(
      "Printed on a label, so it cannot be changed",
    );
    const forged = { ...fieldsOf(labelled.text), ics_id: "AAA002" };
    expect((await own.submit(EDIT, forged)).status).toBe(422);
  });

  test("shows your, their and the former values after a conflict, and overwrites nothing", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    await anItem({ ics_id: "AAA001", serial_number: "S-1", location: "Hall A", quantity: 1 });
    const own = await browser(bob);
    const fields = fieldsOf((await own.get(EDIT)).text);
    await api(alice).patch(ITEM, { location: "Hall B", quantity: 5 });
    const late = await own.submit(EDIT, { ...fields, serial_number: "S-2", quantity: "3" });
    expect(late.status).toBe(412);
    expect(texts(late.text, ".note.warn tbody th")).toEqual([
      "Serial number",
      "Quantity",
      "Location",
    ]);
    expect(texts(late.text, ".note.warn td")).toEqual(
      [
        ["S-1", "S-1", "S-2"],
        ["1", "5", "3"],
        ["Hall A", "Hall B", "Hall A"],
      ].flat(),
    );
    expect(texts(late.text, ".note.warn b")).toEqual(["alice"]);
    expect((await api(bob).get(ITEM)).body).toMatchObject({ serial_number: "S-1", quantity: 5 });
    const merged = fieldsOf(late.text);
    expect(merged).toMatchObject({ serial_number: "S-2", quantity: "3", location: "Hall B" });
    expect((await own.submit(EDIT, merged)).status).toBe(303);
    expect((await api(bob).get(ITEM)).body).toMatchObject({
      serial_number: "S-2",
      quantity: 3,
      location: "Hall B",
    });
  });

  test("keeps a hidden host that it does not show", async () => {
    const host_id = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id, stack_member: 3 });
    const own = await browser(bob);
    const form = await own.get(EDIT);
    expect(form.text).not.toContain("canary");
    await own.submit(EDIT, { ...fieldsOf(form.text), quantity: "4" });
    expect((await api(alice).get(ITEM)).body).toMatchObject({
      quantity: 4,
      host: "canary",
      stack_member: 3,
    });
  });

  test("shows a refused form with its input", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const { status, text } = await own.submit(EDIT, { ...fields, parent: "AAA001", quantity: "9" });
    expect(status).toBe(422);
    expect(texts(text, "p.error")).toEqual(["An item cannot be inside itself or its own contents"]);
    expect(fieldsOf(text)).toMatchObject({ parent: "AAA001", quantity: "9", version: "1" });
    expect((await own.submit("/inventory/items/edit/AAA999", fields)).status).toBe(404);
    expect((await (await browser(carol)).submit(EDIT, fields)).status).toBe(403);
  });
});
