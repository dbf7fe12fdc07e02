import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aCname,
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  bob,
  carol,
  dave,
  fieldsOf,
  namesOf,
} from "../support/mod.ts";

const PATH = "/network/interfaces";

describe("interfaces", () => {
  test("connect a host to a network", async () => {
    const network = await aNetwork({ vlan_name: "Lab-1" });
    await aHost({ name: "web-01", device_type: "Virtual" });
    const { status, body } = await api(dave).post(PATH, {
      network: "LAB-1",
      name: "Web-01",
      host: "WEB-01",
      ip: "10.2.0.77".replace("10.2.0", network.address.replace(".0/24", "")),
      mac: "02-42-42-00-00-01",
      description: "Front",
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: body.id,
      tags: [],
      site: {},
      name: "web-01",
      is_main: true,
      ip: network.first_ip.replace(/1$/, "77"),
      netmask: "255.255.255.0",
      mac: "02:42:42:00:00:01",
      host: "web-01",
      network: "Lab-1",
      domain: network.domain,
      cnames: [],
      description: "Front",
      device_type: "Virtual",
      model: null,
      user: "dave",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    expect((await api(carol).get(`${PATH}/${body.id}`)).body).toEqual(body);
    for (const query of [
      `ip=${body.ip}`,
      `ip=${network.address}`,
      "mac=0242.4200.0001",
      "host=web-01",
      "network=lab-1",
      `domain=${network.domain}`,
      "is_main=true",
      "device_type=virtual",
    ]) {
      const found = await api(carol).get(`${PATH}?${query}`);
      expect([query, found.body]).toEqual([query, [body]]);
    }
  });

  test("are listed by address, in numeric order", async () => {
    const network = await aNetwork();
    const start = network.address.replace(".0/24", "");
    await aHost({ name: "web-01" });
    for (const end of [100, 9, 20]) {
      const named = { name: `at-${end}`, host: "web-01", ip: `${start}.${end}` };
      await anInterface({ ...named, network: network.vlan_name });
    }
    expect(namesOf((await api(carol).get(PATH)).body)).toEqual(["at-9", "at-20", "at-100"]);
    const beyond = await api(carol).get(`${PATH}?ip__gte=${start}.20&sort=-ip`);
    expect(namesOf(beyond.body)).toEqual(["at-100", "at-20"]);
  });

  test.each([
    [{ network: "nowhere" }, "network"],
    [{ host: "nobody" }, "host"],
    [{ name: "a" }, "name"],
    [{ ip: "10.250.0.1" }, "ip"],
    [{ ip: "10.1.1" }, "ip"],
    [{ ip: "2001:db8::1" }, "ip"],
    [{ mac: "02:42" }, "mac"],
  ])("are refused with %p", async (fields, field) => {
    const network = await aNetwork({ vlan_name: "Lab-1" });
    const host = await aHost();
    const given = { network: network.vlan_name, name: "eth-1", host: host.name };
    const { status, body } = await api(dave).post(PATH, { ...given, ...fields });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([field]);
    expect((await api(carol).get(PATH)).body).toEqual([]);
  });

  test("have to be inside the range, except for admins", async () => {
    const network = await aNetwork();
    const host = await aHost();
    const outside = network.gateway.replace(/\d+$/, "252");
    const given = { network: network.vlan_name, host: host.name, ip: outside };
    const refused = await api(dave).post(PATH, { ...given, name: "eth-1" });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toBe(
      `ip: Use an address from ${network.first_ip} to ${network.last_ip}`,
    );
    expect((await api(alice).post(PATH, { ...given, name: "eth-1" })).status).toBe(201);
  });

  test("have a unique address and name, and a MAC that is unique in the network", async () => {
    const [network, other] = [await aNetwork(), await aNetwork()];
    const host = await aHost();
    const mac = "02:42:42:00:00:01";
    const first = await anInterface({ network: network.vlan_name, name: "eth-1", mac });
    const refusedBy = async (fields: object) => {
      const given = { network: network.vlan_name, host: host.name, name: "eth-2" };
      return (await api(dave).post(PATH, { ...given, ...fields })).body.detail;
    };
    expect(await refusedBy({ ip: first.ip })).toBe("ip: This address is not available");
    expect(await refusedBy({ name: "ETH-1" })).toBe("name: This name is not available");
    expect(await refusedBy({ mac })).toBe("mac: This MAC address is already in this network");
    expect(await refusedBy({ mac, network: other.vlan_name })).toBeUndefined();
  });

  test("move, with a free address of the new network unless one is given", async () => {
    const [from, to] = [await aNetwork(), await aNetwork()];
    const made = await anInterface({ network: from.vlan_name, name: "eth-1" });
    const path = `${PATH}/${made.id}`;
    const moved = await api(dave).patch(path, { network: to.vlan_name });
    expect(moved.body).toMatchObject({ network: to.vlan_name, ip: to.first_ip, name: "eth-1" });
    const back = await api(dave).patch(path, {
      network: from.vlan_name,
      ip: from.last_ip,
      name: "eth-9",
      mac: "024242000009",
      description: "Back",
    });
    expect(back.body).toMatchObject({
      network: from.vlan_name,
      ip: from.last_ip,
      name: "eth-9",
      mac: "02:42:42:00:00:09",
    });
    const cleared = await api(dave).patch(path, { mac: null, description: null, ip: null });
    expect(cleared.body).toMatchObject({ mac: null, description: null, ip: from.first_ip });
    for (const fields of [{ ip: to.first_ip }, { network: "nowhere" }, { host: "x" }, {}]) {
      expect([fields, (await api(dave).patch(path, fields)).status]).toEqual([fields, 422]);
    }
    expect((await api(dave).patch(path, { ip: cleared.body.ip })).status).toBe(200);
    expect((await api(bob).patch(path, { ip: to.first_ip })).status).toBe(403);
  });

  test("of an admin-only network are changed by admins only, and so are their records", async () => {
    const network = await aNetwork({ admin_only: true, vlan_name: "Core" });
    const [host, free] = [await aHost({ name: "core-01" }), await aNetwork()];
    const refused = await api(dave).post(PATH, { network: "Core", host: host.name, name: "eth-1" });
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe("Only admins may change hosts in the network Core");
    const one = { name: "other", device_type: "Physical", network: "Core" };
    expect((await api(dave).post("/network/hosts", one)).status).toBe(403);
    const elsewhere = await anInterface({ network: free.vlan_name, host: "core-01" });
    const move = { network: network.vlan_name };
    expect((await api(dave).patch(`${PATH}/${elsewhere.id}`, move)).status).toBe(403);
    const inside = await anInterface({ network: "Core", host: "core-01", name: "core-01" });
    const cname = await aCname({ interface_id: inside.id, name: "www" });
    expect((await api(dave).patch(`${PATH}/${inside.id}`, { mac: null })).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${inside.id}`)).status).toBe(403);
    const more = { name: "more", interface_id: inside.id };
    expect((await api(dave).post("/network/cnames", more)).status).toBe(403);
    expect((await api(dave).delete(`/network/cnames/${cname.id}`)).status).toBe(403);
    const path = `/network/hosts/${host.id}`;
    expect((await api(dave).patch(path, { is_ioc: true })).status).toBe(403);
    expect((await api(carol).get(`${PATH}/${inside.id}`)).status).toBe(200);
  });

  test("are deleted by their author and by admins, with their cnames", async () => {
    const host = await aHost();
    const network = await aNetwork();
    const given = { host: host.name, network: network.vlan_name };
    const theirs = await anInterface({ ...given, name: "theirs" });
    const { body: own } = await api(dave).post(PATH, { ...given, name: "own" });
    await aCname({ interface_id: own.id });
    expect((await api(bob).delete(`${PATH}/${own.id}`)).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${theirs.id}`)).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${own.id}`)).status).toBe(204);
    expect((await api(carol).get("/network/cnames")).body).toEqual([]);
    expect((await api(alice).delete(`${PATH}/${theirs.id}`)).status).toBe(204);
  });

  test("of thirty-two creates with one MAC, or one address, one succeeds", async () => {
    const network = await aNetwork({ scope: (await aScope()).name });
    const host = await aHost();
    const given = { network: network.vlan_name, host: host.name };
    const sameMac = await concurrently(32, (number) =>
      api(dave).post(PATH, { ...given, name: `mac-${number}`, mac: "024242000001" }),
    );
    expect(counted(sameMac)).toEqual({ 201: 1, 422: 31 });
    const sameIp = await concurrently(32, (number) =>
      api(dave).post(PATH, { ...given, name: `ip-${number}`, ip: network.last_ip }),
    );
    expect(counted(sameIp)).toEqual({ 201: 1, 422: 31 });
  });
});
