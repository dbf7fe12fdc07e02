// Lists as files, by Accept: the whole list with its filters, from one snapshot.
import { describe, expect, test } from "bun:test";
import { MOST_LIST_FILES_OF_USER } from "../../src/input/limits.ts";
import { aHiddenHost } from "../support/hidden.ts";
import {
  aHost,
  aLocation,
  alice,
  anItem,
  api,
  dave,
  inOrder,
  service,
  tokenOf,
} from "../support/mod.ts";
import { recordsOf } from "../support/workbook.ts";

const admin = api(alice);
const NDJSON = { headers: { accept: "application/x-ndjson" } };
const CSV = { headers: { accept: "text/csv" } };
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** More than are read, and wait to be read, at once. */
async function manyLocations(count: number): Promise<void> {
  const { sql } = await service();
  await sql`
    insert into locations (name, description, qrcode)
    select 'L ' || lpad(at::text, 5, '0'), repeat('x', 900), '' from generate_series(0, ${count - 1}::integer) at`;
}

/** The response as it arrives. */
async function reading(path: string, accept: string): Promise<Response> {
  const { origin } = await service();
  const headers = { accept, authorization: `Bearer ${await tokenOf(alice)}` };
  return fetch(`${origin}/api/v1${path}`, { headers });
}

describe("a list as a file", () => {
  test("has all records, as the list has them, in its order", async () => {
    await inOrder(
      Array.from({ length: 45 }, (_, at) => () => aHost({ name: `h-${at}`, is_ioc: at % 2 === 0 })),
    );
    const path = "/network/hosts?q=h*&is_ioc=true&sort=-name";
    const pages = await Promise.all(
      [1, 2].map((page) => admin.get(`${path}&per_page=20&page=${page}`)),
    );
    const { status, body, headers } = await admin.get(path, NDJSON);
    expect([status, headers.get("vary")]).toEqual([200, "accept"]);
    expect(body).toEqual(pages.flatMap((one) => one.body));
    expect(body).toHaveLength(23);
  });

  test("is CSV with headings, and text that no spreadsheet takes for a formula", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "=1+1" });
    const { text, headers } = await admin.get("/inventory/items?fields=serial_number,ics_id", CSV);
    expect(text).toBe("serial_number,ics_id\r\n'=1+1,AAA001\r\n");
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="items-.*\.csv"$/);
    const { text: all } = await admin.get("/inventory/items", CSV);
    expect(all.split("\r\n")[0]).not.toContain("history");
  });

  test("is a sheet with the same cells", async () => {
    await aLocation({ name: "Hall", description: "Big" });
    const response = await reading("/inventory/locations?fields=name,description", SHEET);
    expect(recordsOf(new Uint8Array(await response.arrayBuffer()))).toEqual([
      { name: "Hall", description: "Big" },
    ]);
  });

  test("shows one moment, whatever is written while it is read", async () => {
    await manyLocations(5_000);
    const response = await reading("/inventory/locations?sort=name", "application/x-ndjson");
    const reader = response.body!.getReader();
    const { value: first } = await reader.read();
    const [{ id }] = (await admin.get("/inventory/locations?name=L%2004999")).body;
    expect((await admin.patch(`/inventory/locations/${id}`, { description: "Late" })).status).toBe(
      200,
    );
    await admin.post("/inventory/locations", { name: "L 99999" });
    const parts = [first!];
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
    }
    const lines = Buffer.concat(parts).toString().trimEnd().split("\n");
    expect(lines).toHaveLength(5_000);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ id, description: "x".repeat(900) });
  });

  test("breaks off if the database ends it, so that nobody takes the half for the whole", async () => {
    await manyLocations(20_000);
    const response = await reading("/inventory/locations", "text/csv");
    const reader = response.body!.getReader();
    await reader.read();
    const { sql } = await service();
    const ended = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
    expect(ended.length).toBeGreaterThan(0);
    const whole = async () => {
      while (!(await reader.read()).done);
    };
    await expect(whole()).rejects.toThrow();
  });

  test("that nobody reads to its end gives its place back", async () => {
    await aLocation();
    for (let times = 0; times < 2 * MOST_LIST_FILES_OF_USER; times += 1) {
      const response = await reading("/inventory/locations", "text/csv");
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
    expect((await admin.get("/inventory/locations", CSV)).status).toBe(200);
  });

  test("is chosen by its weight; JSON is the default", async () => {
    await aLocation();
    for (const [accept, type] of [
      ["text/csv;q=0.5, application/json", "application/json"],
      ["application/json;q=0.5, text/csv", "text/csv"],
      ["*/*", "application/json"],
      ["text/html,application/xhtml+xml,*/*;q=0.8", "application/json"],
    ] as const) {
      const { headers } = await admin.get("/inventory/locations", { headers: { accept } });
      expect([accept, headers.get("content-type")]).toEqual([
        accept,
        expect.stringContaining(type),
      ]);
    }
  });

  test("hides what is hidden, also from lists of one user", async () => {
    await aHiddenHost();
    await aHost({ name: "seen" });
    for (const path of ["/network/hosts", "/network/hosts/search", "/network/interfaces"]) {
      const { text } = await api(dave).get(path, NDJSON);
      expect([path, text.includes("canary")]).toEqual([path, false]);
      expect([path, (await admin.get(path, NDJSON)).text.includes("canary")]).toEqual([path, true]);
    }
    const { body } = await admin.post("/user/tokens", { description: "Of alice" });
    expect((await api(dave).get("/user/tokens", NDJSON)).text).not.toContain("Of alice");
    expect((await api(alice).get("/user/tokens", NDJSON)).text).toContain("Of alice");
    expect((await api(alice).get("/user/tokens", CSV)).text).not.toContain(body.token);
  });

  test("takes no page, no cursor and no unknown field", async () => {
    const path = "/network/hosts?page=2&per_page=5&recursive=true&skip_total=true";
    const { status, body } = await admin.get(path, CSV);
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      ["page", "per_page", "recursive", "skip_total"],
    ]);
    expect((await admin.get("/network/hosts?fields=colour", CSV)).status).toBe(422);
    expect((await admin.get("/network/hosts?colour=red", CSV)).status).toBe(422);
    expect((await admin.get("/network/hosts?q=(", NDJSON)).status).toBe(422);
  });
});
