// Walking a list by cursor, and records with some of their fields.
import { expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { aHost, aLocation, alice, anItem, api, aStatus, dave, inOrder } from "../support/mod.ts";

const admin = api(alice);

interface Part {
  body: Array<{ id: number; name: string }>;
  next: string | undefined;
}

async function part(path: string): Promise<Part> {
  const { status, body, headers } = await admin.get(path);
  expect([path, status, headers.get("x-total-count")]).toEqual([path, 200, null]);
  const [, next] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return { body, next };
}

async function walk(path: string, between?: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  let next: string | undefined = path;
  while (next) {
    const found: Part = await part(next);
    names.push(...found.body.map(({ name }) => name));
    next = found.next;
    await between?.();
  }
  return names;
}

test("a walk loses and repeats no record while others are made and deleted by many clients", async () => {
  const path = "/inventory/locations";
  const kept = Array.from({ length: 60 }, (_, at) => `Kept ${at}`);
  const gone = Array.from({ length: 60 }, (_, at) => `Gone ${at}`);
  const ids: number[] = [];
  for (const [at, name] of kept.entries()) {
    await aLocation({ name });
    ids.push((await aLocation({ name: gone[at]! })).id);
  }
  let made = 0;
  let isWalking = true;
  const writing = concurrently(8, async (client) => {
    while (isWalking) {
      made += 1;
      await admin.post(path, { name: `Made ${client} ${made}` });
      const id = ids.shift();
      if (id) await admin.delete(`${path}/${id}`);
    }
  });
  const names = await walk(`${path}?cursor=*&per_page=7`, () => Bun.sleep(5));
  isWalking = false;
  await writing;
  expect(names.filter((name) => name.startsWith("Kept"))).toEqual(kept);
  expect(new Set(names).size).toBe(names.length);
});

test("a walk keeps its filters and its query, and can be taken up later", async () => {
  await inOrder(["web-1", "db-1", "web-2", "web-3"].map((name) => () => aHost({ name })));
  const path = "/network/hosts?q=web*&per_page=2&cursor=*";
  expect(await walk(path)).toEqual(["web-1", "web-2", "web-3"]);
  const { next = "" } = await part(path);
  const [first] = await Promise.all([part(next), part(next)]);
  expect(first.body.map(({ name }) => name)).toEqual(["web-3"]);
  expect(await walk("/network/hosts?name__startswith=web&cursor=*&per_page=1")).toEqual([
    "web-1",
    "web-2",
    "web-3",
  ]);
});

test("a cursor of another list, and what a walk has its own way of, are refused by name", async () => {
  await inOrder(["One", "Two", "Three"].map((name) => () => aLocation({ name })));
  const { next = "" } = await part("/inventory/locations?cursor=*&per_page=2");
  const cursor = new URLSearchParams(next.split("?")[1]).get("cursor");
  const message = "This is no cursor of this list with these filters; begin again with *";
  for (const path of [
    `/inventory/statuses?cursor=${cursor}`,
    `/inventory/locations?name=One&cursor=${cursor}`,
    "/inventory/locations?cursor=7",
    "/inventory/locations?cursor=%00",
    "/inventory/locations?cursor=99999999999999.a",
  ]) {
    const { status, body } = await admin.get(path);
    expect([path, status, body.errors]).toEqual([path, 422, [{ field: "cursor", message }]]);
  }
  const { status, body } = await admin.get("/inventory/locations?cursor=*&page=2&sort=name");
  expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([
    422,
    ["page", "sort"],
  ]);
});

test("lists and records have the wanted fields alone", async () => {
  await aStatus({ name: "In use" });
  const { id } = await anItem({ ics_id: "AAA001", serial_number: "S-1", status: "In use" });
  const own = { ics_id: "AAA001", status: "In use" };
  const list = "/inventory/items";
  for (const path of [`${list}?fields=ics_id,status`, `${list}?fields=status&fields=ics_id`]) {
    const { body, headers } = await admin.get(path);
    expect([body, headers.get("link")]).toEqual([[own], expect.stringContaining("fields=")]);
  }
  expect((await admin.get(`${list}/AAA001?fields=ics_id,status`)).body).toEqual(own);
  expect((await admin.get(`${list}/AAA001?fields=id`)).body).toEqual({ id });
  const { body: past } = await admin.get(
    `${list}/AAA001?fields=ics_id&at=${new Date().toISOString()}`,
  );
  expect(past).toEqual({ ics_id: "AAA001" });
  for (const path of [list, `${list}/AAA001`, "/network/hosts", "/inventory/items?ics_id=AAA999"]) {
    const { status, body } = await admin.get(
      `${path}${path.includes("?") ? "&" : "?"}fields=id,colour`,
    );
    const [{ field, message }] = body.errors;
    expect([path, status, field]).toEqual([path, 422, "fields"]);
    expect(message).toStartWith("There is no field 'colour'; there are id, ");
  }
  const seen = await api(dave).get("/network/networks?fields=vlan_name,sensitive");
  expect(seen.status).toBe(200);
});
