import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aCname,
  aDomain,
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  carol,
  dave,
  fieldsOf,
} from "../support/mod.ts";

const CNAMES = "/network/cnames";
const TAKEN = [{ field: "name", message: "This name is not available" }];

describe("cnames", () => {
  test("are a full name, or a label in the domain of their interface", async () => {
    const network = await aNetwork({ domain_id: (await aDomain({ name: "lab.example.org" })).id });
    const { id, name } = await anInterface({ network: network.vlan_name, name: "eth-1" });
    const { status, body } = await api(dave).post(CNAMES, { name: "WWW", interface_id: id });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: body.id,
      name: "www.lab.example.org",
      interface: name,
      user: "dave",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    const full = await api(dave).post(CNAMES, { name: "a.b.example.com", interface_id: id });
    expect(full.body.name).toBe("a.b.example.com");
    const [shown] = (await api(carol).get("/network/interfaces")).body;
    expect(shown.cnames).toEqual(["a.b.example.com", "www.lab.example.org"]);
    expect((await api(carol).get(`${CNAMES}?interface=eth-1&name__startswith=WWW`)).body).toEqual([
      body,
    ]);
    expect((await api(carol).get(`${CNAMES}/${body.id}`)).body).toEqual(body);
  });

  test.each([
    [{ name: "a b" }, "name"],
    [{ name: "-a" }, "name"],
    [{ name: "" }, "name"],
    [{ interface_id: 999_999 }, "interface_id"],
    [{ interface_id: "1" }, "interface_id"],
  ])("are refused with %p", async (fields, field) => {
    const { id } = await anInterface();
    const { status, body } = await api(dave).post(CNAMES, {
      name: "www",
      interface_id: id,
      ...fields,
    });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([field]);
  });

  test("are deleted by their author and by admins", async () => {
    const { id } = await anInterface();
    const theirs = await aCname({ interface_id: id });
    const { body: own } = await api(dave).post(CNAMES, { name: "own", interface_id: id });
    expect((await api(dave).delete(`${CNAMES}/${theirs.id}`)).status).toBe(403);
    expect((await api(dave).delete(`${CNAMES}/${own.id}`)).status).toBe(204);
    expect((await api(dave).delete(`${CNAMES}/${own.id}`)).status).toBe(404);
    expect((await api(alice).delete(`${CNAMES}/${theirs.id}`)).status).toBe(204);
  });

  test("of thirty-two creates with one name one succeeds", async () => {
    const { id } = await anInterface();
    const answers = await concurrently(32, () =>
      api(dave).post(CNAMES, { name: "www", interface_id: id }),
    );
    expect(counted(answers)).toEqual({ 201: 1, 422: 31 });
  });
});

describe("a name in a domain", () => {
  test("is not used by one host and by the interface of another", async () => {
    const network = await aNetwork();
    await aHost({ name: "web-01" });
    await anInterface({
      host: (await aHost({ name: "db-01" })).name,
      network: network.vlan_name,
      name: "db-front",
    });
    const given = { host: "db-01", network: network.vlan_name };
    const asInterface = await api(dave).post("/network/interfaces", { ...given, name: "web-01" });
    expect(asInterface.body.errors).toEqual(TAKEN);
    const asHost = await api(dave).post("/network/hosts", {
      name: "db-front",
      device_type: "Physical",
    });
    expect(asHost.body.errors).toEqual(TAKEN);
    const [own] = (await api(carol).get("/network/interfaces?name=db-front")).body;
    expect(
      (await api(dave).patch(`/network/interfaces/${own.id}`, { name: "web-01" })).body.errors,
    ).toEqual(TAKEN);
    expect((await api(dave).patch(`/network/interfaces/${own.id}`, { name: "db-01" })).status).toBe(
      200,
    );
  });

  test("is not used by a cname and by a host or an interface", async () => {
    const network = await aNetwork();
    const [host] = [await aHost({ name: "web-01", network: network.vlan_name })];
    const other = await anInterface({
      host: "web-01",
      network: network.vlan_name,
      name: "web-back",
    });
    for (const name of ["web-01", "web-back", `web-01.${network.domain}`]) {
      const refused = await api(dave).post(CNAMES, { name, interface_id: other.id });
      expect([name, refused.body.errors]).toEqual([name, TAKEN]);
    }
    await aCname({ interface_id: other.id, name: "www" });
    const named = { name: "www", device_type: "Physical", network: network.vlan_name };
    expect((await api(dave).post("/network/hosts", named)).body.errors).toEqual(TAKEN);
    expect(
      (await api(dave).patch(`/network/hosts/${host.id}`, { name: "www" })).body.errors,
    ).toEqual(TAKEN);
    const interfaceNamed = { name: "www", host: "web-01", network: network.vlan_name };
    expect((await api(dave).post("/network/interfaces", interfaceNamed)).body.errors).toEqual(
      TAKEN,
    );
  });

  test("may be used again in another domain", async () => {
    const [one, two] = [await aNetwork(), await aNetwork()];
    await aHost({ name: "web-01", network: one.vlan_name });
    const { id } = await anInterface({ network: two.vlan_name });
    const made = await api(dave).post(CNAMES, { name: "web-01", interface_id: id });
    expect(made.body.name).toBe(`web-01.${two.domain}`);
    const moved = await api(alice).patch(`/network/networks/${one.id}`, { domain: two.domain });
    expect(moved.status).toBe(422);
    expect(moved.body.detail).toBe(`domain: The name web-01.${two.domain} is taken there`);
    const [main] = (await api(carol).get("/network/interfaces?name=web-01")).body;
    const move = await api(dave).patch(`/network/interfaces/${main.id}`, {
      network: two.vlan_name,
    });
    expect(move.body.errors).toEqual(TAKEN);
  });

  test("is given to one of several concurrent requests", async () => {
    const network = await aNetwork();
    const { id, host } = await anInterface({ network: network.vlan_name });
    for (let round = 0; round < 6; round += 1) {
      const name = `wanted-${round}`;
      const answers = await concurrently(9, (number) => {
        if (number % 3 === 0) return api(dave).post(CNAMES, { name, interface_id: id });
        if (number % 3 === 1) {
          return api(dave).post("/network/interfaces", { name, host, network: network.vlan_name });
        }
        const given = { name, device_type: "Physical", network: network.vlan_name };
        return api(dave).post("/network/hosts", given);
      });
      expect(counted(answers), `round ${round}`).toEqual({ 201: 1, 422: 8 });
    }
  });
});

describe("the name of a host without an interface", () => {
  test("is refused if a cname has it in a domain that the host may come into", async () => {
    const { id } = await aDomain({ name: "lab.example.org" });
    const network = await aNetwork({ domain_id: id });
    const front = await anInterface({ network: network.vlan_name, name: "front" });
    await aHost({ name: "www" });
    const cname = { name: "www", interface_id: front.id };
    expect((await api(dave).post(CNAMES, cname)).body.errors).toEqual(TAKEN);
    const elsewhere = { ...cname, name: "www.example.com" };
    expect((await api(dave).post(CNAMES, elsewhere)).status).toBe(201);
    await aCname({ interface_id: front.id, name: "mail" });
    const named = { name: "mail", device_type: "Physical" };
    expect((await api(dave).post("/network/hosts", named)).body.errors).toEqual(TAKEN);
    const other = await aHost({ name: "post" });
    const renamed = await api(dave).patch(`/network/hosts/${other.id}`, { name: "mail" });
    expect(renamed.body.errors).toEqual(TAKEN);
  });

  test("is accepted beside a cname of another domain", async () => {
    const { id } = await aDomain({ name: "lab.example.org" });
    const network = await aNetwork({ domain_id: id });
    const front = await anInterface({ network: network.vlan_name, name: "front" });
    await aCname({ interface_id: front.id, name: "www" });
    const office = await aNetwork();
    const named = { name: "www", device_type: "Physical", network: office.vlan_name };
    expect((await api(dave).post("/network/hosts", named)).status).toBe(201);
  });
});
