import { expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements } from "../support/html.ts";
import { aDomain, aGroup, aHost, aLocation, alice, aNetwork, api, aScope } from "../support/mod.ts";

/** A record that is deleted on its page: its path in the API, and what the form sends. */
async function deletions(): Promise<Array<[api: string, page: string, fields: object]>> {
  const domain = await aDomain();
  const scope = await aScope();
  const network = await aNetwork();
  const host = await aHost();
  const location = await aLocation();
  const attribute = { action: "delete", id: String(location.id) };
  return [
    [`/network/domains/${domain.id}`, "/network/domains/delete", { id: String(domain.id) }],
    [`/network/scopes/${scope.id}`, "/network/scopes/delete", { name: scope.name }],
    [`/network/networks/${network.id}`, "/network/networks/delete", network],
    [`/network/hosts/${host.id}`, "/network/hosts/delete", { id: String(host.id) }],
    [`/inventory/locations/${location.id}`, "/inventory/attributes/location", attribute],
  ];
}

test("a deletion offers its undo, whatever was deleted", async () => {
  const own = await browser(alice);
  for (const [record, page, fields] of await deletions()) {
    const done = await own.submit(page, { ...fields, confirmed: "true" });
    expect(done.status, page).toBe(303);
    expect((await api(alice).get(record)).status, record).toBe(404);
    const { text } = await own.get(done.headers.get("location") ?? "");
    const [undo] = elements(text, ".toast form");
    expect(undo, page).toBeDefined();
    await own.submit(undo?.attributes.action ?? "", { next: "/" });
    expect((await api(alice).get(record)).status, record).toBe(200);
  }
});

test("a change of several records and an undo offer their undo, on the list as it was", async () => {
  const own = await browser(alice);
  const host = await aHost({ name: "bench-01" });
  const group = await aGroup({ name: "Bench hosts" });
  const members = async () => (await api(alice).get(`/network/groups/${group.id}`)).body.hosts;
  const list = "/network/hosts?q=bench&sort=-name";
  const joined = await own.submit("/network/hosts/_gather", {
    ...{ id: String(host.id), filter: "q=bench&sort=-name" },
    ...{ group: group.name, deed: "join" },
  });
  expect([joined.status, joined.headers.get("location")]).toEqual([303, list]);
  expect(await members()).toEqual(["bench-01"]);
  for (const after of [[], ["bench-01"]]) {
    const { text } = await own.get(list);
    const [undo] = elements(text, ".toast form");
    const done = await own.submit(undo?.attributes.action ?? "", { next: list });
    expect([done.status, done.headers.get("location")]).toEqual([303, list]);
    expect(await members()).toEqual(after);
  }
});
