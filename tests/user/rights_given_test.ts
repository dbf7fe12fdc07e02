// Rights in one place that an admin gives, and what a user may do and why.
import { expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { alice, aNetwork, anItem, api, audrey, carol, dave, idOf } from "../support/mod.ts";

async function audited(): Promise<unknown[]> {
  const { body } = await api(audrey).get("/audit?per_page=100&sort=id");
  return body
    .filter(({ event }: any) => event.startsWith("right.") || event.startsWith("mapping."))
    .map(({ event, username, target, details }: any) => [event, username, target, details]);
}

test("an admin gives and takes rights by the API, and sees them with their reasons", async () => {
  await api(alice).post("/inventory/locations", { name: "Hall 3" });
  await anItem({ ics_id: "AAA001", serial_number: "A", location: "Hall 3" });
  const path = `/user/users/${await idOf(carol)}/rights`;
  const change = () => api(carol).patch("/inventory/items/AAA001", { serial_number: "B" });
  expect((await change()).status).toBe(403);
  const given = await api(alice).post(path, { right: "inventory", place: "hall 3" });
  expect([given.status, given.body]).toEqual([
    200,
    { id: expect.any(Number), right: "inventory", place: "Hall 3" },
  ]);
  expect((await change()).status).toBe(200);
  const shown = await api(alice).get(path);
  expect(shown.body).toEqual({
    user: "carol",
    groups: [],
    rights: [
      {
        ...{ id: given.body.id, right: "inventory", place: "Hall 3" },
        because: [{ given_by: "alice", provider: null, outer_group: null, mapping: null }],
      },
    ],
  });
  const again = await api(alice).post(path, { right: "inventory", place: "Hall 3" });
  expect(again.body.errors[0].message).toBe("carol has this right already");
  const unknown = await api(alice).post(path, { right: "network", place: "Hall 3" });
  expect(unknown.body.errors).toEqual([
    { field: "place", message: "'Hall 3' is not a valid scope" },
  ]);
  expect((await api(alice).delete(`${path}/${given.body.id}`)).status).toBe(204);
  expect((await change()).status).toBe(403);
  const right = { right: "inventory on location Hall 3" };
  expect(await audited()).toEqual([
    ["right.given", "alice", "carol", right],
    ["right.taken", "alice", "carol", { right: "inventory on location Hall 3" }],
  ]);
  for (const person of [carol, audrey]) {
    expect((await api(person).get(path)).status).toBe(403);
    expect((await api(person).post(path, { right: "network", place: "x" })).status).toBe(403);
  }
});

test("a place with rights is not deleted", async () => {
  const { body } = await api(alice).post("/inventory/locations", { name: "Hall 3" });
  const path = `/user/users/${await idOf(carol)}/rights`;
  await api(alice).post(path, { right: "inventory", place: "Hall 3" });
  const answer = await api(alice).delete(`/inventory/locations/${body.id}`);
  expect([answer.status, answer.body.detail]).toEqual([
    422,
    "id: This location is in use by 1 right of a user",
  ]);
});

test("the page of a user shows the rights, gives one and takes it", async () => {
  await aNetwork({ vlan_name: "Open" });
  const own = await browser(alice);
  const path = "/admin/users/view/dave";
  const reasons = async () => texts((await own.get(path)).text, "td[data-label=Right]");
  expect(await reasons()).toEqual(["network everywhere"]);
  const to = "/admin/users/rights/dave";
  const wrong = await own.submit(to, { right: "sensitive", place: "Open" });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain("Open is not sensitive: everybody sees it");
  const hall = await api(alice).post("/inventory/locations", { name: "Hall 3" });
  expect((await own.submit(to, { right: "inventory", place: "Hall 3" })).status).toBe(303);
  expect(await reasons()).toEqual(["network everywhere", "inventory on location Hall 3"]);
  const { body } = await api(alice).get(`/user/users/${await idOf(dave)}/rights`);
  expect((await own.submit(to, { take: String(body.rights[0].id) })).status).toBe(303);
  expect(await reasons()).toEqual(["network everywhere"]);
  expect((await api(alice).delete(`/inventory/locations/${hall.body.id}`)).status).toBe(204);
});

test("the page of a sensitive network says who sees it", async () => {
  await aNetwork({ vlan_name: "Vault", sensitive: true });
  const path = `/user/users/${await idOf(carol)}/rights`;
  expect((await api(alice).post(path, { right: "sensitive", place: "Vault" })).status).toBe(200);
  const factsOf = async (person: typeof carol) =>
    texts((await (await browser(person)).get("/network/networks/view/Vault")).text, "dl.facts dd");
  expect(await factsOf(alice)).toContain("admin, auditor, carol");
  expect((await factsOf(carol)).join()).not.toContain("carol");
  expect((await (await browser(dave)).get("/network/networks/view/Vault")).status).toBe(404);
});
