import { describe, expect, test } from "bun:test";
import { itemExport } from "../../src/inventory/items/export.ts";
import { type Browser, browser, HTMX } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements } from "../support/html.ts";
import { ended, fileAt, JSON_ONLY, working } from "../support/jobs.ts";
import {
  aLocation,
  alice,
  anItem,
  api,
  audrey,
  bob,
  carol,
  dave,
  service,
  tokenOf,
  visit,
} from "../support/mod.ts";
import { recordsOf, rowsOf, unzip } from "../support/workbook.ts";

const PATH = "/inventory/items/_generate_excel_file";

async function begin(own: Browser, query = ""): Promise<number> {
  const { status, body } = await own.get(PATH + query, JSON_ONLY);
  if (status !== 202) throw new Error(`The export was refused with ${status}`);
  return body.id;
}

async function exported(own: Browser, query = ""): Promise<Uint8Array> {
  const { result, message } = await working(async () => ended(own, await begin(own, query)));
  if (!result) throw new Error(`The export failed: ${message}`);
  return fileAt(own, result);
}

async function jobs(): Promise<number> {
  const { sql } = await service();
  const [{ count }] = await sql`select count(*)::int as count from jobs`;
  return count;
}

describe("GET /inventory/items/_generate_excel_file", () => {
  test("returns 202 with the job and its URL to a program", async () => {
    const own = await browser(carol);
    const { status, headers, body } = await own.get(PATH, JSON_ONLY);
    expect(status).toBe(202);
    expect(headers.get("location")).toBe(`/status/${body.id}`);
    expect(body).toEqual({
      id: body.id,
      name: "Export of items",
      status: "queued",
      progress: 0,
      message: "Waiting for other jobs",
      result: null,
    });
  });

  test("shows a browser the page of the job, and gives htmx a part that polls", async () => {
    const own = await browser(carol);
    const page = await own.get(PATH);
    expect(page.status).toBe(202);
    const path = page.headers.get("location")!;
    expect(path).toMatch(/^\/status\/\d+$/);
    expect(elements(page.text, "section.job")[0]?.attributes["hx-get"]).toBe(path);
    expect(page.text).toContain(`content="2; url=${path}?waited=yes"`);
    const part = await own.get(PATH, { headers: HTMX });
    expect([part.status, part.headers.get("location")]).toEqual([202, path]);
    expect(elements(part.text, "html")).toEqual([]);
    expect(elements(part.text, "section.job")[0]?.attributes["hx-get"]).toBe(path);
  });

  test("returns the same job while it waits, however its filters are written", async () => {
    const own = await browser(carol);
    const first = await begin(own, "?status=Broken&q=x&page=3");
    expect(await begin(own, "?q=x&status=Broken&per_page=100")).toBe(first);
    expect(await begin(own, "?q=x&status=In use")).not.toBe(first);
    expect(await begin(own, "?q=x&status=Broken&cols=host")).not.toBe(first);
    expect(await begin(await browser(bob), "?q=x&status=Broken")).not.toBe(first);
    expect(await jobs()).toBe(4);
  });

  test("creates one job for eight concurrent requests", async () => {
    const own = await browser(carol);
    const ids = await Promise.all(Array.from({ length: 8 }, () => begin(own)));
    expect(new Set(ids).size).toBe(1);
    expect(await jobs()).toBe(1);
  });

  test("allows a user three waiting jobs", async () => {
    const own = await browser(carol);
    for (const query of ["?q=a", "?q=b", "?q=c"]) await begin(own, query);
    const { status, headers, body } = await own.get(`${PATH}?q=d`, JSON_ONLY);
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body.message).toBe("You have 3 queued jobs; start this one when they are finished");
    expect((await own.get(`${PATH}?q=a`, JSON_ONLY)).status).toBe(202);
    expect((await (await browser(bob)).get(`${PATH}?q=d`, JSON_ONLY)).status).toBe(202);
  });

  test("refuses an unknown filter, and creates no job", async () => {
    const { status, body } = await (await browser(carol)).get(`${PATH}?colour=red`, JSON_ONLY);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: "colour", message: "This list has no such parameter", code: "unknown_field" },
    ]);
    expect(await jobs()).toBe(0);
  });

  test("creates no job for another site or a prefetch", async () => {
    const own = await browser(carol);
    const ask = async (headers: Record<string, string>) =>
      (await own.get(PATH, { headers })).status;
    for (const site of ["cross-site", "same-site"]) {
      expect([site, await ask({ "sec-fetch-site": site })]).toEqual([site, 403]);
    }
    expect(await ask({ origin: "https://elsewhere.example" })).toBe(403);
    expect(await ask({ "sec-fetch-site": "same-origin", "sec-purpose": "prefetch" })).toBe(403);
    expect(await jobs()).toBe(0);
    expect(await ask({ "sec-fetch-site": "same-origin" })).toBe(202);
  });

  test("works with a token alone, to the file; a cookie does not replace a bad token", async () => {
    await anItem({ serial_number: "Pump" });
    await anItem({ serial_number: "Valve" });
    const { body: made } = await api(carol).post("/user/tokens", { read_only: true });
    const authorization = `Bearer ${made.token}`;
    const get = (path: string) => visit(path, { headers: { authorization } });
    const begun = await get(`${PATH}?q=pump`);
    const place = begun.headers.get("location")!;
    expect([begun.status, place]).toEqual([202, `/status/${begun.body.id}`]);
    expect(
      (await visit(place, { headers: { authorization: `Bearer ${await tokenOf(bob)}` } })).status,
    ).toBe(404);
    const own = await browser(carol);
    const { result } = await working(() => ended(own, begun.body.id));
    const file = await visit(result!, { headers: { authorization } });
    expect(file.headers.get("content-disposition")).toContain(".xlsx");
    const rows = recordsOf(await fileAt(own, result!));
    expect(rows.map(({ serial_number }) => serial_number)).toEqual(["Pump"]);
    expect((await get(place)).body.result).toBe(result);
    const arrived = await own.get(`${place}?waited=yes`);
    expect(arrived.headers.get("refresh")).toBe(`0; url=${result}`);
    expect((await own.get(place)).headers.get("refresh")).toBe(null);
    for (const bad of ["Bearer nothing", "Basic eA==", ""]) {
      const headers = { authorization: bad, cookie: own.cookie };
      expect([bad, (await visit(PATH, { headers })).status]).toEqual([bad, 401]);
    }
    expect((await get("/user/profile")).status).not.toBe(200);
  });
});

describe("the Excel file", () => {
  test("contains the fields of an item, below their names", async () => {
    await aLocation({ name: "Hall A" });
    const crate = await anItem({ ics_id: "AAA001", serial_number: "007", quantity: 12 });
    await api(bob).patch("/inventory/items/AAA001", { location: "Hall A" });
    await anItem({ ics_id: "AAA002", serial_number: "inside", parent_id: crate.id });
    await api(bob).post("/inventory/items/AAA001/comments", {
      body: "First <line>\nsecond & last",
    });
    await api(bob).post("/inventory/macs", { address: "02-42-42-00-00-01", item_id: crate.id });
    const [first, second] = recordsOf(await exported(await browser(carol)));
    const { body } = await api(carol).get("/inventory/items/AAA001");
    expect(first).toEqual({
      ics_id: "AAA001",
      serial_number: "007",
      quantity: 12,
      manufacturer: null,
      model: null,
      location: "Hall A",
      status: null,
      parent: null,
      children: "AAA002",
      macs: "02:42:42:00:00:01",
      tags: null,
      host: null,
      stack_member: null,
      comments: "First <line>\nsecond & last",
      user: "bob",
      created_at: days(body.created_at),
      updated_at: days(body.updated_at),
    });
    expect(second).toMatchObject({ ics_id: "AAA002", parent: "AAA001", location: "Hall A" });
  });

  test("stores text as text, whatever it looks like", async () => {
    const texts = ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "007", "1e5", "TRUE"];
    const odd = ["<t>&amp;", "_x0041_", "åäö 🔧", "' \"", "2026-11-21"];
    for (const serial_number of [...texts, ...odd]) await anItem({ serial_number });
    const file = await exported(await browser(carol));
    const serials = recordsOf(file).map(({ serial_number }) => serial_number);
    expect(serials).toEqual([...texts, ...odd]);
    const xml = unzip(Buffer.from(file))["xl/worksheets/sheet1.xml"]!;
    expect(xml).not.toContain("<f");
    const quoted = [...xml.matchAll(/<c r="B\d+" t="inlineStr" s="2">/g)];
    expect(quoted.length).toBe(texts.filter((text) => /^[=+\-@]/.test(text)).length);
  });

  test("contains the list with its filters, search and order", async () => {
    for (const serial_number of ["Valve 2", "Pump 1", "Pump 3", "Pump 2"])
      await anItem({ serial_number });
    const rows = await exported(
      await browser(carol),
      "?q=pump&serial_number__ne=Pump 3&sort=-serial_number",
    );
    expect(recordsOf(rows).map(({ serial_number }) => serial_number)).toEqual(["Pump 2", "Pump 1"]);
  });

  test("has the label and the chosen columns, in the order of the list", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "007" });
    const own = await browser(carol);
    const chosen =
      "?cols=updated_at&cols=serial_number&cols=nothing&cols=serial_number&cols=ics_id";
    const [titles] = rowsOf(await exported(own, chosen));
    expect(titles).toEqual(["ics_id", "updated_at", "serial_number"]);
    const [item] = recordsOf(await exported(own, "?cols=host&cols=serial_number"));
    expect(item).toEqual({ ics_id: "AAA001", host: null, serial_number: "007" });
  });

  test("of an empty list has only the header row", async () => {
    expect(rowsOf(await exported(await browser(carol))).length).toBe(1);
  });

  test("contains all matches, however many batches there are", async () => {
    const { sql } = await service();
    await sql`insert into items (ics_id, serial_number)
      select 'AAB' || lpad(n::text, 3, '0'), 'SN' || n from generate_series(0, 611) n`;
    const rows = recordsOf(await exported(await browser(carol)));
    expect(rows.map(({ serial_number }) => serial_number)).toEqual(
      Array.from({ length: 612 }, (_, n) => `SN${n}`),
    );
  });

  test("shows all items as they were at one moment, whatever changes meanwhile", async () => {
    const { sql } = await service();
    await sql`insert into items (ics_id, serial_number)
      select 'A' || chr(65 + n / 1000) || 'A' || lpad((n % 1000)::text, 3, '0'), 'before' from generate_series(0, 3200) n`;
    // Long random texts fill the first part of the file before the last items are read.
    await sql`insert into comments (item_id, body)
      select id, (select string_agg(md5(random()::text || n || items.id), '') from generate_series(1, 300) n)
      from items order by id limit 80`;
    await sql`create function meddle() returns trigger language plpgsql as $$
      begin update items set serial_number = 'after' where id > (select max(id) - 100 from items); return new; end $$`;
    await sql`create trigger meddle after insert on job_parts for each row execute function meddle()`;
    const rows = recordsOf(await exported(await browser(carol)));
    await sql`drop function meddle cascade`;
    expect(rows.length).toBe(3201);
    expect([...new Set(rows.map(({ serial_number }) => serial_number))]).toEqual(["before"]);
    const [{ changed }] =
      await sql`select count(*)::int as changed from items where serial_number = 'after'`;
    expect(changed).toBe(100);
  });

  test("contains a hidden host only for those who may see it", async () => {
    const host_id = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id, stack_member: 4 });
    for (const person of [bob, carol, dave]) {
      const own = await browser(person);
      const file = await exported(own);
      expect(unzip(Buffer.from(file))["xl/worksheets/sheet1.xml"], person.username).not.toContain(
        "canary",
      );
      expect(recordsOf(file), person.username).toMatchObject([
        { ics_id: "AAA001", host: null, stack_member: null },
      ]);
      expect(recordsOf(await exported(own, "?host=canary")), person.username).toEqual([]);
      expect(recordsOf(await exported(own, `?host_id=${host_id}`)), person.username).toEqual([]);
    }
    for (const person of [alice, audrey]) {
      const rows = recordsOf(await exported(await browser(person), "?host=canary"));
      expect(rows, person.username).toMatchObject([
        { ics_id: "AAA001", host: "canary", stack_member: 4 },
      ]);
    }
  });

  test("is not finished when a host in it becomes hidden meanwhile", async () => {
    const own = await browser(carol);
    await anItem({ host_id: await aHiddenHost() });
    const { sql } = await service();
    await sql`update networks set sensitive = false`;
    const meanwhile = {
      ...itemExport,
      run: async (...given: Parameters<typeof itemExport.run>) => {
        const outcome = await itemExport.run(...given);
        await sql`update networks set sensitive = true`;
        return outcome;
      },
    };
    const job = await working(async () => ended(own, await begin(own)), [meanwhile]);
    expect(job).toMatchObject({
      status: "failed",
      message: "Your rights have changed; start it again",
      result: null,
    });
  });

  test("is not available to its owner once a host in it is hidden", async () => {
    const own = await browser(carol);
    await anItem({ host_id: await aHiddenHost() });
    const { sql } = await service();
    await sql`update networks set sensitive = false`;
    const { result } = await working(async () => ended(own, await begin(own)));
    expect(recordsOf(await fileAt(own, result))).toMatchObject([{ host: "canary" }]);
    await sql`update networks set sensitive = true`;
    expect((await own.get(result, JSON_ONLY)).status).toBe(404);
    expect((await (await browser(alice)).get(result, JSON_ONLY)).status).toBe(200);
  });
});

/** A time as Excel counts it. */
function days(shown: string): number {
  const milliseconds = Date.parse(`${shown.replace(" ", "T")}Z`);
  return Math.round((milliseconds / 86_400_000 + 25_569) * 1e8) / 1e8;
}
