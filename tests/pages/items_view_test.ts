import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, alice, anItem, api, bob, carol } from "../support/mod.ts";

const VIEW = "/inventory/items/view";

describe("GET /inventory/items/view/(ics_id)", () => {
  test("shows the facts, the code, the addresses and the URL of the API", async () => {
    await aLocation({ name: "Hall A" });
    const { id } = await anItem({ ics_id: "AAA001", serial_number: "S-1", location: "Hall A" });
    await api(bob).post("/inventory/macs", { address: "02-42-42-00-00-01", item_id: id });
    const { status, text } = await (await browser(carol)).get(`${VIEW}/AAA001`);
    expect(status).toBe(200);
    expect(texts(text, "h1")).toEqual(["AAA001"]);
    expect(texts(text, "dl.facts dd").slice(0, 3)).toEqual(["S-1", "Hall A", "02:42:42:00:00:01"]);
    expect(elements(text, "svg.qr")[0]!.attributes["aria-label"]).toBe("QR code of AAA001");
    expect(texts(text, ".api code")[0]).toEndWith('/api/v1/inventory/items/AAA001"');
    expect(elements(text, "main form:not(.watch), a[data-key=e]")).toEqual([]);
  });

  test("shows its parents up to the rack, and all of its contents", async () => {
    const rack = await anItem({ ics_id: "AAA001" });
    const crate = await anItem({ ics_id: "AAA002", parent_id: rack.id });
    await anItem({ ics_id: "AAA004", parent_id: crate.id });
    await anItem({ ics_id: "AAA003", parent_id: crate.id });
    const own = await browser(carol);
    const treeOf = async (id: string) =>
      texts((await own.get(`${VIEW}/${id}`)).text, ".tree .mono");
    expect(await treeOf("AAA002")).toEqual(["AAA001", "AAA002", "AAA003", "AAA004"]);
    expect(await treeOf("AAA003")).toEqual(["AAA001", "AAA002", "AAA003"]);
    expect(await treeOf("AAA001")).toHaveLength(4);
  });

  test("shows its history, field by field", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    await api(bob).patch("/inventory/items/AAA001", { location: "Hall B" });
    const { text } = await (await browser(carol)).get(`${VIEW}/AAA001`);
    expect(texts(text, ".timeline > li")).toHaveLength(2);
    expect(texts(text, ".timeline b")[0]).toBe("bob");
    expect(texts(text, ".differences li")[0]).toBe("Location Hall A → Hall B");
  });

  test("warns of others with the same serial number", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "S-1" });
    await anItem({ ics_id: "AAA002", serial_number: "S-1" });
    const { text } = await (await browser(carol)).get(`${VIEW}/AAA001`);
    expect(texts(text, "#twins a")).toEqual(["AAA002"]);
  });

  test("has one URL, and returns 404 for an unknown item", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const own = await browser(carol);
    for (const other of ["aaa001", String(id)]) {
      expect((await own.get(`${VIEW}/${other}`)).headers.get("location")).toBe(`${VIEW}/AAA001`);
    }
    for (const nothing of ["AAA999", "999999", "<script>"]) {
      expect((await own.get(`${VIEW}/${encodeURIComponent(nothing)}`)).status, nothing).toBe(404);
    }
  });

  test("redirects from its temporary id, until another item has that", async () => {
    const { ics_id: temporary } = await anItem();
    await api(bob).patch(`/inventory/items/${temporary}`, { ics_id: "AAA007" });
    const own = await browser(carol);
    const led = async () => (await own.get(`${VIEW}/${temporary}`)).headers.get("location");
    expect(await led()).toBe(`${VIEW}/AAA007`);
    expect(texts((await own.get(`/?q=${temporary}`)).text, ".hits a")).toEqual([
      `${temporary} is called AAA007 now`,
    ]);
    expect((await anItem()).ics_id).toBe(temporary);
    expect(await led()).toBeNull();
  });

  test("says who deleted it", async () => {
    const { id } = await anItem({ ics_id: "AAA999" });
    await api(alice).delete(`/inventory/items/${id}`);
    const { status, text } = await (await browser(carol)).get(`${VIEW}/AAA999`);
    expect([status, texts(text, "h1")]).toEqual([404, ["Not found"]]);
    expect(texts(text, "main p").join()).toMatch(/alice deleted item AAA999, .+Show the change/);
  });

  test("discloses no hidden host", async () => {
    const host_id = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id, stack_member: 3 });
    const hidden = await (await browser(bob)).get(`${VIEW}/AAA001`);
    expect(hidden.text).not.toContain("canary");
    expect(texts(hidden.text, "dl.facts dt")).not.toContain("Stack member");
    const seen = await (await browser(alice)).get(`${VIEW}/AAA001`);
    expect(texts(seen.text, "dl.facts dd")).toContain("canary");
  });
});
