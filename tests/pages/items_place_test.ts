import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, alice, anItem, api, aStatus, bob, carol } from "../support/mod.ts";

const VIEW = "/inventory/items/view/AAA001";
const PLACE = "/inventory/items/place/AAA001";
const ITEM = "/inventory/items/AAA001";

async function twoHalls(): Promise<void> {
  await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
}

async function versionIn(text: string): Promise<string> {
  return elements(text, "form[action*='/place/'] input[name=version]")[0]!.attributes.value!;
}

describe("POST /inventory/items/place/(ics_id)", () => {
  test("moves an item with its contents, says so, and can be undone", async () => {
    await twoHalls();
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const crate = await anItem({ ics_id: "AAA002", parent_id: rack.id });
    await anItem({ ics_id: "AAA003", parent_id: crate.id });
    const own = await browser(bob);
    const shown = await own.get(VIEW);
    expect(texts(shown.text, "form[action*='/place/'] .hint")[0]).toBe(
      "Also changes 2 items inside it",
    );
    const version = await versionIn(shown.text);
    const { status, headers } = await own.submit(PLACE, { version, location: "hall b" });
    expect([status, headers.get("location")]).toEqual([303, VIEW]);
    const { text } = await own.get(VIEW);
    expect(texts(text, "#toasts p")).toEqual(["Moved AAA001 and 2 items"]);
    expect((await api(bob).get("/inventory/items/AAA003")).body.location).toBe("Hall B");
    await own.submit(elements(text, "#toasts form")[0]!.attributes.action!, { next: VIEW });
    const { body } = await api(bob).get("/inventory/items?location=Hall A");
    expect(body).toHaveLength(3);
  });

  test("asks whether it leaves a parent that stays elsewhere, and takes it out unless told otherwise", async () => {
    await twoHalls();
    const rack = await anItem({ ics_id: "AAA000", location: "Hall A" });
    const crate = await anItem({ ics_id: "AAA001", parent_id: rack.id });
    for (const ics_id of ["AAA002", "AAA003"]) await anItem({ ics_id, parent_id: crate.id });
    const own = await browser(bob);
    const asked = await own.submit(PLACE, { location: "Hall B" });
    expect([asked.status, ...texts(asked.text, "p.error")]).toEqual([
      422,
      "AAA001 leaves AAA000, and 2 items inside move along; choose below, then save again",
    ]);
    expect((await api(bob).get(ITEM)).body.location).toBe("Hall A");
    expect(texts(asked.text, "details[open] .check label")).toEqual(["Take it out of its parent"]);
    const box = elements(asked.text, "details[open] input[type=checkbox][name=leave_parent]")[0]!;
    expect("checked" in box.attributes).toBe(true);
    await own.submit(PLACE, { location: "Hall B", leave_parent: "false" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: "AAA000", location: "Hall B" });
    await own.submit(PLACE, { location: "Hall A" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: "AAA000", location: "Hall A" });
    await own.submit(PLACE, { location: "Hall B", leave_parent: "true" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: null, location: "Hall B" });
    expect((await api(bob).get("/inventory/items/AAA003")).body.location).toBe("Hall B");
  });

  test("changes the status, and puts it into a parent or out of it", async () => {
    await twoHalls();
    await aStatus({ name: "Used" });
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    await anItem({ ics_id: "AAA002", location: "Hall B" });
    const own = await browser(bob);
    await own.submit(PLACE, { status: "Used" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ status: "Used", location: "Hall A" });
    await own.submit(PLACE, { parent: "aaa002" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: "AAA002", location: "Hall B" });
    await own.submit(PLACE, { parent: "" });
    expect((await api(bob).get(ITEM)).body).toMatchObject({ parent: null, location: "Hall B" });
  });

  test("changes nothing where nothing else was chosen", async () => {
    await twoHalls();
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    const own = await browser(bob);
    await own.submit(PLACE, { location: "hall a" });
    const { text } = await own.get(VIEW);
    expect(texts(text, "#toasts .toast")).toEqual(["No changes"]);
    expect((await api(bob).get(ITEM)).body.user).toBe("alice");
  });

  test("opens a refused form with its input and the reason", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    for (const [fields, error] of [
      [{ location: "Nowhere" }, 'There is no location "Nowhere"'],
      [{ parent: "AAA001" }, "An item cannot be inside itself or its own contents"],
      [{ parent: "x" }, "Use three letters and three digits, such as AAA001"],
    ] as const) {
      const { status, text } = await own.submit(PLACE, fields);
      expect([status, ...texts(text, "p.error")]).toEqual([422, error]);
      const [name, value] = Object.entries(fields)[0]!;
      const open = elements(text, "details[open] input:not([type=hidden])");
      expect(
        open.map(({ attributes }) => [attributes.name, attributes.value]),
        error,
      ).toEqual([[name, value]]);
    }
    expect((await own.submit(PLACE, {})).status).toBe(422);
    expect((await own.submit("/inventory/items/place/AAA999", { parent: "" })).status).toBe(404);
  });

  test("asks again after a concurrent change, and then accepts it", async () => {
    await twoHalls();
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const version = await versionIn((await own.get(VIEW)).text);
    await api(alice).patch(ITEM, { location: "Hall A" });
    const late = await own.submit(PLACE, { version, location: "Hall B" }, { headers: HTMX });
    expect(late.status).toBe(412);
    expect(texts(late.text, "p.error")).toEqual([
      "Changed by another user; save again to keep your value",
    ]);
    expect((await api(bob).get(ITEM)).body.location).toBe("Hall A");
    const again = { version: await versionIn(late.text), location: "Hall B" };
    const { status, text } = await own.submit(PLACE, again, { headers: HTMX });
    expect(status).toBe(200);
    expect(texts(text, ".toast p")).toEqual(["Moved AAA001"]);
    expect(texts(text, "#history .differences li")[0]).toBe("Location Hall A → Hall B");
  });

  test("is allowed for editors only", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(carol);
    expect((await own.submit(PLACE, { parent: "" })).status).toBe(403);
    expect(elements((await own.get(VIEW)).text, "main form:not(.watch)")).toEqual([]);
  });
});
