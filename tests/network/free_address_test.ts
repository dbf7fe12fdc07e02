// GET /network/networks/{id}/free_address: what the next interface would get.
import { expect, test } from "bun:test";
import { alice, aNetwork, anInterface, api, carol, dave } from "../support/mod.ts";

const free = (id: number, client = dave) => api(client).get(`/network/networks/${id}/free_address`);

test("the free address is the one that the next interface gets, and null when there is none", async () => {
  const block = { address: "10.9.0.0/30", first_ip: "10.9.0.1", last_ip: "10.9.0.2" };
  const scope = await api(alice).put("/network/scopes/by-name/Small", {
    ...{ first_vlan: 1, last_vlan: 99, supernet: "10.9.0.0/16", domain: (await aNetwork()).domain },
  });
  const { id, vlan_name } = await aNetwork({
    ...block,
    ...{ scope: scope.body.name, gateway: "10.9.0.1", vlan_id: 9 },
  });
  const before = await free(id, carol);
  expect([before.status, before.body]).toEqual([200, { ip: "10.9.0.2" }]);
  expect((await anInterface({ network: vlan_name })).ip).toBe("10.9.0.2");
  expect((await free(id)).body).toEqual({ ip: null });
});

test("a network that is hidden, or not there, has none", async () => {
  const { id } = await aNetwork({ sensitive: true });
  expect((await free(id)).status).toBe(404);
  expect((await free(id, alice)).status).toBe(200);
  expect((await free(2_147_483_647, alice)).status).toBe(404);
});
