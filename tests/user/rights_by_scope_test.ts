// What a right on one scope or location lets a user do, and what the refusal says elsewhere.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { imports, importsHosts } from "../support/imports.ts";
import {
  aHost,
  alice,
  aNetwork,
  anItem,
  api,
  aScope,
  carol,
  idOf,
  service,
} from "../support/mod.ts";
import { giveRight, ownPlaces } from "../support/rights.ts";
import { apply, code, SCANNER } from "../support/scan_desk.ts";
import { latest } from "../support/undo.ts";
import { uploaded } from "../support/upload.ts";

const own = api(carol);
const refused = (detail: string) => ({ status: 403, body: { detail } });
const NETWORK = (scope: string) => refused(`This needs the right network on scope ${scope}`);

async function otherNetwork(name = "Lab") {
  await aScope({ name, supernet: "10.1.0.0/16" });
  return aNetwork({ scope: name, vlan_name: `${name}-net`, address: "10.1.1.0/24" });
}

test("a page previews a file with rows elsewhere, and applies none of it", async () => {
  await ownPlaces(carol);
  await anItem({ ics_id: "AAA001", quantity: 1 });
  const page = await browser(carol);
  const path = await uploaded(page, "ics_id,quantity\nOWN001,5\nAAA001,5\n");
  const preview = await page.get(path);
  expect([preview.status, texts(preview.text, ".imports p")[0]]).toEqual([200, "2 changed"]);
  const fields = elements(preview.text, ".imports input[type=hidden]");
  const hidden = fields.map(({ attributes: { name, value } }) => [name!, value!]);
  const applied = await page.submit(path, { ...Object.fromEntries(hidden), action: "all" });
  expect(applied.status).toBe(403);
  expect(texts(applied.text, "main").join()).toContain(
    "This needs the group inventory for AAA001, because AAA001 has no location",
  );
  expect((await own.get("/inventory/items/OWN001")).body.quantity).toBe(1);
});

describe("the right network on a scope", () => {
  test("creates, changes, deletes and undoes hosts with what belongs to them", async () => {
    await ownPlaces(carol);
    const host = { name: "mine", device_type: "Physical", network: "Own-net" };
    const made = await own.post("/network/hosts", host);
    expect(made.status).toBe(201);
    const { id, interfaces } = made.body;
    const second = { host: "mine", network: "Own-net", name: "mine-2" };
    const added = await own.post("/network/interfaces", second);
    const cname = await own.post("/network/cnames", {
      name: "www",
      interface_id: interfaces[0].id,
    });
    const done = [
      added,
      cname,
      await own.patch(`/network/hosts/${id}`, { description: "x", name: "mine-too" }),
      await own.patch(`/network/interfaces/${added.body.id}`, { mac: "02:42:42:00:00:01" }),
      await own.delete(`/network/cnames/${cname.body.id}`),
      await own.delete(`/network/interfaces/${added.body.id}`),
      await importsHosts(
        carol,
        [{ name: "mine-too", interface: "third", network: "Own-net" }],
        "?apply=all",
      ),
      await own.delete(`/network/hosts/${id}`),
      await own.post(`/changes/${await latest()}/undo`, {}),
    ];
    expect(done.map(({ status }) => status)).toEqual([201, 201, 200, 200, 204, 204, 200, 204, 201]);
    expect((await own.get("/network/hosts?name=mine-too")).body).toHaveLength(1);
  });

  test("is refused elsewhere by a sentence that names it, on both sides of a move", async () => {
    const { own_main, host } = await ownPlaces(carol);
    await otherNetwork();
    const theirs = await aHost({ name: "theirs", network: "Lab-net" });
    const main = theirs.interfaces[0].id;
    const answers = [
      await own.patch(`/network/hosts/${theirs.id}`, { description: "x" }),
      await own.patch(`/network/hosts/${theirs.id}`, {}),
      await own.patch(`/network/interfaces/${own_main}`, { network: "Lab-net" }),
      await own.patch(`/network/interfaces/${main}`, { network: "Own-net" }),
      await own.post("/network/hosts", { name: "n", device_type: "Physical", network: "Lab-net" }),
    ];
    expect(answers[1]!.status).toBe(422);
    expect(answers.filter((_, at) => at !== 1)).toMatchObject(Array(4).fill(NETWORK("Lab")));
    const alone = "because a host without interfaces is in no scope";
    expect(await own.post("/network/hosts", { name: "free", device_type: "VME" })).toMatchObject(
      refused(`This needs the group network, ${alone}`),
    );
    const { sql } = await service();
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update interfaces set created_by = ${await idOf(carol)}`;
    });
    expect(await own.delete(`/network/interfaces/${own_main}`)).toMatchObject(
      refused(`This needs the group network, ${alone}`),
    );
    // A host that is in both scopes needs both rights.
    await api(alice).post("/network/interfaces", {
      host: "own-host",
      network: "Lab-net",
      name: "own-b",
    });
    expect(await own.patch(`/network/hosts/${host}`, { description: "x" })).toMatchObject(
      NETWORK("Lab"),
    );
    const [lab] = await sql`select id from scopes where name = 'Lab'`;
    await giveRight(carol, "network", lab.id);
    expect((await own.patch(`/network/hosts/${host}`, { description: "x" })).status).toBe(200);
  });

  test("does not apply to what is in no scope, and a group keeps it everywhere", async () => {
    await ownPlaces(carol);
    await otherNetwork();
    const theirs = await aHost({ name: "theirs", network: "Lab-net" });
    const group = { name: "G", hosts: ["own-host"] };
    expect((await own.post("/network/groups", group)).status).toBe(403);
    const { sql } = await service();
    await sql`update users set groups = '{network}' where username = 'carol'`;
    await Bun.sleep(1000);
    expect((await own.post("/network/groups", group)).status).toBe(201);
    expect((await own.patch(`/network/hosts/${theirs.id}`, { description: "x" })).status).toBe(200);
  });

  test("is decided by where the host is when it is written", async () => {
    const { host, own_main } = await ownPlaces(carol);
    const { id } = await otherNetwork();
    const { sql } = await service();
    let answer: Promise<{ status: number }> | undefined;
    await sql.begin(async (tx) => {
      await tx`select from hosts where id = ${host} for update`;
      answer = own.patch(`/network/hosts/${host}`, { description: "x" });
      await Bun.sleep(100);
      await tx`update interfaces set network_id = ${id}, ip = '10.1.1.9' where id = ${own_main}`;
    });
    expect(await answer!).toMatchObject(NETWORK("Lab"));
  });
});

describe("the right inventory on a location", () => {
  test("creates and changes items there and below, by each way", async () => {
    const { own_item } = await ownPlaces(carol);
    const made = await own.post("/inventory/items", { serial_number: "S1", location: "Own hall" });
    const id = made.body.ics_id;
    const done = [
      made,
      await own.patch(`/inventory/items/${id}`, { location: "Own rack", quantity: 2 }),
      await own.patch(`/inventory/items/${id}`, { parent: "OWN001" }),
      await own.post(`/inventory/items/${id}/comments`, { body: "x" }),
      await own.post("/inventory/macs", { address: "02:42:42:00:00:01", item_id: own_item }),
      await imports(carol, [{ ics_id: "OWN001", quantity: 4 }], "?apply=all"),
      await own.post(`/changes/${await latest()}/undo`, {}),
      await own.post("/inventory/locations", { name: "Shelf", parent: "Own rack" }),
    ];
    expect(done.map(({ status }) => status)).toEqual([201, 200, 200, 201, 201, 200, 201, 201]);
    const desk = await browser(carol);
    const { text } = await desk.submit(SCANNER, { scan: `${code("location", "Shelf")}\nOWN001` });
    expect((await apply(desk, text)).status).toBe(303);
    expect((await own.get("/inventory/items/OWN001")).body.location).toBe("Shelf");
  });

  test("is refused elsewhere, also for what moves along", async () => {
    const { rack } = await ownPlaces(carol);
    await api(alice).post("/inventory/locations", { name: "Hall 3" });
    await anItem({ ics_id: "AAA001", serial_number: "A", location: "Hall 3" });
    await anItem({
      serial_number: "B",
      parent_id: (await own.get("/inventory/items/OWN001")).body.id,
    });
    const HALL = refused("This needs the right inventory on location Hall 3");
    const nowhere = (why: string) => refused(`This needs the group inventory, because ${why}`);
    const answers = [
      await own.patch("/inventory/items/AAA001", { quantity: 2 }),
      await own.patch("/inventory/items/AAA001", { location: "Own hall" }),
      await own.post("/inventory/items/AAA001/comments", { body: "x" }),
      await own.post("/inventory/items", { serial_number: "C" }),
      await own.patch(`/inventory/locations/${rack}`, { parent: null }),
      await own.patch("/inventory/items/OWN001", { location: "Hall 3" }),
    ];
    expect(answers).toMatchObject([
      ...[HALL, HALL, HALL],
      nowhere("ZZA001 has no location"),
      nowhere("the location is not inside of another one"),
      refused("This needs the right inventory on location Hall 3 for OWN001"),
    ]);
    const rows = [
      { ics_id: "OWN001", quantity: 7 },
      { ics_id: "AAA001", quantity: 7 },
    ];
    for (const query of ["?apply=all", "?apply=good", "?apply=all&dry_run=true"]) {
      expect(await imports(carol, rows, query)).toMatchObject(
        refused("This needs the right inventory on location Hall 3 for AAA001"),
      );
    }
    // Below the place where the right is, wherever the location is by now.
    const { sql } = await service();
    await sql`update locations set parent_id = (select id from locations where name = 'Hall 3') where id = ${rack}`;
    expect(await own.patch("/inventory/items/OWN001", { quantity: 2 })).toMatchObject({
      status: 403,
    });
  });
});

test("pages offer what works: in the own places, and not elsewhere", async () => {
  await ownPlaces(carol);
  await otherNetwork();
  await aHost({ name: "theirs", network: "Lab-net" });
  await api(alice).post("/inventory/locations", { name: "Hall 3" });
  await anItem({ ics_id: "AAA001", serial_number: "A", location: "Hall 3" });
  const desk = await browser(carol);
  const edits = async (path: string) => {
    const { text } = await desk.get(path);
    return (
      elements(text, "a[data-key=e], a.button[href*='/edit/'], textarea[name=body]").length > 0
    );
  };
  const places = ["/network/hosts/view/own-host", "/inventory/items/view/OWN001"];
  const others = ["/network/hosts/view/theirs", "/inventory/items/view/AAA001"];
  expect(await Promise.all([...places, ...others].map(edits))).toEqual([true, true, false, false]);
  const forms = ["network/hosts/edit/own-host", "inventory/items/edit/OWN001"];
  const refusedForms = ["network/hosts/edit/theirs", "inventory/items/edit/AAA001"];
  const statuses = await Promise.all(
    [...forms, "network/hosts/create", ...refusedForms, "network/groups/create"].map(
      async (path) => (await desk.get(`/${path}`)).status,
    ),
  );
  expect(statuses).toEqual([200, 200, 200, 403, 403, 403]);
  const { text } = await desk.get("/network/hosts/edit/theirs");
  expect(text).toContain("This needs the right network on scope Lab");
  const lists = ["network/hosts", "network/interfaces", "inventory/items"];
  const boxes = lists.map(async (list) => {
    const { text: html } = await desk.get(`/${list}`);
    const labels = elements(html, "input[form=bulk][name=id]").map(
      ({ attributes }) => attributes["aria-label"],
    );
    return [...labels, ...texts(html, "a[title=Edit] .hidden")];
  });
  expect(await Promise.all(boxes)).toEqual([
    ["Select own-host"],
    ["Select own-host", "Edit own-host"],
    ["Select OWN001"],
  ]);
});
