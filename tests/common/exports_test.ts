// A file of a list is read by other statements than the list: they must give the same values.
import { expect, test } from "bun:test";
import { sources } from "../../pages/lists/sources.ts";
import { browser } from "../support/browser.ts";
import { fileAt } from "../support/jobs.ts";
import { aLocation, alice, api, bob, carol, service } from "../support/mod.ts";
import { aSiteWithSecrets } from "../support/site_with_secrets.ts";
import { recordsOf, type Value } from "../support/workbook.ts";

type Listed = Record<string, unknown>;

/** As a file shows it. */
function cellOf(value: unknown): Value {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "object" && value ? JSON.stringify(value) : (value as Value);
}

async function aSite(): Promise<void> {
  await aSiteWithSecrets();
  await aLocation({ name: "Hall A" });
  const { body: crate } = await api(bob).patch("/inventory/items/AAA003", { location: "Hall A" });
  for (const [at, ics_id] of ["AAB003", "AAB001", "AAB002"].entries()) {
    const child = { ics_id, serial_number: `inside ${at}`, parent_id: crate.id };
    await api(bob).post("/inventory/items", child);
    await api(bob).post("/inventory/items/AAA003/comments", { body: `Comment ${3 - at}` });
    const address = `02:42:42:00:01:0${3 - at}`;
    await api(bob).post("/inventory/macs", { address, item_id: crate.id });
  }
  for (const name of ["aa-web-01", "zz-web-01"]) {
    await api(alice).post("/network/interfaces", { host: "web-01", network: "Open", name });
  }
  await api(alice).post("/network/groups", { name: "another Group" });
  const [{ id }] = (await api(alice).get("/network/hosts?name=web-01")).body;
  const automation_groups = ["Kept", "another Group", "Child"];
  await api(alice).patch(`/network/hosts/${id}`, { automation_groups });
}

test("a file of any list has the values of the API, to whoever reads it", async () => {
  await aSite();
  for (const person of [alice, carol]) {
    const own = await browser(person);
    // Those of admins have no list in the API.
    for (const [path, { resource }] of sources) {
      if (path.startsWith("/admin/")) continue;
      const listed: Listed[] = (await api(person).get(`${resource.path}?sort=id&per_page=100`))
        .body;
      const file = `/lists/export?list=${path}&format=xlsx&sort=id`;
      const rows = recordsOf(await fileAt(own, file));
      expect([person.username, path, rows.length]).toEqual([person.username, path, listed.length]);
      for (const [at, row] of rows.entries()) {
        const known = Object.entries(listed[at]!).filter(([name]) => name in row);
        expect(known.length, path).toBeGreaterThan(1);
        expect(row, path).toMatchObject(
          Object.fromEntries(known.map(([name, value]) => [name, cellOf(value)])),
        );
      }
    }
  }
});

test("a file has the columns that a list shows, also those that its records have only there", async () => {
  await aSite();
  for (const person of [alice, carol]) {
    const own = await browser(person);
    const interfaces: Listed[] = (await api(person).get("/network/interfaces?host=web-01&sort=id"))
      .body;
    const isMain = ({ name }: Listed) => name === "web-01";
    const inOrder = [...interfaces.filter(isMain), ...interfaces.filter((one) => !isMain(one))];
    const valuesOf = (field: string) => inOrder.flatMap((one) => one[field] ?? []).join(", ");
    const hosts = "/lists/export?list=/network/hosts&format=xlsx&name=web-01";
    const [host] = recordsOf(await fileAt(own, `${hosts}&cols=network&cols=ip&cols=mac`));
    expect(host).toEqual({
      name: "web-01",
      network: valuesOf("network"),
      ip: valuesOf("ip"),
      mac: valuesOf("mac") || null,
    });
    const groups: Listed[] = (await api(person).get("/network/groups?sort=name")).body;
    const file = "/lists/export?list=/network/groups&format=xlsx&sort=name&cols=host_count";
    const counts = groups.map(({ name, hosts }) => [name, (hosts as string[]).length]);
    expect(recordsOf(await fileAt(own, file)).map(Object.values)).toEqual(counts);
    // What a list leaves out is not in its file, either.
    const networks = "/lists/export?list=/network/networks&format=xlsx&cols=interfaces";
    const [network] = recordsOf(await fileAt(own, networks));
    expect(Object.keys(network ?? {})).toEqual(["vlan_name"]);
  }
});

test("a file has every record in the order of the list, however many batches there are", async () => {
  const { sql } = await service();
  await sql`insert into locations (name, qrcode) select 'Room ' || n, '' from generate_series(1, 2500) n`;
  const { text } = await (await browser(carol)).get(
    "/lists/export?list=/inventory/attributes/location&cols=name&sort=-id",
  );
  const names = text.trim().split("\r\n").slice(1);
  expect(names).toEqual(Array.from({ length: 2500 }, (_, at) => `Room ${2500 - at}`));
});
