// Names are added to the lists of several groups and hosts at once, by the rules of one.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { changes } from "../support/history.ts";
import { texts } from "../support/html.ts";
import {
  applied,
  both,
  field,
  notesOf,
  type Pairs,
  selecting,
  setsOf,
  step,
} from "../support/list_changes.ts";
import { aGroup, aHost, alice, api, dave } from "../support/mod.ts";
import { aProtectedHost, stateOf } from "../support/protected.ts";
import { undoing } from "../support/undo.ts";

const GROUPS = "/network/groups";
const HOSTS = "/network/hosts";

describe("several groups", () => {
  test("get hosts and children and lose them, in one change set that undo reverts", async () => {
    for (const name of ["web-1", "web-2", "db-1"]) await aHost({ name });
    await aGroup({ name: "Below" });
    const chosen = [
      await aGroup({ name: "One", hosts: ["web-1"] }),
      await aGroup({ name: "Two", hosts: ["web-1", "db-1"] }),
    ];
    const own = await browser(dave);
    const fields: Pairs = [
      ...selecting(GROUPS, ...chosen),
      ["hosts__add", "WEB-2"],
      ["hosts__add", ""],
      ["hosts__remove", "web-1"],
      ["children__add", "below"],
    ];
    const before = (await changes()).length;
    const { preview, done, set } = await both(own, "change", fields);
    expect(texts(preview.text, ".preview td[data-label=Hosts]")).toEqual([
      "web-1 + web-2",
      "web-1 + web-2",
    ]);
    expect([done.status, await setsOf(before)]).toEqual([303, [set]]);
    const rows = async () =>
      (await api(alice).get(`${GROUPS}?sort=id&name=One&name=Two`)).body.map((one: any) => [
        one.hosts,
        one.children,
      ]);
    expect(await rows()).toEqual([
      [["web-2"], ["Below"]],
      [["db-1", "web-2"], ["Below"]],
    ]);
    expect((await undoing(set, dave)).status).toBe(201);
    expect(await rows()).toEqual([
      [["web-1"], []],
      [["db-1", "web-1"], []],
    ]);
  });

  test("keep hidden members whatever replaces the others, and say nothing of them", async () => {
    await aHiddenHost();
    await aHost({ name: "web-1" });
    const group = await aGroup({ name: "One", hosts: ["canary", "web-1"] });
    const own = await browser(dave);
    const unknown = async (name: string) =>
      step(own, "change", [...selecting(GROUPS, group), ["hosts__add", name], ["step", "preview"]]);
    const [hidden, none] = [await unknown("canary"), await unknown("nowhere")];
    expect([hidden.status, none.status]).toEqual([422, 422]);
    expect(notesOf(hidden)[0]).toBe(notesOf(none)[0]!.replace("nowhere", "canary"));
    const { preview, done } = await both(own, "change", [
      ...selecting(GROUPS, group),
      ["clear", "hosts"],
    ]);
    expect([done.status, preview.text.includes("canary")]).toEqual([303, false]);
    expect((await api(alice).get(`${GROUPS}/${group.id}`)).body.hosts).toEqual(["canary"]);
  });

  test("keep the rules of one: cycles, queries and types are refused by name", async () => {
    const [one, two] = [
      await aGroup({ name: "One" }),
      await aGroup({ name: "Two", children: ["One"] }),
    ];
    const found = await aGroup({ name: "Found", type: "query", query: "name:x*" });
    await aHost({ name: "web-1" });
    const own = await browser(dave);
    const refused = async (...fields: Pairs) => {
      const answer = await step(own, "change", [
        ...selecting(GROUPS, one, two, found),
        ...fields,
        ["step", "preview"],
      ]);
      return [answer.status, notesOf(answer)[0]];
    };
    expect(await refused(["children__add", "Two"])).toEqual([
      422,
      'One: "Two" contains this group already',
    ]);
    expect(await refused(["hosts__add", "web-1"])).toEqual([
      422,
      "Found: The hosts of this group are found by its query",
    ]);
    expect(await refused(["type", "query"])).toEqual([
      422,
      "One: Enter the query that finds its hosts",
    ]);
    expect(await refused(["clear", "query"])).toEqual([
      422,
      "Found: Enter the query that finds its hosts",
    ]);
  });

  test("are not changed or deleted where that affects a protected host", async () => {
    const world = await aProtectedHost("admin_only");
    const { put, telling, apart, finding } = world.groups;
    const before = await stateOf(world);
    const own = await browser(dave);
    const admin = await browser(alice);
    const several = (...ids: number[]) => selecting(GROUPS, ...ids.map((id) => ({ id })));
    const attempts: Array<["change" | "delete", Pairs]> = [
      ["change", [...several(put, apart), ["hosts__remove", "core"]]],
      ["change", [...several(apart), ["hosts__add", "core"]]],
      ["change", [...several(apart), ["children__add", "Put"]]],
      ["change", [...several(apart, finding), ["type", "static"]]],
      ["delete", several(put, apart)],
      ["delete", several(telling)],
    ];
    for (const [action, fields] of attempts) {
      const seen = await step(admin, action, [...fields, ["step", "preview"]]);
      expect(seen.status).toBe(200);
      const answer = await step(own, action, [...fields, ...applied(seen)]);
      expect([422, 403]).toContain(answer.status);
      expect(await stateOf(world)).toBe(before);
    }
    const said = await step(own, "delete", several(telling, apart));
    expect(notesOf(said)[0]).toStartWith("Telling: Only admins may make this change");
  });

  test("are deleted together, parents and children", async () => {
    await aHost({ name: "web-1" });
    const own = await browser(dave);
    const below = (await api(dave).post(GROUPS, { name: "Below", hosts: ["web-1"] })).body;
    const above = (await api(dave).post(GROUPS, { name: "Above", children: ["Below"] })).body;
    const theirs = await aGroup({ name: "Theirs" });
    const { preview, done, set } = await both(
      own,
      "delete",
      selecting(GROUPS, below, above, theirs),
    );
    expect(notesOf(preview)).toEqual([
      "2 groups to delete: Below, Above",
      "Hosts and child groups remain; 1 host will lose their variables",
      "Theirs: Only its creator and admins may delete this group",
    ]);
    expect([done.status, await field(GROUPS, "name")]).toEqual([303, ["Theirs"]]);
    expect((await undoing(set, dave)).status).toBe(201);
    expect(await field(GROUPS, "children")).toEqual([[], ["Below"], []]);
  });
});

describe("several hosts", () => {
  test("join groups, leave them, and are in no others", async () => {
    for (const name of ["One", "Two", "Three"]) await aGroup({ name });
    const chosen = [
      await aHost({ automation_groups: ["One", "Two"] }),
      await aHost({ automation_groups: ["One"] }),
    ];
    const own = await browser(dave);
    const fields = selecting(HOSTS, ...chosen);
    const change = (...more: Pairs) => both(own, "change", [...fields, ...more]);
    const { done, set } = await change(
      ["automation_groups__add", "three"],
      ["automation_groups__remove", "One"],
    );
    expect(done.status).toBe(303);
    expect(await field(HOSTS, "automation_groups")).toEqual([["Three", "Two"], ["Three"]]);
    expect((await undoing(set, dave)).status).toBe(201);
    expect(await field(HOSTS, "automation_groups")).toEqual([["One", "Two"], ["One"]]);
    await change(["automation_groups__add", "Three"], ["clear", "automation_groups"]);
    expect(await field(HOSTS, "automation_groups")).toEqual([["Three"], ["Three"]]);
    const none = await change(["automation_groups__remove", "Two"]);
    expect(texts(none.preview.text, ".preview li")).toEqual(["0 hosts to change"]);
    const unknown = await step(own, "change", [
      ...fields,
      ["automation_groups__add", "Nowhere"],
      ["step", "preview"],
    ]);
    expect([unknown.status, notesOf(unknown)[0]]).toEqual([422, 'There is no group "Nowhere"']);
  });

  test("that are protected do not join groups", async () => {
    const world = await aProtectedHost("admin_only");
    const before = await stateOf(world);
    const fields: Pairs = [
      ...selecting(HOSTS, { id: world.core }),
      ["automation_groups__add", "Apart"],
    ];
    const seen = await step(await browser(alice), "change", [...fields, ["step", "preview"]]);
    const answer = await step(await browser(dave), "change", [...fields, ...applied(seen)]);
    expect([answer.status, await stateOf(world)]).toEqual([403, before]);
    expect(answer.text).toContain("core: Only admins");
  });
});
