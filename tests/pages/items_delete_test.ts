import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, anItem, api, bob, carol } from "../support/mod.ts";

const DELETE = "/inventory/items/delete";

describe("POST /inventory/items/delete", () => {
  test("asks first, and says what goes with the item", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await api(bob).post("/inventory/macs", { address: "02:42:42:00:00:01", item_id: id });
    const own = await browser(alice);
    const { text } = await own.submit(DELETE, { ics_id: "AAA001" });
    expect(texts(text, "h1")).toEqual(["Delete AAA001?"]);
    expect(texts(text, "form.sheet p")).toEqual([
      "1 MAC address free to use again. The deletion can be undone",
    ]);
    expect((await api(carol).get("/inventory/items/AAA001")).status).toBe(200);
  });

  test("deletes the item, and offers to undo it", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(alice);
    const done = await own.submit(DELETE, { ics_id: "AAA001", confirmed: "true" });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/inventory/items"]);
    expect((await api(carol).get("/inventory/items/AAA001")).status).toBe(404);
    const { text } = await own.get("/inventory/items");
    expect(texts(text, ".toast p")).toEqual(["Deleted AAA001"]);
    const undo = elements(text, ".toast form")[0]!.attributes.action!;
    await own.submit(undo, { next: "/inventory/items" });
    expect((await api(carol).get("/inventory/items/AAA001")).status).toBe(200);
  });

  test("refuses to delete an item that holds others, and the page says so beforehand", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await anItem({ ics_id: "AAA002", parent_id: id });
    const own = await browser(alice);
    const { text } = await own.get("/inventory/items/view/AAA001");
    expect(texts(text, "aside p")).toEqual([
      "Contains 1 item: remove it first to delete this item",
    ]);
    const refused = await own.submit(DELETE, { ics_id: "AAA001", confirmed: "true" });
    expect(refused.status).toBe(422);
    expect(texts(refused.text, "[role=alert]")[0]).toContain("remove them first");
  });

  test("is for admins", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const form = { ics_id: "AAA001", confirmed: "true" };
    expect((await own.submit(DELETE, form)).status).toBe(403);
    const { text } = await own.get("/inventory/items/view/AAA001");
    expect(elements(text, `form[action="${DELETE}"]`)).toHaveLength(0);
  });
});
