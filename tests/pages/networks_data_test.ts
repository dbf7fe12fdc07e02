import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  alice,
  aNetwork,
  anInterface,
  aScope,
  audrey,
  carol,
  dave,
  inOrder,
  service,
} from "../support/mod.ts";

const JSON_WANTED = { headers: { accept: "application/json" } };

async function ask(person: typeof alice, path: string) {
  return (await browser(person)).get(`/network/${path}`, JSON_WANTED);
}

async function aLaboratory(fields: object = {}) {
  const given = { name: "Laboratory", first_vlan: 100, last_vlan: 103, supernet: "10.8.0.0/22" };
  return aScope({ ...given, ...fields });
}

describe("GET /network/_retrieve_first_available_ip/(network_id)", () => {
  test("proposes a free address, as far as visible", async () => {
    const { id, vlan_name, address } = await aNetwork();
    const start = address.replace(".0/24", "");
    const { host } = await anInterface({ network: vlan_name });
    const next = async (person: typeof alice) =>
      (await ask(person, `_retrieve_first_available_ip/${id}`)).body;
    expect(await next(dave)).toEqual({ data: `${start}.2` });
    const hidden = await aNetwork({ sensitive: true });
    await anInterface({ host, network: hidden.vlan_name });
    expect(await next(dave)).toEqual({ data: `${start}.1` });
    expect(await next(alice)).toEqual({ data: `${start}.2` });
    expect((await ask(dave, `_retrieve_first_available_ip/${hidden.id}`)).status).toBe(404);
    expect((await ask(audrey, `_retrieve_first_available_ip/${hidden.id}`)).status).toBe(200);
  });

  test("returns nothing for a full network, and 404 for an unknown one", async () => {
    const { id, vlan_name, address } = await aNetwork({
      ...(await smallest()),
    });
    expect(address).toEndWith("/30");
    await inOrder([1, 2].map(() => () => anInterface({ network: vlan_name })));
    expect((await ask(dave, `_retrieve_first_available_ip/${id}`)).body).toEqual({ data: "" });
    for (const nobody of ["99999", "0", "x", "99999999999"]) {
      expect((await ask(dave, `_retrieve_first_available_ip/${nobody}`)).status).toBe(404);
    }
  });

  test("returns a filled-in field to htmx", async () => {
    const { id } = await aNetwork();
    const own = await browser(dave);
    const path = `/network/_retrieve_first_available_ip/${id}`;
    const { text } = await own.get(path, { headers: HTMX });
    expect(elements(text, "input[name=ip]")[0]!.attributes.value).toEndWith(".1");
  });
});

async function smallest() {
  const { name: scope } = await aLaboratory();
  const ends = { first_ip: "10.8.0.1", last_ip: "10.8.0.2", gateway: null };
  return { scope, vlan_id: 100, address: "10.8.0.0/30", ...ends };
}

describe("GET /network/_retrieve_ips/(subnet)/(prefix)", () => {
  test("lists the addresses that can be assigned", async () => {
    const { body } = await ask(carol, "_retrieve_ips/10.0.0.0/29");
    const ips = [1, 2, 3, 4, 5, 6].map((last) => `10.0.0.${last}`);
    expect(body).toEqual({ data: { ips, first: "10.0.0.1", last: "10.0.0.6" } });
    const own = await browser(carol);
    const { text } = await own.get("/network/_retrieve_ips/10.0.0.0/30", { headers: HTMX });
    expect(texts(text, "option")).toEqual(["10.0.0.1", "10.0.0.2"]);
  });

  test.each([
    ["10.0.0.0/20", 4094, "10.0.0.1", "10.0.15.254"],
    ["10.0.0.0/19", 4096, "10.0.0.1", "10.0.31.254"],
    ["10.0.0.0/8", 4096, "10.0.0.1", "10.255.255.254"],
    ["0.0.0.0/0", 4096, "0.0.0.1", "255.255.255.254"],
    ["2001:db8::/120", 255, "2001:db8::1", "2001:db8::ff"],
    ["2001:db8::/64", 4096, "2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"],
    ["::/0", 4096, "::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ])("lists for %s %d addresses", async (block, count, first, last) => {
    const { status, body } = await ask(carol, `_retrieve_ips/${block}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ first, last });
    expect(body.data.ips).toHaveLength(count);
    expect(new Set(body.data.ips).size).toBe(count);
    expect(body.data.ips[0]).toBe(first);
  });

  test("lists the first free ones of a large block, as far as visible", async () => {
    const scope = (await aScope({ supernet: "10.8.0.0/16" })).name;
    const network = await aNetwork({
      scope,
      address: "10.8.0.0/16",
      first_ip: "10.8.0.1",
      last_ip: "10.8.200.1",
      gateway: null,
    });
    const { host } = await anInterface({ network: network.vlan_name, ip: "10.8.0.1" });
    const { sql } = await service();
    await sql`
      insert into interfaces (name, ip, host_id, network_id)
      select 'bulk-' || n, '10.8.0.0'::inet + n, hosts.id, ${network.id}
      from generate_series(2, 5000) n, hosts where hosts.name = ${host}`;
    const hidden = await aNetwork({ sensitive: true });
    const secret = await anInterface({ network: hidden.vlan_name });
    await anInterface({ network: network.vlan_name, host: secret.host, ip: "10.8.20.0" });
    const ips = async (person: typeof alice) =>
      (await ask(person, "_retrieve_ips/10.8.0.0/16")).body.data.ips;
    const [known, all] = [await ips(carol), await ips(alice)];
    expect([known.length, known[0], known.at(-1)]).toEqual([4096, "10.8.19.137", "10.8.35.136"]);
    expect([known.includes("10.8.20.0"), all.includes("10.8.20.0")]).toEqual([true, false]);
    expect([all.length, all.at(-1)]).toEqual([4096, "10.8.35.137"]);
  });

  test.each([
    ["10.0.0.1/24", 422],
    ["10.0.0/24", 422],
    ["x/24", 422],
    ["10.0.0.0/33", 422],
    ["2001:db8::/129", 422],
    ["10.0.0.0/x", 404],
    ["10.0.0.0/-1", 404],
    ["%00/24", 422],
  ])("answers %s with %p", async (path, status) => {
    expect((await ask(carol, `_retrieve_ips/${path}`)).status).toBe(status);
  });
});

describe("GET /network/_retrieve_scope_defaults/(scope_id)", () => {
  test("returns the free VLANs and the sizes that fit", async () => {
    const { id, name: scope } = await aLaboratory();
    await aNetwork({ scope, vlan_id: 100, address: "10.8.0.0/24", sensitive: true });
    const { body } = await ask(alice, `_retrieve_scope_defaults/${id}`);
    expect(body.data).toMatchObject({
      vlans: [101, 102, 103],
      prefixes: [22, 23, 24, 25, 26, 27, 28, 29, 30],
      selected_vlan: 101,
      selected_prefix: 24,
    });
    expect(Object.keys(body.data)).toHaveLength(5);
    expect(body.data.domain_id).toBeGreaterThan(0);
  });

  test("is allowed for admins, who see every network", async () => {
    const { id } = await aLaboratory();
    for (const person of [audrey, dave, carol]) {
      expect((await ask(person, `_retrieve_scope_defaults/${id}`)).status).toBe(403);
      expect((await ask(person, `_retrieve_subnets/${id}/24`)).status).toBe(403);
    }
    expect((await ask(alice, "_retrieve_scope_defaults/99999")).status).toBe(404);
  });
});

describe("GET /network/_retrieve_subnets/(scope_id)/(prefix)", () => {
  test("lists the free blocks of a size", async () => {
    const { id, name: scope } = await aLaboratory();
    await aNetwork({ scope, vlan_id: 100, address: "10.8.1.0/24" });
    const { body } = await ask(alice, `_retrieve_subnets/${id}/24`);
    const subnets = ["10.8.0.0/24", "10.8.2.0/24", "10.8.3.0/24"];
    expect(body).toEqual({ data: { subnets, selected_subnet: "10.8.0.0/24" } });
    const { text } = await (await browser(alice)).get(`/network/_retrieve_subnets/${id}/23`, {
      headers: HTMX,
    });
    expect(texts(text, "option[selected]")).toEqual(["10.8.2.0/23"]);
  });

  test("lists the first 200, however many there are, and none of a size that is used up", async () => {
    const { id } = await aLaboratory({ supernet: "2001:db8::/32" });
    expect((await ask(alice, `_retrieve_subnets/${id}/64`)).body.data.subnets).toHaveLength(200);
    const full = await aScope({ name: "Full", supernet: "10.9.0.0/24" });
    await aNetwork({ scope: "Full", address: "10.9.0.0/24" });
    const nothing = { subnets: [], selected_subnet: "" };
    expect((await ask(alice, `_retrieve_subnets/${full.id}/24`)).body).toEqual({ data: nothing });
    for (const prefix of ["23", "33"]) {
      expect((await ask(alice, `_retrieve_subnets/${full.id}/${prefix}`)).status).toBe(422);
    }
    expect((await ask(alice, `_retrieve_subnets/${full.id}/x`)).status).toBe(404);
  });
});

describe("GET /network/_retrieve_names/(kind)", () => {
  test("suggests scopes and domains by a part of their name", async () => {
    await aLaboratory();
    await aScope({ name: "Old-Laboratory" });
    const { body } = await ask(carol, "_retrieve_names/scopes?q=lab");
    expect(body.data).toEqual([{ name: "Laboratory" }, { name: "Old-Laboratory" }]);
    expect((await ask(carol, "_retrieve_names/domains?q=%25")).body.data).toEqual([]);
    expect((await ask(carol, "_retrieve_names/networks")).status).toBe(404);
  });
});
