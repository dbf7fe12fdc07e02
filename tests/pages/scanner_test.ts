import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { everything } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, alice, anItem, api, aStatus, bob, carol, service } from "../support/mod.ts";
import {
  action,
  apply,
  code,
  fieldsOf,
  itemsBy,
  messageOf,
  rowsOf,
  SCANNER,
  scanAll,
} from "../support/scan_desk.ts";

describe("GET /inventory/scanner", () => {
  test("shows the codes of the seven actions and of the caller's favourites", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(bob);
    await own.submit("/inventory/_update_favorites/location", { id: String(id) });
    const { status, text } = await own.get(SCANNER);
    expect(status).toBe(200);
    const codes = elements(text, ".codes svg.qr").map(({ attributes }) => attributes["aria-label"]);
    expect(codes).toHaveLength(8);
    expect(codes).toContain("QR code of CSE:action:Set as parent");
    expect(codes).toContain("QR code of CSE:location:Hall A");
  });

  test("explains a code that is tried, and adds it to no list", async () => {
    await aLocation({ name: "Hall A" });
    const { ics_id } = await anItem({ serial_number: "S1", ics_id: "AAA001" });
    await api(alice).post("/inventory/macs", {
      address: "02:42:42:00:00:01",
      item_id: (await itemsBy(["S1"]))[0].id,
    });
    const { origin } = await service();
    const own = await browser(bob);
    const means = async (text: string) => {
      const answer = await own.get(`${SCANNER}?test=${encodeURIComponent(text)}`, {
        headers: HTMX,
      });
      return texts(answer.text, "#tested")[0]!.slice(text.length + 1);
    };
    const item = `is the item ${ics_id}, serial number S1`;
    expect(await means("aaa001")).toBe(item);
    expect(await means("S1")).toBe(item);
    expect(await means("02-42-42-00-00-01")).toBe(item);
    expect(await means("024242000001")).toBe(item);
    expect(await means(`${origin}/inventory/items/view/AAA001`)).toBe(item);
    expect(await means(`${origin}/q/CSE%3Alocation%3AHall%20A`)).toBe("is the location Hall A");
    expect(await means("cse:Location:HALL A")).toBe("is the location Hall A");
    expect(await means("hall a")).toBe("is the location Hall A");
    expect(await means("CSE:action:set as parent")).toBe("is the action Set as parent");
    expect(await means("AAA002")).toBe("is a free label");
    expect(await means("S2")).toBe("is an unknown code or the serial number of a new item");
    expect(await means("ZZA000")).toBe("cannot be used: No item has this label");
    expect(await means("CSE:location:Nowhere")).toBe(
      'cannot be used: There is no location "Nowhere"',
    );
    expect(await means("CSE:action:Explode")).toBe("cannot be used: Unknown action");
    expect(await means("CSE:gadget:X")).toBe(
      "cannot be used: No item, serial or location has this name",
    );
    expect(await means("https://elsewhere.example/AAA001")).toBe(
      "cannot be used: No item, serial or location has this name",
    );
    await anItem({ serial_number: "S1" });
    expect(await means("S1")).toBe(
      "cannot be used: Several items have this serial number; scan the id on the label",
    );
  });

  test("allows its own worker and htmx, and other pages htmx only", async () => {
    const own = await browser(bob);
    const policy = async (path: string) =>
      (await own.get(path)).headers.get("content-security-policy")!.split("; ").at(-1);
    expect(await policy(SCANNER)).toBe("trusted-types htmx scan");
    expect(await policy("/")).toBe("trusted-types htmx");
  });
});

describe("POST /inventory/scanner", () => {
  test("keeps the list from scan to scan, and writes nothing before it is applied", async () => {
    await aLocation({ name: "Hall A" });
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const own = await browser(bob);
    const before = await everything();
    const { status, text } = await scanAll(own, [code("location", "Hall A"), "aaa001", "AAA001"]);
    expect(status).toBe(200);
    expect(rowsOf(text)).toEqual(["AAA001 S1: location Hall A"]);
    expect(texts(text, "#scanned .tag")).toEqual(["found", "duplicate"]);
    expect(texts(text, "#apply p")).toEqual(["1 item to change"]);
    expect(await everything()).toBe(before);
  });

  test("removes the last scan, a row, and everything", async () => {
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    await anItem({ serial_number: "S2", ics_id: "AAA002" });
    const own = await browser(bob);
    const { text } = await scanAll(own, ["AAA001", "AAA002"]);
    const back = await own.submit(SCANNER, { ...fieldsOf(text), back: "true" });
    expect(rowsOf(back.text)).toEqual(["AAA001 S1: No change"]);
    const removed = await own.submit(SCANNER, { ...fieldsOf(text), scan: "CSE:remove:AAA001" });
    expect(rowsOf(removed.text)).toEqual(["AAA002 S2: No change"]);
    const clear = await own.submit(SCANNER, { ...fieldsOf(text), scan: action("Clear all") });
    expect(fieldsOf(clear.text).scans).toBe("");
    expect(rowsOf(clear.text)).toEqual([]);
  });

  test("shows an item that is fetched", async () => {
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const { text } = await scanAll(await browser(carol), [action("Fetch"), "AAA001"]);
    expect(texts(text, "#scanned .note h2")).toEqual(["AAA001"]);
    expect(texts(text, "#scanned .note dd")[0]).toBe("S1");
  });

  test("lets readers look but not apply", async () => {
    await aStatus({ name: "Broken" });
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const own = await browser(carol);
    const before = await own.get(SCANNER);
    expect(texts(before.text, ".note")[0]).toContain("Applying scans needs the group inventory");
    const { text } = await scanAll(own, [code("status", "Broken"), "AAA001"]);
    expect(texts(text, "#apply .buttons button")).toEqual(["Undo last scan", "Clear"]);
    expect((await apply(own, text)).status).toBe(403);
    expect((await itemsBy(["S1"]))[0].status).toBeNull();
  });

  test("says that there is nothing to apply, and answers invalid input with a message", async () => {
    const own = await browser(bob);
    const empty = await apply(own, (await own.get(SCANNER)).text);
    expect(empty.status).toBe(422);
    expect(messageOf(empty.text)).toBe("Nothing to apply yet");
    const strange = [
      "\u0000\u0001",
      "CSE:::",
      "CSE:location:\u202e",
      "%",
      "http://[",
      "x".repeat(900),
    ];
    const { status, text } = await own.submit(SCANNER, { scan: strange.join("\n") });
    expect(status).toBe(200);
    expect(texts(text, "#scanned .row-error")).toHaveLength(strange.length);
  });

  test("holds at most 500 scans", async () => {
    const log = Array.from({ length: 501 }, (_, index) => `S${index}`);
    const { text } = await (await browser(bob)).submit(SCANNER, { scan: log.join("\n") });
    expect(messageOf(text)).toBe("The list is full: apply it before scanning more");
    expect(fieldsOf(text).scans!.split("\n")).toHaveLength(500);
  });

  test("returns only the list to htmx", async () => {
    const own = await browser(bob);
    const { text } = await own.submit(SCANNER, { scan: "WHAT" }, { headers: HTMX });
    expect(text).toStartWith('<section id="scanned"');
    expect(rowsOf(text)).toEqual(["WHAT: No item, serial or location has this name"]);
  });
});
