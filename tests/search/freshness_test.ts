// A change is found by the next search on every instance, also by terms that use the vocabulary.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { endAll } from "../running/processes.ts";
import { serving } from "../running/program.ts";
import { aCname, aGroup, aHost, aNetwork, anInterface, anItem } from "../support/makers.ts";
import { alice, api, carol, namesOf, service } from "../support/mod.ts";

setDefaultTimeout(120_000);

let other: string;

beforeAll(async () => {
  const { url } = await service();
  other = (await serving({ DATABASE_URL: url })).origin;
});
afterAll(endAll);

async function found(query: string, origin?: string): Promise<string[]> {
  const path = `/network/hosts/search?sort=name&q=${encodeURIComponent(query)}`;
  const { status, body } = await api(carol, origin).get(path);
  expect([query, status]).toEqual([query, 200]);
  return namesOf(body);
}

/** On both instances, by an exact term, a fuzzy term, and a regular expression over all values. */
async function isFound(field: string, text: string, names: string[]) {
  const mistyped = `${text.slice(0, 2)}q${text.slice(3)}`;
  const queries = [
    `${field}:"${text}"`,
    `"${text}"`,
    `${field}:${mistyped}~1`,
    `${mistyped}~1`,
    `${field}:/${text.replace(/[-.]/g, "\\$&")}~(.+)/`,
  ];
  for (const origin of [undefined, other]) {
    const answers: Array<[string, string[]]> = [];
    for (const query of queries) answers.push([query, await found(query, origin)]);
    expect(answers, origin ?? "this instance").toEqual(queries.map((query) => [query, names]));
  }
}

async function changed(path: string, fields: object) {
  const { status, text } = await api(alice).patch(path, fields);
  expect([status, text]).toEqual([200, expect.anything()]);
}

describe("while somebody is writing something else", () => {
  test("a cached result is not read again", async () => {
    const { sql } = await service();
    await sql.begin(async (busy) => {
      await busy`select pg_current_xact_id()`;
      const asked = "/network/hosts?q=items.comments:ratlte~1";
      expect((await api(carol).get(asked)).status).toBe(200);
      // Statements that read comments wait from now on.
      await busy`lock table comments in access exclusive mode`;
      expect((await api(carol).get(asked)).status).toBe(200);
    });
  });
});

describe("a host is found right after a change of", () => {
  test("its name, its full name, and not after its deletion", async () => {
    const network = await aNetwork();
    const { id, fqdn } = await aHost({ name: "krypton", network: network.vlan_name });
    await isFound("name", "krypton", ["krypton"]);
    await isFound("fqdn", fqdn, ["krypton"]);
    await changed(`/network/hosts/${id}`, { name: "xenonite" });
    await isFound("name", "krypton", []);
    await isFound("name", "xenonite", ["xenonite"]);
    await isFound("fqdn", fqdn.replace("krypton", "xenonite"), ["xenonite"]);
    await api(alice).delete(`/network/hosts/${id}`);
    await isFound("name", "xenonite", []);
  });

  test("its interface, a cname of that, the network and the later name of that", async () => {
    const network = await aNetwork({ vlan_name: "Quarry" });
    await aHost({ name: "granite" });
    const { id } = await anInterface({ name: "feldspar", host: "granite", network: "Quarry" });
    await aCname({ name: "mica-schist", interface_id: id });
    await isFound("interfaces.name", "feldspar", ["granite"]);
    await isFound("cname", `mica-schist.${network.domain}`, ["granite"]);
    await isFound("network", "quarry", ["granite"]);
    await changed(`/network/networks/${network.id}`, { vlan_name: "Stonepit" });
    await isFound("network", "quarry", []);
    await isFound("network", "stonepit", ["granite"]);
    await changed(`/network/scopes/${(await scopeOf(network.scope)).id}`, { name: "Geology" });
    await isFound("scope", "geology", ["granite"]);
    await api(alice).delete(`/network/interfaces/${id}`);
    await isFound("interfaces.name", "feldspar", []);
    await isFound("scope", "geology", []);
  });

  test("its group, its item, its variables and the words of its description", async () => {
    const group = await aGroup({ name: "Sedimentary" });
    await anItem({ ics_id: "QQQ123", serial_number: "sandstone" });
    const { id } = await aHost({ name: "basalt" });
    await isFound("group", "sedimentary", []);
    await changed(`/network/hosts/${id}`, {
      automation_groups: ["Sedimentary"],
      items: ["QQQ123"],
      automation_vars: { where: { rock: "limestone" } },
      description: "Found in the dolomites.",
    });
    await isFound("group", "sedimentary", ["basalt"]);
    await isFound("items.serial_number", "sandstone", ["basalt"]);
    await isFound("automation_vars.where.rock", "limestone", ["basalt"]);
    await isFound("description", "dolomites", ["basalt"]);
    await changed(`/network/groups/${group.id}`, { name: "Volcanic" });
    await isFound("group", "volcanic", ["basalt"]);
    await changed(`/network/hosts/${id}`, { items: [], automation_vars: {}, description: null });
    await isFound("items.serial_number", "sandstone", []);
    await isFound("automation_vars.where.rock", "limestone", []);
    await isFound("description", "dolomites", []);
  });
});

async function scopeOf(name: string) {
  return (await api(alice).get(`/network/scopes?name=${name}`)).body[0];
}

describe("among concurrent writers", () => {
  test("each finds its own host at once, though others are rolled back or commit late", async () => {
    const { sql } = await service();
    const network = await aNetwork();
    // The id of its change is lower than all others, but it commits after them.
    const late = await sql.reserve();
    await late`begin`;
    await late`insert into hosts (name, device_type_id) select 'latecomer', id from device_types limit 1`;
    const write = async (number: number) => {
      const name = `swarm-${String.fromCharCode(97 + number)}-${"abcdefgh"[number % 8]}zz`;
      const origin = number % 2 === 0 ? undefined : other;
      await api(alice, origin).post("/network/hosts", { name, device_type: "Nothing" });
      const { status } = await api(alice, origin).post("/network/hosts", {
        name,
        device_type: "Physical",
        network: network.vlan_name,
      });
      const near = await found(`name:${name.slice(0, -1)}~1`, origin ? undefined : other);
      return { name, status, near };
    };
    const done = await Promise.all(Array.from({ length: 16 }, (_, number) => write(number)));
    for (const { name, status, near } of done)
      expect({ name, status, near }).toEqual({ name, status: 201, near: [name] });
    expect(await found("name:latecomr~1")).toEqual([]);
    await late`commit`;
    late.release();
    for (const origin of [undefined, other]) {
      expect(await found("name:latecomr~1", origin)).toEqual(["latecomer"]);
    }
  });
});
