import { describe, expect, test } from "bun:test";
import { allChecks } from "../support/checks.ts";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  carol,
  dave,
  fieldsOf,
  service,
} from "../support/mod.ts";

/** Creates interfaces of one host, and returns their addresses. */
async function fill(network: string, host: string, names: string[]): Promise<string[]> {
  const addresses: string[] = [];
  for (const name of names) addresses.push((await anInterface({ network, host, name })).ip);
  return addresses;
}

/** The milliseconds of an allocation, the shortest of several. */
async function least(network: string, host: string): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < 5; number += 1) {
    const begun = performance.now();
    await anInterface({ network, host, name: `${network.toLowerCase()}-${number}` });
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
}

async function aSmallNetwork(fields: object) {
  const scope = await aScope({ supernet: "10.66.0.0/16" });
  const given = { address: "10.66.0.0/29", first_ip: "10.66.0.1", last_ip: "10.66.0.6" };
  return aNetwork({ scope: scope.name, vlan_name: "Small", ...given, gateway: null, ...fields });
}

describe("the gateway, network and broadcast address of a network", () => {
  const ADDRESSES = ["10.66.0.0", "10.66.0.2", "10.66.0.7"];

  test("are refused, for admins unless they force it", async () => {
    await aSmallNetwork({ first_ip: "10.66.0.0", last_ip: "10.66.0.7", gateway: "10.66.0.2" });
    const { name: host } = await aHost();
    const sentence = "This is the gateway, network or broadcast address of Small";
    for (const [number, ip] of ADDRESSES.entries()) {
      const given = { network: "Small", host, name: `a-${number}`, ip };
      const asDave = await api(dave).post("/network/interfaces?force=true", given);
      expect([ip, asDave.body.errors]).toEqual([ip, [{ field: "ip", message: sentence }]]);
      const { body } = await api(alice).post("/network/interfaces", given);
      const hint = `${sentence}; send force=true to use it`;
      expect([ip, body.errors]).toEqual([ip, [{ field: "ip", message: hint }]]);
      const forced = await api(alice).post("/network/interfaces?force=true", given);
      expect([ip, forced.status, forced.body.ip]).toEqual([ip, 201, ip]);
      const kept = { ip, description: "The router" };
      const again = await api(alice).patch(`/network/interfaces/${forced.body.id}`, kept);
      expect([ip, again.status]).toEqual([ip, 200]);
    }
  });

  test("are refused when a host is created with one, or an interface moves to one", async () => {
    await aSmallNetwork({ gateway: "10.66.0.2" });
    const named = { device_type: "Physical", network: "Small", ip: "10.66.0.2" };
    const made = await api(alice).post("/network/hosts", { name: "router", ...named });
    expect(fieldsOf(made.body)).toEqual(["ip"]);
    const forced = await api(alice).post("/network/hosts?force=true", { name: "router", ...named });
    expect(forced.status).toBe(201);
    const { id } = await anInterface({ network: "Small", ip: "10.66.0.3" });
    const moved = await api(alice).patch(`/network/interfaces/${id}`, { ip: "10.66.0.7" });
    expect(fieldsOf(moved.body)).toEqual(["ip"]);
  });

  test("do not exist in a network of two addresses", async () => {
    const ends = { first_ip: "10.66.0.8", last_ip: "10.66.0.9" };
    await aSmallNetwork({ address: "10.66.0.8/31", ...ends });
    const { name: host } = await aHost();
    const given = { network: "Small", host, name: "a-1", ip: "10.66.0.8" };
    expect((await api(dave).post("/network/interfaces", given)).status).toBe(201);
  });
});

describe("an allocated address", () => {
  test("is the lowest free one that is not the gateway", async () => {
    await aSmallNetwork({ gateway: "10.66.0.2" });
    const { name } = await aHost();
    expect(await fill("Small", name, ["a1", "a2"])).toEqual(["10.66.0.1", "10.66.0.3"]);
    await anInterface({ network: "Small", host: name, name: "a5", ip: "10.66.0.5" });
    expect(await fill("Small", name, ["a4", "a6"])).toEqual(["10.66.0.4", "10.66.0.6"]);
  });

  test("is neither the network address nor the broadcast address", async () => {
    await aSmallNetwork({ first_ip: "10.66.0.0", last_ip: "10.66.0.7", gateway: "10.66.0.1" });
    const { name } = await aHost();
    const given = { network: "Small", host: name };
    const got = await fill("Small", name, ["a2", "a3", "a4", "a5", "a6"]);
    expect(got).toEqual(["10.66.0.2", "10.66.0.3", "10.66.0.4", "10.66.0.5", "10.66.0.6"]);
    const { status, body } = await api(dave).post("/network/interfaces", { ...given, name: "a7" });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: "ip", message: "no address left in Small" }]);
  });

  test("is either of the two in a network of two addresses", async () => {
    await aSmallNetwork({
      address: "10.66.0.8/31",
      first_ip: "10.66.0.8",
      last_ip: "10.66.0.9",
    });
    const { name } = await aHost();
    expect(await fill("Small", name, ["a1", "a2"])).toEqual(["10.66.0.8", "10.66.0.9"]);
  });

  test("is reused after it was freed", async () => {
    await aSmallNetwork({});
    const { name } = await aHost();
    await fill("Small", name, ["a1", "a2", "a3"]);
    const [second] = (await api(carol).get("/network/interfaces?name=a2")).body;
    await api(alice).delete(`/network/interfaces/${second.id}`);
    expect(await fill("Small", name, ["a9"])).toEqual(["10.66.0.2"]);
  });

  test("is found quickly in an IPv6 network of any size, and at the end of the address range", async () => {
    const scope = await aScope({ supernet: "2001:db8::/32" });
    await aNetwork({
      scope: scope.name,
      vlan_name: "Six",
      address: "2001:db8::/48",
      first_ip: "2001:db8::",
      last_ip: "2001:db8:0:ffff:ffff:ffff:ffff:ffff",
      gateway: "2001:db8::1",
    });
    const { name } = await aHost();
    expect(await fill("Six", name, ["a1", "a2"])).toEqual(["2001:db8::2", "2001:db8::3"]);
    const last = await aScope({ supernet: "255.255.255.0/24" });
    await aNetwork({
      scope: last.name,
      vlan_name: "End",
      address: "255.255.255.254/31",
      first_ip: "255.255.255.254",
      last_ip: "255.255.255.255",
      gateway: null,
    });
    expect(await fill("End", name, ["b1", "b2"])).toEqual(["255.255.255.254", "255.255.255.255"]);
    const full = { network: "End", host: name, name: "b3" };
    expect((await api(alice).post("/network/interfaces", full)).status).toBe(422);
  });

  test.skipIf(!allChecks)(
    "is found soon behind thousands that are in use, by concurrent requests",
    async () => {
      const { id } = await aSmallNetwork({ address: "10.66.0.0/16", last_ip: "10.66.255.250" });
      const host = await aHost();
      const { sql } = await service();
      await sql`insert into interfaces (host_id, network_id, name, ip)
      select ${host.id}::integer, ${id}::integer, 'taken-' || n, '10.66.0.0'::inet + n from generate_series(1, 5000) n`;
      const given = { network: "Small", host: host.name };
      const answers = await concurrently(32, (number) =>
        api(dave).post("/network/interfaces", { ...given, name: `if-${number}` }),
      );
      expect(counted(answers)).toEqual({ 201: 32 });
      const { vlan_name } = await aNetwork();
      const [behind, elsewhere] = [
        await least("Small", host.name),
        await least(vlan_name, host.name),
      ];
      expect(behind).toBeLessThan(10 * elsewhere);
    },
  );

  test("is assigned while the network is changed all the time", async () => {
    const { id } = await aSmallNetwork({ address: "10.66.0.0/24", last_ip: "10.66.0.250" });
    let isOver = false;
    const changing = Array.from({ length: 4 }, async (_, number) => {
      const statuses: number[] = [];
      while (!isOver) {
        const description = `Changed by ${number}, ${statuses.length}`;
        const answer = await api(alice).patch(`/network/networks/${id}`, { description });
        statuses.push(answer.status);
      }
      return statuses.filter((status) => status !== 200 && status !== 503);
    });
    const answers = await concurrently(24, (number) =>
      api(dave).post("/network/hosts", {
        network: "Small",
        name: `host-${number}`,
        device_type: "Virtual",
      }),
    ).finally(() => {
      isOver = true;
    });
    expect((await Promise.all(changing)).flat()).toEqual([]);
    expect(counted(answers)).toEqual({ 201: 24 });
  });

  test("is never assigned twice, in whatever order hosts and interfaces are created, moved and deleted", async () => {
    await aSmallNetwork({ address: "10.66.0.0/26", last_ip: "10.66.0.40" });
    const { name: host } = await aHost();
    const answers = await concurrently(64, (number) =>
      number % 2
        ? api(dave).post("/network/interfaces", { network: "Small", host, name: `if-${number}` })
        : api(dave).post("/network/hosts", {
            network: "Small",
            name: `host-${number}`,
            device_type: "Virtual",
          }),
    );
    expect(counted(answers)).toEqual({ 201: 40, 422: 24 });
    const { body } = await api(carol).get("/network/interfaces?per_page=100");
    expect(body.map(({ ip }: { ip: string }) => ip)).toEqual(
      Array.from({ length: 40 }, (_, number) => `10.66.0.${number + 1}`),
    );
    const freed = body.slice(10, 20).map(({ id }: { id: number }) => id);
    const mixed = await concurrently(30, (number) =>
      number < 10
        ? api(alice).delete(`/network/interfaces/${freed[number]}`)
        : api(dave).post("/network/interfaces", {
            network: "Small",
            host,
            name: `again-${number}`,
          }),
    );
    const { 204: gone, 201: made = 0, ...rest } = counted(mixed);
    expect(gone).toBe(10);
    expect(made).toBeLessThanOrEqual(10);
    expect(Object.keys(rest)).toEqual(made < 20 ? ["422"] : []);
    const after = await api(carol).get("/network/interfaces?per_page=100");
    const ips = after.body.map(({ ip }: { ip: string }) => ip);
    expect(new Set(ips).size).toBe(ips.length);
    expect(ips.length).toBe(30 + made);
  });
});
