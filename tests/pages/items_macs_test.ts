import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, anItem, api, bob, carol } from "../support/mod.ts";

const VIEW = "/inventory/items/view/AAA001";
const EDIT = "/inventory/items/edit/AAA001";
const MACS = "/inventory/items/macs/AAA001";
const ITEM = "/inventory/items/AAA001";

async function macsOf(path: string): Promise<string[]> {
  return (await api(bob).get(path)).body.macs;
}

async function registered(): Promise<Array<string | null>> {
  const { body } = await api(bob).get("/inventory/macs");
  return body.map(({ address, item }: any) => `${address} ${item}`);
}

describe("POST /inventory/items/macs/(ics_id)", () => {
  test("adds addresses, in any notation, and the page says so", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const { status, headers } = await own.submit(MACS, {
      macs: "0242.4200.0001 02-42-42-00-00-02",
      next: `${VIEW}?in=q%3DA`,
    });
    expect(status).toBe(303);
    expect(headers.get("location")).toBe(`${VIEW}?in=q%3DA`);
    const { text } = await own.get(VIEW);
    expect(texts(text, "#toasts p")).toEqual(["Added 2 MAC addresses"]);
    expect(texts(text, ".timeline li").filter((one) => one.includes("MAC address"))).toHaveLength(
      2,
    );
    expect(await macsOf(ITEM)).toEqual(["02:42:42:00:00:01", "02:42:42:00:00:02"]);
  });

  test("removes one, which stays registered without an item, and can be undone", async () => {
    const { id: item_id } = await anItem({ ics_id: "AAA001" });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id });
    const own = await browser(bob);
    const shown = await own.get(VIEW);
    expect(elements(shown.text, "input[name=free]").map((one) => one.attributes.value)).toEqual([
      "02:42:42:00:00:01",
    ]);
    await own.submit(MACS, { free: "02:42:42:00:00:01" });
    expect(await registered()).toEqual(["02:42:42:00:00:01 null"]);
    const { text } = await own.get(VIEW);
    expect(texts(text, "#toasts p")).toEqual(["Removed 1 MAC address"]);
    const undo = elements(text, "#toasts form")[0]!.attributes.action!;
    const undone = await own.submit(undo, { next: VIEW });
    expect(undone.headers.get("location")).toBe(VIEW);
    expect(await registered()).toEqual(["02:42:42:00:00:01 AAA001"]);
  });

  test("leaves the address of another item where it is, and says so beside the field", async () => {
    await anItem({ ics_id: "AAA001" });
    const { id: item_id } = await anItem({ ics_id: "AAA002" });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id });
    const own = await browser(bob);
    const macs = "02:42:42:00:00:01 42 024242000002";
    const refused = await own.submit(MACS, { macs });
    expect(refused.status).toBe(422);
    expect(texts(refused.text, "p.error")).toEqual([
      '"42" is not a MAC address such as 02:42:42:00:00:01',
    ]);
    expect(texts(refused.text, "textarea[name=macs]")).toEqual([macs]);
    const taken = await own.submit(MACS, { macs: "024242000001 024242000002" });
    expect(texts(taken.text, "p.error")).toEqual(["02:42:42:00:00:01 is on the item AAA002"]);
    await own.submit(MACS, { free: "02:42:42:00:00:01" });
    expect(await registered()).toEqual(["02:42:42:00:00:01 AAA002"]);
    expect((await own.submit(MACS, { free: "x" })).status).toBe(422);
    expect((await own.submit("/inventory/items/macs/AAA999", { macs })).status).toBe(404);
  });

  test("assigns an address to one of several concurrent items", async () => {
    await anItem({ ics_id: "AAA001" });
    await anItem({ ics_id: "AAA002" });
    const own = await browser(bob);
    for (const address of ["02:42:42:00:00:01", "02:42:42:00:00:02", "02:42:42:00:00:03"]) {
      await api(bob).post("/inventory/macs", { address });
      const answers = await Promise.all(
        ["AAA001", "AAA002", "AAA001", "AAA002", "AAA001", "AAA002"].map((id) =>
          own.submit(`/inventory/items/macs/${id}`, { macs: address }),
        ),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses, address).toEqual([303, 303, 303, 422, 422, 422]);
    }
  });

  test("returns the changed parts to htmx", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const { text } = await own.submit(MACS, { macs: "024242000001" }, { headers: HTMX });
    expect(text).toStartWith('<div class="beside" id="item"');
    expect(texts(text, "#item dd.mono")).toEqual(["02:42:42:00:00:01"]);
    expect(
      elements(text, "[hx-swap-oob]").map(({ attributes }) => attributes["hx-swap-oob"]),
    ).toEqual(["true", "beforeend:#toasts"]);
  });

  test("is allowed for editors only", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(carol);
    expect((await own.submit(MACS, { macs: "024242000001" })).status).toBe(403);
    expect(elements((await own.get(VIEW)).text, "dl.facts form")).toEqual([]);
  });
});

describe("the form of an item", () => {
  test("adds and removes addresses, and keeps concurrent additions", async () => {
    const { id: item_id } = await anItem({ ics_id: "AAA001", serial_number: "S" });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id });
    const own = await browser(bob);
    const form = await own.get(EDIT);
    expect(texts(form.text, "fieldset label")).toEqual(["Remove 02:42:42:00:00:01"]);
    const version = elements(form.text, "input[name=version]")[0]!.attributes.value!;
    await api(alice).post("/inventory/macs", { address: "024242000002", item_id });
    const sent = { version, serial_number: "S", quantity: "1" };
    await own.submit(EDIT, { ...sent, macs: "0242.4200.0003", free: "02:42:42:00:00:01" });
    expect(texts((await own.get(VIEW)).text, "#toasts p")).toEqual([
      "Saved AAA001: MAC addresses changed",
    ]);
    expect(await macsOf(ITEM)).toEqual(["02:42:42:00:00:02", "02:42:42:00:00:03"]);
  });

  test("changes no address after a conflict, and keeps the selection", async () => {
    const { id: item_id } = await anItem({ ics_id: "AAA001", serial_number: "S" });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id });
    await api(alice).patch(ITEM, { quantity: 2 });
    const sent = { version: "1", serial_number: "S", quantity: "3", macs: "024242000002" };
    const own = await browser(bob);
    const late = await own.submit(EDIT, { ...sent, free: "02:42:42:00:00:01" });
    expect(late.status).toBe(412);
    expect(elements(late.text, "input[name=free][checked]")).toHaveLength(1);
    expect(texts(late.text, "textarea[name=macs]")).toEqual(["024242000002"]);
    expect(await registered()).toEqual(["02:42:42:00:00:01 AAA001"]);
  });
});
