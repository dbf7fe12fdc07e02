import { describe, expect, test } from "bun:test";
import { LARGEST_BODY } from "../../src/input/limits.ts";
import { type Browser, browser, HTMX } from "../support/browser.ts";
import { changes, everything } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import { ended, fileAt, working } from "../support/jobs.ts";
import {
  aHost,
  aLocation,
  alice,
  anItem,
  api,
  bob,
  carol,
  dave,
  stranger,
  visit,
} from "../support/mod.ts";
import { IMPORT, upload, uploaded } from "../support/upload.ts";

const THREE_WRONG = `ICS id;Serial number;Location
AAA001;SN-1;Hall B
AAB001;SN-2;Hall A
AAB002;;Hall A
AAB003;SN-4;Nowhere
AA;SN-5;Hall A
AAA002;SN-0;Hall A
`;

async function someItems() {
  await aLocation({ name: "Hall A" });
  await aLocation({ name: "Hall B" });
  await anItem({ ics_id: "AAA001", serial_number: "SN-1", location: "Hall A" });
  await anItem({ ics_id: "AAA002", serial_number: "SN-0", location: "Hall A" });
}

/** The summary of all rows, and the rows that are shown. */
function summaryIn(html: string) {
  const rows = texts(html, "tbody tr").length;
  return {
    summary: texts(html, ".imports p")[0],
    tab: texts(html, ".tabs [aria-current]")[0],
    rows,
  };
}

function errorsIn(html: string): string[] {
  return texts(html, "p.error");
}

function hidden(html: string, form: string): Record<string, string> {
  const fields = elements(html, `${form} input[type=hidden]`);
  return Object.fromEntries(fields.map(({ attributes: { name, value } }) => [name!, value!]));
}

async function apply(own: Browser, path: string, action = "good") {
  const { text } = await own.get(path);
  return own.submit(path, { ...hidden(text, ".imports"), action });
}

describe("GET /inventory/items/import", () => {
  test("asks for a file, describes the columns and offers a template", async () => {
    const own = await browser(bob);
    const { status, text } = await own.get(IMPORT);
    expect(status).toBe(200);
    expect(
      elements(text, "form[method=post][enctype='multipart/form-data'] input[type=file]"),
    ).toHaveLength(1);
    const template = await own.get(`${IMPORT}/template.csv`);
    expect(template.headers.get("content-disposition")).toContain("items.csv");
    expect(texts(text, ".columns dt")).toEqual(template.text.trim().split(","));
    expect(elements((await own.get("/inventory/items")).text, `a[href="${IMPORT}"]`)).toHaveLength(
      1,
    );
  });

  test("says of blank cells what the import of hosts says", async () => {
    const admin = await browser(alice);
    for (const path of [IMPORT, "/network/hosts/import"]) {
      const { text } = await admin.get(path);
      expect(texts(text, "main p").join(" "), path).toContain(
        "A blank cell leaves the value as it is; to clear a value, edit the record.",
      );
    }
  });

  test("is allowed for the inventory group", async () => {
    for (const person of [carol, dave]) {
      const own = await browser(person);
      expect((await own.get(IMPORT)).status, person.username).toBe(403);
      expect((await upload(own, "serial_number\n1")).status, person.username).toBe(403);
      const list = await own.get("/inventory/items");
      expect(elements(list.text, `a[href="${IMPORT}"]`), person.username).toEqual([]);
    }
    expect((await upload(await browser(stranger), "serial_number\n1")).status).toBe(303);
  });
});

describe("POST /inventory/items/import", () => {
  test("previews the changes, refused rows first, and changes nothing", async () => {
    await someItems();
    const own = await browser(bob);
    const before = (await changes()).length;
    const path = await uploaded(own, THREE_WRONG);
    const { text } = await own.get(path);
    expect(summaryIn(text)).toEqual({
      summary: "1 new, 1 changed, 3 refused, 1 unchanged",
      tab: "Refused3",
      rows: 3,
    });
    expect(texts(text, "td:first-child")).toEqual(["4", "5", "6"]);
    expect(errorsIn(text)).toEqual([
      "This field is required",
      'There is no location "Nowhere"',
      expect.stringContaining("three letters"),
    ]);
    const fields = elements(text, "td input[form=mend]").map(({ attributes }) => attributes);
    expect(fields.map(({ name, value }) => [name, value])).toEqual([
      ["4.serial_number", ""],
      ["5.location", "Nowhere"],
      ["6.ics_id", "AA"],
    ]);
    const change = await own.get(`${path}?verdict=change`);
    expect(texts(change.text, ".differences li")).toEqual(["Location Hall A → Hall B"]);
    expect(await changes()).toHaveLength(before);
  });

  test("reads an export of Cadastre", async () => {
    await someItems();
    const own = await browser(bob);
    const file = await working(async () => {
      const { headers } = await own.get("/inventory/items/_generate_excel_file", {
        headers: { accept: "application/json" },
      });
      const { result } = await ended(own, Number(headers.get("location")!.split("/").at(-1)));
      return fileAt(own, result);
    });
    const { text } = await own.get(await uploaded(own, file));
    expect(summaryIn(text).summary).toBe("2 unchanged: nothing to apply");
    expect(elements(text, ".imports button")).toEqual([]);
  });

  test("pages through a long file, which is checked after the upload", async () => {
    const own = await browser(bob);
    const many = Array.from({ length: 600 }, (_, at) => `SN-${at}`).join("\n");
    const path = await uploaded(own, `serial_number\n${many}`);
    const first = await own.get(path);
    const [waiting] = elements(first.text, "#import[hx-trigger=load]");
    expect(texts(first.text, "#import .note")).toEqual(["Checking 600 rows…"]);
    const loaded = await own.get(waiting!.attributes["hx-get"]!, { headers: HTMX });
    expect(summaryIn(loaded.text)).toEqual({ summary: "600 new", tab: "All600", rows: 100 });
    const [next] = elements(loaded.text, "a[rel=next]");
    const list = { ...HTMX, "hx-target": "div#list" };
    const second = await own.get(next!.attributes.href!, { headers: list });
    expect(texts(second.text, "td:first-child").at(0)).toBe("102");
    expect(texts(second.text, ".imports")).toEqual([]);
    const [refresh] = elements(first.text, "noscript");
    expect(refresh).toBeDefined();
    expect(summaryIn((await own.get(`${path}?checked=true`)).text).rows).toBe(100);
  });

  test("refuses a file beside its field, and keeps nothing of it", async () => {
    const [own, other] = [await browser(bob), await browser(carol)];
    const before = await everything();
    const wrong: Array<[string | Uint8Array, string]> = [
      ["", "This file is empty"],
      ["serial_number\n", "There are no rows below the headings"],
      ["a,b,A\n1,2", 'The column "A" appears twice'],
      ["Serial number,serial_number\n1,2", 'The column "serial_number" appears twice'],
      ["id,user\n1,2", "The first row must contain the names"],
      ["serial_number\n1,2", 'In line 2 there is "2" without a heading'],
      [`serial_number\n${"1\n".repeat(10_001)}`, "Import at most 10,000 rows at once"],
      [Buffer.from("PK\x03\x04 no archive"), "This file is damaged"],
    ];
    for (const [content, sentence] of wrong) {
      const { status, text } = await upload(own, content);
      expect([status, errorsIn(text)[0]?.slice(0, sentence.length)]).toEqual([422, sentence]);
      expect(elements(text, "input[type=file][aria-invalid]"), sentence).toHaveLength(1);
    }
    const none = await own.submit(IMPORT, {});
    expect([none.status, errorsIn(none.text)]).toEqual([422, ["Choose a file"]]);
    const large = await upload(own, new Uint8Array(16 * 1024 * 1024));
    expect(large.status).toBe(413);
    const twoMiB = `serial_number\n${"x".repeat(2 * 1024 * 1024)}`;
    expect((await upload(other, twoMiB)).status).toBe(403);
    expect(await everything()).toBe(before);
  });
});

describe("POST /inventory/items/import/(id)", () => {
  test("reads the size of a file from the file only", async () => {
    const own = await browser(bob);
    const headers = { cookie: own.cookie, "sec-fetch-site": "same-origin" };
    const text = "x".repeat(LARGEST_BODY);
    const beside = new FormData();
    beside.append("file", new File(["serial_number\nSN\n"], "items.csv"));
    beside.append("text", text);
    for (const [type, body] of [
      ["application/x-www-form-urlencoded", `file=${text}`],
      ["application/json", JSON.stringify({ file: text })],
      [undefined, beside],
    ] as const) {
      const typed = type ? { ...headers, "content-type": type } : headers;
      const { status } = await visit(IMPORT, { method: "POST", body, headers: typed });
      expect([type, status]).toEqual([type, 413]);
    }
  });

  test("changes several rows in place, and leaves one out", async () => {
    await someItems();
    const own = await browser(bob);
    const path = await uploaded(own, THREE_WRONG);
    const fields = { verdict: "refused", "4.serial_number": "SN-3", "5.location": "hall a" };
    const saved = await own.submit(path, { ...fields, "6.ics_id": "A", "99.ics_id": "AAA009" });
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `${path}?verdict=refused`]);
    const { text } = await own.get(path);
    expect(summaryIn(text).summary).toBe("3 new, 1 changed, 1 refused, 1 unchanged");
    expect(elements(text, "td input").map(({ attributes }) => attributes.value)).toEqual(["A"]);
    const left = await own.submit(path, { leave: "6" }, { headers: HTMX });
    expect(left.status).toBe(200);
    expect(summaryIn(left.text)).toEqual({
      summary: "3 new, 1 changed, 1 unchanged",
      tab: "All5",
      rows: 5,
    });
    expect(texts(left.text, ".imports button")).toEqual(["Apply all 4 rows"]);
  });

  test("applies the valid rows as one change, keeps refused rows, and can be undone", async () => {
    await someItems();
    const own = await browser(bob);
    const path = await uploaded(own, THREE_WRONG);
    expect(texts((await own.get(path)).text, ".imports button")).toEqual(["Apply 2 valid rows"]);
    const { status, headers } = await apply(own, path);
    expect([status, headers.get("location")]).toEqual([303, path]);
    const { text } = await own.get(path);
    expect(texts(text, ".done p")[0]).toMatch(/^Added 1 item, changed 1 item\. Show the change$/);
    expect(summaryIn(text).summary).toBe("3 refused");
    expect((await api(bob).get("/inventory/items/AAA001")).body.location).toBe("Hall B");
    expect((await api(bob).get("/inventory/items/AAB001")).status).toBe(200);
    const [undo] = elements(text, ".done form");
    expect((await own.submit(undo!.attributes.action!, {})).status).toBe(303);
    expect((await api(bob).get("/inventory/items/AAA001")).body.location).toBe("Hall A");
    expect((await api(bob).get("/inventory/items/AAB001")).status).toBe(404);
  });

  test("applies once, however often it is sent", async () => {
    const own = await browser(bob);
    const path = await uploaded(own, "serial_number\nSN-1\nSN-2\n");
    const fields = { ...hidden((await own.get(path)).text, ".imports"), action: "all" };
    const sent = await Promise.all([1, 2, 3].map(() => own.submit(path, fields)));
    sent.push(await own.submit(path, fields));
    expect(sent.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect((await api(bob).get("/inventory/items")).body).toHaveLength(2);
    expect(texts((await own.get(path)).text, ".empty p")[0]).toBe("All rows of this file are done");
  });

  test("applies nothing that was not previewed, and not all while a row is refused", async () => {
    await someItems();
    const own = await browser(bob);
    const path = await uploaded(own, THREE_WRONG);
    const looked = hidden((await own.get(path)).text, ".imports");
    const all = await own.submit(path, { ...looked, action: "all" });
    expect(all.status).toBe(422);
    expect(texts(all.text, ".note.bad")[0]).toBe("Nothing was applied: some rows have errors");
    await own.submit(path, { "4.serial_number": "SN-3" });
    const other = await own.submit(path, { ...looked, action: "good" });
    expect(other.status).toBe(422);
    expect(texts(other.text, ".note.bad")[0]).toStartWith("The rows have changed since");
    expect((await api(bob).get("/inventory/items")).body).toHaveLength(2);
  });

  test("leads to the records that rows name, unless the file itself would add them", async () => {
    await aLocation({ name: "Hall A" });
    const rows = "ics_id,serial_number,location,parent\nAAB001,S1,Hall A,\nAAB002,S2,,AAB001\n";
    const own = await browser(bob);
    const { text } = await own.get(await uploaded(own, rows));
    const links = elements(text, ".differences a").map(({ attributes }) => attributes.href);
    expect(links).toEqual(Array(2).fill("/inventory/attributes/location/Hall%20A"));
    expect(text).toContain("<ins>AAB001</ins>");
  });

  test("keeps a file for its owner only, who can discard it", async () => {
    const own = await browser(bob);
    const path = await uploaded(own, "serial_number\nSN-1\n");
    const other = await browser(alice);
    expect((await other.get(path)).status).toBe(404);
    for (const fields of [{ action: "good", state: "1" }, { leave: "2" }, { action: "discard" }]) {
      expect((await other.submit(path, fields as any)).status).toBe(404);
    }
    expect(summaryIn((await own.get(path)).text).summary).toBe("1 new");
    const waiting = async (of: Browser) =>
      elements((await of.get(IMPORT)).text, `a[href="${path}"]`);
    expect([await waiting(own), await waiting(other)].map(({ length }) => length)).toEqual([1, 0]);
    const asked = await own.submit(path, { action: "discard" });
    expect(texts(asked.text, "h1")).toEqual(["Discard this import?"]);
    expect((await own.get(path)).status).toBe(200);
    const fields = { ...hidden(asked.text, ".sheet"), action: "discard" };
    expect((await own.submit(path, fields)).status).toBe(303);
    expect((await own.get(path)).status).toBe(404);
  });
});

test("the headings of our own lists are understood, in any case", async () => {
  const own = await browser(alice);
  await anItem();
  await aHost();
  for (const list of ["/inventory/items", "/network/hosts"]) {
    const { text } = await own.get(list);
    const headings = texts(text, "thead th").filter((heading) =>
      /^(?!Select$)[A-Z][\w ]*$/.test(heading),
    );
    expect(headings.length, list).toBeGreaterThan(5);
    for (const row of [headings, headings.map((heading) => heading.toUpperCase())]) {
      const file = `${row.join(";")}\n${row.map(() => "").join(";")}x\n`;
      const { status, text: refusal } = await upload(own, file, { path: `${list}/import` });
      expect([list, status, texts(refusal, ".error")]).toEqual([list, 303, []]);
    }
  }
  const words = "TYPE;Name\nNetwork;sw-01\n";
  expect((await upload(own, words, { path: "/network/hosts/import" })).status).toBe(303);
  expect((await upload(own, "serial;LOCATION\nSN-1;Hall\n")).status).toBe(303);
});
