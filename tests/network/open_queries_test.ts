import { expect, test } from "bun:test";
import { alice, api, bob, dave } from "../support/mod.ts";
import { aProtectedHost, stateOf } from "../support/protected.ts";

const GROUPS = "/network/groups";
const VARS = { level: 9 };
const asking = (name: string, query: string) => ({ name, type: "query", query });

test("a query whose result others can change gives no variables to a protected host", async () => {
  const world = await aProtectedHost("sensitive");
  const before = await stateOf(world);
  const { body: watched } = await api(alice).post(GROUPS, {
    ...asking("Watched", "items.location:Nowhere"),
    vars: { level: 8 },
  });
  const statusOf = async (name: string, query: string) =>
    (await api(dave).post(GROUPS, { ...asking(name, query), vars: VARS })).status;
  const open = [
    ...["items.comments:zebra", "zebra", "model:Zebra", "item*:zebra", "NOT items.quantity:1"],
    ...[
      "created_at:>now",
      "name:core AND zebra",
      "name:(core OR mine) AND NOT (x OR items.ics_id:A)",
    ],
    "group:Watched",
  ];
  for (const [at, query] of open.entries()) {
    expect([query, await statusOf(`Open-${at}`, query)]).toEqual([query, 422]);
  }
  const settled = ["name:mine", "zebra AND name:mine", "name:zebra", "created_at:>2999-01-01"];
  for (const [at, query] of settled.entries()) {
    expect([query, await statusOf(`Settled-${at}`, query)]).toEqual([query, 201]);
  }
  // Without variables the group has no effect yet.
  const { body: bare } = await api(dave).post(GROUPS, asking("Bare", "zebra"));
  const { body: above } = await api(dave).post(GROUPS, { name: "Over", children: ["Bare"] });
  for (const [path, body] of [
    [`${GROUPS}/${bare.id}`, { vars: VARS }],
    [`${GROUPS}/${above.id}`, { vars: VARS }],
    [`${GROUPS}/${watched.id}`, { query: "items.comments:zebra" }],
    [`${GROUPS}/${watched.id}`, { vars: VARS }],
  ] as const) {
    const { status, body: problem } = await api(dave).patch(path, body);
    expect([path, status, problem.detail]).toEqual([
      path,
      422,
      expect.stringContaining("can match other hosts later"),
    ]);
  }
  const comment = { body: "zebra" };
  expect((await api(bob).post("/inventory/items/AAA001/comments", comment)).status).toBe(201);
  expect(await stateOf(world)).toBe(before);
}, 60_000);
