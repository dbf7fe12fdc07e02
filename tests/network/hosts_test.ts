import { describe, expect, test } from "bun:test";
import type { Answer } from "../support/api.ts";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aHost,
  alice,
  aModel,
  aNetwork,
  anInterface,
  anItem,
  api,
  bob,
  carol,
  dave,
  fieldsOf,
  namesOf,
  service,
} from "../support/mod.ts";

const PATH = "/network/hosts";

async function aGroup(name: string, type = "static"): Promise<void> {
  const { sql } = await service();
  await sql`insert into groups (name, type, query) values (${name}, ${type}, ${type === "query" ? "x" : null})`;
}

describe("hosts", () => {
  test("are created with their related records", async () => {
    const model = await aModel({ name: "R640" });
    await anItem({ ics_id: "AAA001", model: model.name });
    await aGroup("Archivers");
    const { status, body } = await api(dave).post(PATH, {
      name: "Archiver-01",
      device_type: "physical",
      is_ioc: true,
      description: "Keeps what the machine says",
      items: ["aaa001"],
      automation_vars: { disks: ["sda", "sdb"], nested: { deep: 1.5 } },
      automation_groups: ["archivers"],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: body.id,
      tags: [],
      site: {},
      name: "archiver-01",
      fqdn: "archiver-01",
      is_ioc: true,
      device_type: "Physical",
      model: "R640",
      description: "Keeps what the machine says",
      items: ["AAA001"],
      interfaces: [],
      automation_vars: { disks: ["sda", "sdb"], nested: { deep: 1.5 } },
      automation_groups: ["Archivers"],
      user: "dave",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    expect((await api(carol).get(`${PATH}/${body.id}`)).body).toEqual(body);
    expect((await api(carol).get("/inventory/items/AAA001")).body.host).toBe("archiver-01");
  });

  test("are created with their first interface in one call, or not at all", async () => {
    const network = await aNetwork({ vlan_name: "Lab-1" });
    const given = {
      name: "web-01",
      device_type: "Virtual",
      network: "lab-1",
      mac: "0242.4200.0001",
    };
    const once = { headers: { "idempotency-key": "once" } };
    const tried = await api(dave).post(`${PATH}?dry_run=true`, given);
    const { status, body } = await api(dave).post(PATH, given, once);
    const again = await api(dave).post(PATH, given, once);
    expect([status, again.body]).toEqual([201, body]);
    expect(body).toMatchObject({ fqdn: `web-01.${network.domain}`, items: [] });
    const [main] = (await api(carol).get("/network/interfaces?host=web-01")).body;
    expect(main).toMatchObject({
      name: "web-01",
      is_main: true,
      ip: network.first_ip,
      mac: "02:42:42:00:00:01",
    });
    expect(body.interfaces).toEqual([main]);
    expect(tried.body.interfaces).toEqual([{ ...main, id: tried.body.interfaces[0].id }]);
    expect((await api(carol).get(`${PATH}/${body.id}`)).body.interfaces).toEqual(["web-01"]);
    for (const [wrong, field] of [
      [{ network: "lab-1", ip: "10.255.0.1" }, "ip"],
      [{ network: "lab-1", ip: main.ip }, "ip"],
      [{ network: "lab-1", mac: "024242000001" }, "mac"],
      [{ network: "nowhere" }, "network"],
      [{ ip: "10.1.1.1" }, "network"],
      [{ network: "lab-1", automation_groups: ["nobody"] }, "automation_groups"],
    ] as const) {
      const refused = await api(dave).post(PATH, {
        name: "web-02",
        device_type: "Virtual",
        ...wrong,
      });
      expect([wrong, refused.status, fieldsOf(refused.body)]).toEqual([wrong, 422, [field]]);
    }
    expect(namesOf((await api(carol).get(PATH)).body)).toEqual(["web-01"]);
  });

  test.each([alice, dave])("are returned to $username as they are read afterwards", async (by) => {
    await aNetwork({ vlan_name: "Lab-1" });
    for (const [at, fields] of [
      {},
      { description: "Door", is_ioc: true, automation_vars: { a: [1] } },
      { network: "lab-1" },
      { network: "Lab-1", mac: "0242.4200.0001", description: "Gate" },
    ].entries()) {
      const given = { device_type: "physical", ...fields };
      const plain = await api(by).post(PATH, { ...given, name: `Plain-${at}`, mac: undefined });
      const whole = await api(by).post(`${PATH}?recursive=true`, { ...given, name: `Whole-${at}` });
      const read = async ({ body }: Answer) => (await api(by).get(`${PATH}/${body.id}`)).body;
      const nested = async ({ body }: Answer) =>
        (await api(by).get(`${PATH}/${body.id}?recursive=true`)).body;
      expect(whole.body).toEqual(await nested(whole));
      const { interfaces } = await nested(plain);
      expect(plain.body).toEqual({ ...(await read(plain)), interfaces });
    }
  });

  test.each([
    [{ name: "a" }, ["name"]],
    [{ name: "-ab" }, ["name"]],
    [{ name: "ab-" }, ["name"]],
    [{ name: "a_b" }, ["name"]],
    [{ name: "a.b" }, ["name"]],
    [{ name: "a".repeat(64) }, ["name"]],
    [{ device_type: "Toaster" }, ["device_type"]],
    [{ is_ioc: "yes" }, ["is_ioc"]],
    [{ automation_vars: [] }, ["automation_vars"]],
    [{ automation_vars: "x" }, ["automation_vars"]],
    [
      { items: ["AAA999"], automation_groups: ["nobody"], device_type: "No" },
      ["device_type", "items", "automation_groups"],
    ],
    [{ fqdn: "a.b" }, ["fqdn"]],
  ])("are refused with %p", async (fields, wrong) => {
    const { status, body } = await api(dave).post(PATH, {
      name: "web-01",
      device_type: "Physical",
      ...fields,
    });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(wrong);
    expect((await api(carol).get(PATH)).body).toEqual([]);
  });

  test("are refused with an unknown device type and claim no address", async () => {
    const { vlan_name: network, first_ip } = await aNetwork();
    const input = { name: "web-01", device_type: "Toaster", network };
    const { status, body } = await api(dave).post(PATH, input);
    expect(status).toBe(422);
    expect(body.detail).toBe("device_type: 'Toaster' is not a valid device type");
    const added = await api(dave).post(PATH, { ...input, device_type: "PHYSICAL" });
    expect(added.body.device_type).toBe("Physical");
    expect(added.body.interfaces[0].ip).toBe(first_ip);
  });

  test("are not added to a group with a query", async () => {
    await aGroup("Chosen", "query");
    const { id } = await aHost();
    const { status, body } = await api(dave).patch(`${PATH}/${id}`, {
      automation_groups: ["Chosen"],
    });
    expect(status).toBe(422);
    expect(body.detail).toBe("automation_groups: The group 'Chosen' finds its hosts by a query");
  });

  test("change only the fields that are sent", async () => {
    await anItem({ ics_id: "AAA001" });
    await anItem({ ics_id: "AAA002" });
    await aGroup("One");
    await aGroup("Two");
    const host = await aHost({
      name: "web-01",
      description: "Old",
      items: ["AAA001"],
      automation_groups: ["One"],
      automation_vars: { a: 1 },
    });
    const path = `${PATH}/${host.id}`;
    const first = await api(dave).patch(path, { items: ["AAA002"], automation_groups: ["Two"] });
    expect(first.body).toEqual({
      ...host,
      items: ["AAA002"],
      automation_groups: ["Two"],
      user: "dave",
      updated_at: first.body.updated_at,
    });
    const second = await api(dave).patch(path, {
      description: null,
      is_ioc: true,
      device_type: "VME",
      automation_vars: {},
      automation_groups: [],
      items: [],
    });
    expect(second.body).toMatchObject({
      description: null,
      is_ioc: true,
      device_type: "VME",
      automation_vars: {},
      automation_groups: [],
      items: [],
    });
    expect((await api(dave).patch(path, {})).status).toBe(422);
    expect((await api(dave).patch(path, { device_type: null })).status).toBe(422);
    expect((await api(bob).patch(path, { is_ioc: false })).status).toBe(403);
  });

  test("rename their main interface with them", async () => {
    const network = await aNetwork();
    const host = await aHost({ name: "old-name", network: network.vlan_name });
    await anInterface({ host: "old-name", network: network.vlan_name, name: "second" });
    const { body } = await api(dave).patch(`${PATH}/${host.id}`, { name: "New-name" });
    expect(body).toMatchObject({
      name: "new-name",
      fqdn: `new-name.${network.domain}`,
      interfaces: ["new-name", "second"],
    });
  });

  test("take their full name from the main interface: the one of their name, else the first", async () => {
    const [one, two] = [await aNetwork(), await aNetwork()];
    const host = await aHost({ name: "web-01" });
    await anInterface({ host: "web-01", network: one.vlan_name, name: "first" });
    const fqdn = async () => (await api(carol).get(`${PATH}/${host.id}`)).body.fqdn;
    expect(await fqdn()).toBe(`web-01.${one.domain}`);
    await anInterface({ host: "web-01", network: two.vlan_name, name: "web-01" });
    expect(await fqdn()).toBe(`web-01.${two.domain}`);
    expect((await api(carol).get(`${PATH}?fqdn=web-01.${two.domain}`)).body).toHaveLength(1);
  });

  test("have stack members only if they are network devices", async () => {
    const host = await aHost({ device_type: "Network" });
    await anItem({ host_id: host.id, stack_member: 3 });
    const { status, body } = await api(dave).patch(`${PATH}/${host.id}`, {
      device_type: "Physical",
    });
    expect(status).toBe(422);
    expect(body.detail).toBe("device_type: 1 of its items is a stack member; remove them first");
  });

  test("nest their interfaces and items with recursive", async () => {
    const network = await aNetwork();
    await anItem({ ics_id: "AAA001", serial_number: "S1" });
    await aHost({ name: "web-01", network: network.vlan_name, items: ["AAA001"] });
    const [nested] = (await api(carol).get(`${PATH}?recursive=true`)).body;
    expect(nested.interfaces).toEqual((await api(carol).get("/network/interfaces")).body);
    expect(nested.items).toEqual((await api(carol).get("/inventory/items")).body);
  });

  test("are found by their fields, addresses and references", async () => {
    const network = await aNetwork({ vlan_name: "Lab-1" });
    await aGroup("Archivers");
    await anItem({ ics_id: "AAA001" });
    const mac = "02:42:42:00:00:01";
    await aHost({
      name: "found",
      network: "Lab-1",
      mac,
      is_ioc: true,
      items: ["AAA001"],
      automation_groups: ["Archivers"],
    });
    await aHost({ name: "other", device_type: "VME" });
    for (const query of [
      "name=FOUND",
      "name__startswith=fou",
      "is_ioc=true",
      "device_type=physical",
      "device_type__ne=VME",
      `ip=${network.first_ip}`,
      `ip=${network.address}`,
      "mac=0242-4200-0001".replaceAll("-", "."),
      "mac=024242000001",
      "network=lab-1",
      `network_id=${network.id}`,
      "interfaces=found",
      "interfaces__isnull=false",
      "items=aaa001",
      "automation_groups=archivers",
      "automation_groups__isnull=false",
      "q=foun*",
    ]) {
      const { body } = await api(carol).get(`${PATH}?${query}`);
      expect([query, Array.isArray(body) ? namesOf(body) : body]).toEqual([query, ["found"]]);
    }
    expect(namesOf((await api(carol).get(`${PATH}?network__ne=Lab-1`)).body)).toEqual(["other"]);
    expect((await api(carol).get(`${PATH}?ip=somewhere`)).status).toBe(422);
  });

  test("are deleted with their interfaces and cnames, and free their items", async () => {
    const network = await aNetwork();
    await anItem({ ics_id: "AAA001" });
    const { body: host } = await api(dave).post(PATH, {
      name: "web-01",
      device_type: "Physical",
      network: network.vlan_name,
      items: ["AAA001"],
    });
    const [main] = (await api(carol).get("/network/interfaces")).body;
    await api(dave).post("/network/cnames", { name: "www", interface_id: main.id });
    expect((await api(dave).delete(`${PATH}/${host.id}`)).status).toBe(204);
    for (const path of ["hosts", "interfaces", "cnames"]) {
      expect([path, (await api(carol).get(`/network/${path}`)).body]).toEqual([path, []]);
    }
    expect((await api(carol).get("/inventory/items/AAA001")).body.host).toBeNull();
    expect((await api(dave).delete(`${PATH}/${host.id}`)).status).toBe(404);
  });

  test("of twenty changes of a description based on one version one succeeds", async () => {
    const { id } = await aHost();
    const path = `${PATH}/${id}`;
    const tag = (await api(dave).get(path)).headers.get("etag") ?? "none";
    const asRead = { headers: { "if-match": tag } };
    const answers = await concurrently(20, (number) =>
      api(dave).patch(path, { description: `Number ${number}` }, asRead),
    );
    expect(counted(answers)).toEqual({ 200: 1, 412: 19 });
    const { body } = await api(dave).get(path);
    expect(body.description).toBe(answers.find(({ status }) => status === 200)?.body.description);
    const any = { headers: { "if-match": "*" } };
    expect((await api(dave).patch(path, { description: "Any" }, any)).status).toBe(200);
    const gone = await api(dave).patch(`${PATH}/2147483647`, { description: "Gone" }, asRead);
    expect(gone.status).toBe(404);
  });

  test("are answered with what another change has added meanwhile", async () => {
    const { id } = await aHost();
    const item = await anItem({ ics_id: "AAA001" });
    const { sql } = await service();
    const changing = await sql.begin(async (tx) => {
      await tx`update hosts set is_ioc = true where id = ${id}`;
      const answer = api(dave).patch(`${PATH}/${id}`, { description: "Mine" });
      for (let waiting = 0, tries = 0; waiting < 1 && tries < 400; tries += 1) {
        await Bun.sleep(5);
        [{ waiting }] = await sql`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
      }
      await tx`update items set host_id = ${id} where id = ${item.id}`;
      return { answer };
    });
    const { status, body } = await changing.answer;
    expect([status, body]).toMatchObject([
      200,
      { is_ioc: true, description: "Mine", items: ["AAA001"] },
    ]);
  });

  test("leave no change set when they are refused", async () => {
    const { sql } = await service();
    await aNetwork({ vlan_name: "Lab" });
    await aHost({ name: "web-01" });
    const countSets = async () => {
      const [{ sets }] = await sql`select count(*)::int as sets from change_sets`;
      return sets;
    };
    const before = await countSets();
    const wanted = { device_type: "Physical", network: "Lab" };
    const refused = [
      await api(alice).post(PATH, { ...wanted, name: "web-01" }),
      await api(alice).post(PATH, { ...wanted, name: "web-02", device_type: "None" }),
      await api(alice).post(PATH, { ...wanted, name: "web-02", network: "None" }),
      await api(alice).patch(`${PATH}/2147483647`, { description: "Gone" }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 404]);
    expect(await countSets()).toBe(before);
  });

  test("are deleted by their author and by admins", async () => {
    const { id } = await aHost();
    expect((await api(bob).delete(`${PATH}/${id}`)).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${id}`)).status).toBe(403);
    expect((await api(alice).delete(`${PATH}/${id}`)).status).toBe(204);
  });

  test("of thirty-two creates with one name one succeeds", async () => {
    const answers = await concurrently(32, (number) =>
      api(dave).post(PATH, { name: number % 2 ? "web-01" : "WEB-01", device_type: "Physical" }),
    );
    expect(counted(answers)).toEqual({ 201: 1, 422: 31 });
    const refused = answers.find(({ status }) => status === 422)!;
    expect(refused.body.errors).toEqual([{ field: "name", message: "This name is not available" }]);
  });
});
