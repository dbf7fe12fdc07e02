import { describe, expect, test } from "bun:test";
import { linksOf } from "../support/links.ts";
import { api, bob, carol, fieldsOf, namesOf, service } from "../support/mod.ts";
import { countsDuring } from "../support/totals.ts";

const PATH = "/inventory/locations";

/** Hall 001, Hall 002 …, inserted into the database: over the API they would take long. */
async function halls(count: number): Promise<void> {
  const { sql } = await service();
  await sql`
    insert into locations (name, qrcode)
    select 'Hall ' || to_char(number, 'FM000'), '' from generate_series(1, ${count}::int) number`;
}

async function get(query: string) {
  const { origin } = await service();
  const answer = await api(carol).get(`${PATH}${query}`);
  const links = linksOf(answer.headers);
  const relations = Object.entries(links).map(([name, address]) => [
    name,
    address.replace(`${origin}/api/v1${PATH}`, ""),
  ]);
  return { ...answer, links: Object.fromEntries(relations) };
}

describe("a list", () => {
  test("returns twenty records and the total count", async () => {
    await halls(45);
    const { status, body, headers } = await get("");
    expect(status).toBe(200);
    expect(body).toHaveLength(20);
    expect(body[0].name).toBe("Hall 001");
    expect(headers.get("x-total-count")).toBe("45");
  });

  test("has absolute links, per_page before page, and no prev on the first page", async () => {
    await halls(45);
    const { origin } = await service();
    const { headers, links } = await get("");
    expect(headers.get("link")).toStartWith(
      `<${origin}/api/v1${PATH}?per_page=20&page=1>; rel="first"`,
    );
    expect(links).toEqual({
      first: "?per_page=20&page=1",
      next: "?per_page=20&page=2",
      last: "?per_page=20&page=3",
    });
  });

  test("has prev and next in the middle, and no next on the last page", async () => {
    await halls(45);
    expect((await get("?page=2")).links).toEqual({
      first: "?per_page=20&page=1",
      prev: "?per_page=20&page=1",
      next: "?per_page=20&page=3",
      last: "?per_page=20&page=3",
    });
    expect((await get("?page=3")).links).toEqual({
      first: "?per_page=20&page=1",
      prev: "?per_page=20&page=2",
      last: "?per_page=20&page=3",
    });
  });

  test("that is empty has one page", async () => {
    const { status, body, headers, links } = await get("");
    expect(status).toBe(200);
    expect(body).toEqual([]);
    expect(headers.get("x-total-count")).toBe("0");
    expect(links).toEqual({ first: "?per_page=20&page=1", last: "?per_page=20&page=1" });
  });

  test("that fills its page exactly has no next page", async () => {
    await halls(40);
    const { body, links } = await get("?page=2");
    expect(body).toHaveLength(20);
    expect(links.next).toBeUndefined();
    expect(links.last).toBe("?per_page=20&page=2");
  });

  test("returns every record once when the next links are followed", async () => {
    await halls(45);
    const names: string[] = [];
    for (let at: string | undefined = "?per_page=7&sort=description"; at !== undefined; ) {
      const { body, links }: Awaited<ReturnType<typeof get>> = await get(at);
      names.push(...namesOf(body));
      at = links.next;
    }
    expect(names).toHaveLength(45);
    expect(new Set(names).size).toBe(45);
  });

  test("repeats its filters in its links, whatever characters they contain", async () => {
    await halls(45);
    const { links } = await get(
      "?name__contains=Hall&sort=-name&per_page=10&page=2&name__ne=%22%3E%26a%C3%A5",
    );
    const next = new URLSearchParams(links.next);
    expect([...next]).toEqual([
      ["name__contains", "Hall"],
      ["sort", "-name"],
      ["name__ne", '">&aå'],
      ["per_page", "10"],
      ["page", "3"],
    ]);
  });

  test("past its end is empty, and links back", async () => {
    await halls(45);
    for (const page of ["4", "1000000", "999999999999999", "9".repeat(400)]) {
      const { status, body, headers, links } = await get(`?page=${page}`);
      expect(status, page).toBe(200);
      expect(body, page).toEqual([]);
      expect(headers.get("x-total-count"), page).toBe("45");
      expect(links.prev, page).toBe("?per_page=20&page=3");
      expect(links.next, page).toBeUndefined();
      expect(links.last, page).toBe("?per_page=20&page=3");
    }
  });

  test("is not counted with skip_total=true: it has no total and no last page", async () => {
    await halls(45);
    const first = await get("?skip_total=true");
    expect(first.status).toBe(200);
    expect(first.body).toHaveLength(20);
    expect(first.headers.has("x-total-count")).toBe(false);
    expect(first.links).toEqual({
      first: "?skip_total=true&per_page=20&page=1",
      next: "?skip_total=true&per_page=20&page=2",
    });
    const last = await get("?page=3&skip_total=true");
    expect(last.body).toHaveLength(5);
    expect(last.headers.has("x-total-count")).toBe(false);
    expect(last.links).toEqual({
      first: "?skip_total=true&per_page=20&page=1",
      prev: "?skip_total=true&per_page=20&page=2",
    });
    const beyond = await get("?page=9&skip_total=true&q=hall");
    expect(beyond.body).toEqual([]);
    expect(Object.keys(beyond.links)).toEqual(["first", "prev"]);
    expect((await get("?skip_total=false")).headers.get("x-total-count")).toBe("45");
  });

  test("sends no count with skip_total=true", async () => {
    await halls(45);
    const filters = "name__contains=hall&per_page=5";
    expect(await countsDuring(() => get(`?${filters}&skip_total=true`))).toBe(0);
    expect(await countsDuring(() => get(`?${filters}`))).toBe(1);
  });
});

describe("per_page", () => {
  test.each([
    [1, 1],
    [99, 99],
    [100, 100],
    [101, 100],
    [1_000_000, 100],
    [`${"0".repeat(20)}7`, 7],
    ["9".repeat(400), 100],
  ])("%p returns %d records", async (asked, given) => {
    await halls(120);
    const { status, body, links } = await get(`?per_page=${asked}`);
    expect(status).toBe(200);
    expect(body).toHaveLength(given);
    expect(links.first).toBe(`?per_page=${given}&page=1`);
  });
});

describe.each(["page", "per_page"])("%s", (name) => {
  test.each([
    ["0"],
    ["-1"],
    ["1.5"],
    ["1e3"],
    ["0x10"],
    [""],
    ["%201"],
    ["abc"],
    ["NaN"],
    ["Infinity"],
    ["%D9%A1"],
    ["0".repeat(40)],
    [`-${"9".repeat(40)}`],
    [`${"9".repeat(40)}x`],
  ])("%j is refused", async (value) => {
    const { status, body } = await api(bob).get(`${PATH}?${name}=${value}`);
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([name]);
  });

  test("given twice is refused", async () => {
    const { status, body } = await api(bob).get(`${PATH}?${name}=1&${name}=2`);
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([name]);
  });
});
