// Several networks, scopes, domains and interfaces are changed and deleted at once, by the rules of one.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { concurrently, counted } from "../support/concurrently.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { changes } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
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
import {
  aCname,
  aDomain,
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  carol,
  dave,
  service,
} from "../support/mod.ts";
import { aProtectedHost } from "../support/protected.ts";
import { undoing } from "../support/undo.ts";

const NETWORKS = "/network/networks";
const SCOPES = "/network/scopes";
const DOMAINS = "/network/domains";
const INTERFACES = "/network/interfaces";

describe("several networks", () => {
  test("get a description and are for admins only, in one change set that undo reverts", async () => {
    const scope = await aScope();
    const chosen = [await aNetwork({ scope: scope.name }), await aNetwork({ scope: scope.name })];
    const own = await browser(alice);
    const fields = selecting(NETWORKS, ...chosen);
    const asked = await step(own, "change", fields);
    const offered = elements(asked.text, ".sheet .field [name]").map((one) => one.attributes.name);
    expect([...new Set(offered)].toSorted()).toEqual([
      ...["admin_only", "clear", "description", "domain", "sensitive", "tags__add", "tags__remove"],
    ]);
    const before = (await changes()).length;
    const values: Pairs = [
      ["description", "Old"],
      ["admin_only", "true"],
    ];
    const { done, set } = await both(own, "change", [...fields, ...values]);
    expect(done.status).toBe(303);
    expect(await setsOf(before)).toEqual([set]);
    expect(await field(NETWORKS, "admin_only")).toEqual([true, true]);
    expect(await field(NETWORKS, "description")).toEqual(["Old", "Old"]);
    expect((await undoing(set, alice)).status).toBe(201);
    expect(await field(NETWORKS, "admin_only")).toEqual([false, false]);
  });

  test("lose their description by Clear, and not by a blank field", async () => {
    const chosen = [await aNetwork({ description: "x" }), await aNetwork({ description: "y" })];
    const own = await browser(alice);
    const clearing: Pairs = [...selecting(NETWORKS, ...chosen), ["clear", "description"]];
    const blank = await step(own, "change", [
      ...selecting(NETWORKS, chosen[0]),
      ["step", "preview"],
    ]);
    expect([blank.status, notesOf(blank)]).toEqual([422, ["Fill in at least one field"]]);
    const two = await step(own, "change", [...clearing, ["description", "z"], ["step", "preview"]]);
    expect([two.status, notesOf(two)]).toEqual([422, ["Enter a value or clear it, not both"]]);
    const never = await step(own, "change", [
      ...selecting(NETWORKS, ...chosen),
      ["clear", "domain"],
      ["step", "preview"],
    ]);
    expect(never.status).toBe(422);
    const { preview, done } = await both(own, "change", clearing);
    const [box] = elements(preview.text, "input[name=clear][value=description]");
    expect(box!.attributes.checked).toBeDefined();
    expect(done.status).toBe(303);
    expect(await field(NETWORKS, "description")).toEqual([null, null]);
  });

  test("keep the rule of one: a refusal names the network, and none is changed", async () => {
    const [first, second] = [await aNetwork(), await aNetwork({ vlan_name: "lab-net" })];
    await anInterface({ network: "lab-net", host: (await aHost({ name: "crate" })).name });
    const other = await aDomain({ name: "other.example.org" });
    const elsewhere = await aNetwork({ scope: (await aScope({ domain_id: other.id })).name });
    const { id } = await anInterface({ network: elsewhere.vlan_name });
    await aCname({ name: "crate", interface_id: id });
    const own = await browser(alice);
    const fields: Pairs = [...selecting(NETWORKS, first, second), ["domain", other.name]];
    const refused = await step(own, "change", [...fields, ["step", "preview"]]);
    expect([refused.status, notesOf(refused)]).toEqual([
      422,
      ["lab-net: The name crate.other.example.org is taken there"],
    ]);
    const { body } = await api(alice).get(`${NETWORKS}/${first.id}`);
    expect(body.domain).not.toBe(other.name);
  });

  test("are changed by admins only", async () => {
    const { id } = await aNetwork();
    const fields: Pairs = [...selecting(NETWORKS, { id }), ["description", "x"]];
    for (const person of [dave, carol]) {
      const own = await browser(person);
      expect(elements((await own.get(NETWORKS)).text, "#bulk")).toEqual([]);
      expect((await step(own, "change", [...fields, ["step", "preview"]])).status).toBe(403);
      expect((await step(own, "delete", fields)).status).toBe(403);
    }
  });

  test("are deleted unless they have interfaces", async () => {
    const [used, free] = [await aNetwork({ vlan_name: "Used" }), await aNetwork()];
    await anInterface({ network: "Used" });
    const fields = selecting(NETWORKS, used, free);
    const { preview, done, set } = await both(await browser(alice), "delete", fields);
    expect(notesOf(preview)).toEqual([
      `1 network to delete: ${free.vlan_name}`,
      "Used: This network is in use by 1 interface",
    ]);
    expect([done.status, await field(NETWORKS, "vlan_name")]).toEqual([303, ["Used"]]);
    expect((await undoing(set, alice)).status).toBe(201);
    expect(await field(NETWORKS, "vlan_name")).toEqual(["Used", free.vlan_name]);
  });

  test("that others changed since the preview are previewed again: 412", async () => {
    const one = await aNetwork();
    const own = await browser(alice);
    const fields: Pairs = [...selecting(NETWORKS, one), ["description", "Mine"]];
    const preview = await step(own, "change", [...fields, ["step", "preview"]]);
    await api(alice).patch(`${NETWORKS}/${one.id}`, { description: "Theirs" });
    const late = await step(own, "change", [...fields, ...applied(preview)]);
    expect([late.status, notesOf(late).length]).toEqual([412, 2]);
    expect(await field(NETWORKS, "description")).toEqual(["Theirs"]);
    const again = await step(own, "change", [...fields, ...applied(late)]);
    expect([again.status, await field(NETWORKS, "description")]).toEqual([303, ["Mine"]]);
  });

  test("are changed by one of 32 clients that previewed the same", async () => {
    const scope = await aScope();
    const chosen = [];
    for (let at = 0; at < 3; at += 1) chosen.push(await aNetwork({ scope: scope.name }));
    const own = await browser(alice);
    const before = (await changes()).length;
    const previews: Pairs[] = [];
    for (let at = 0; at < 32; at += 1) {
      const fields: Pairs = [...selecting(NETWORKS, ...chosen), ["description", `Client ${at}`]];
      const preview = await step(own, "change", [...fields, ["step", "preview"]]);
      previews.push([...fields, ...applied(preview)]);
    }
    const answers = await concurrently(32, (at) => step(own, "change", previews[at]!));
    expect(counted(answers)).toEqual({ 303: 1, 412: 31 });
    expect(new Set(await field(NETWORKS, "description")).size).toBe(1);
    expect(await setsOf(before)).toHaveLength(1);
  }, 60_000);
});

describe("several scopes", () => {
  test("keep their networks inside, and are deleted unless they have any", async () => {
    const used = await aScope({ name: "Used" });
    await aNetwork({ scope: "Used", vlan_id: 300 });
    const free = await aScope({ name: "Free" });
    const own = await browser(alice);
    const fields = selecting(SCOPES, free, used);
    const offered = elements((await step(own, "change", fields)).text, ".field [name]");
    expect(offered.map(({ attributes }) => attributes.name)).not.toContain("supernet");
    const refused = await step(own, "change", [
      ...fields,
      ["last_vlan", "200"],
      ["step", "preview"],
    ]);
    expect(refused.status).toBe(422);
    expect(notesOf(refused)[0]).toMatch(/^Used: The network .* would be outside$/);
    const changed = await both(own, "change", [...fields, ["last_vlan", "3000"]]);
    expect([changed.done.status, await field(SCOPES, "last_vlan")]).toEqual([303, [3000, 3000]]);
    expect((await undoing(changed.set, alice)).status).toBe(201);
    expect(await field(SCOPES, "last_vlan")).toEqual([4000, 4000]);
    const gone = await both(own, "delete", fields);
    expect(notesOf(gone.preview)).toEqual([
      "1 scope to delete: Free",
      "Used: This scope is in use by 1 network",
    ]);
    expect([gone.done.status, await field(SCOPES, "name")]).toEqual([303, ["Used"]]);
    expect((await step(await browser(dave), "delete", fields)).status).toBe(403);
  });
});

describe("several domains", () => {
  test("are deleted unless they are used, in one change set", async () => {
    const [used, one, two] = [
      await aDomain({ name: "used.org" }),
      await aDomain(),
      await aDomain(),
    ];
    await aScope({ domain_id: used.id });
    const own = await browser(alice);
    const before = (await changes()).length;
    const { preview, done, set } = await both(own, "delete", selecting(DOMAINS, used, one, two));
    expect(notesOf(preview)).toEqual([
      `2 domains to delete: ${one.name}, ${two.name}`,
      "used.org: This domain is in use by 1 scope",
    ]);
    expect([done.status, await setsOf(before)]).toEqual([303, [set]]);
    expect(await field(DOMAINS, "name")).toEqual(["used.org"]);
    expect((await undoing(set, alice)).status).toBe(201);
    expect(await field(DOMAINS, "name")).toHaveLength(3);
    expect((await step(await browser(dave), "delete", selecting(DOMAINS, one))).status).toBe(403);
  });
});

describe("several interfaces", () => {
  test("move to a network and get free addresses there; undo moves them back", async () => {
    await aNetwork({
      vlan_name: "New-net",
      address: "10.250.0.0/24",
      scope: (await aScope({ supernet: "10.250.0.0/16" })).name,
    });
    const chosen = [await anInterface(), await anInterface()];
    const own = await browser(dave);
    const was = await field(INTERFACES, "ip");
    const fields: Pairs = [...selecting(INTERFACES, ...chosen), ["network", "new-net"]];
    const { done, set } = await both(own, "change", fields);
    expect(done.status).toBe(303);
    expect(await field(INTERFACES, "network")).toEqual(["New-net", "New-net"]);
    expect(await field(INTERFACES, "ip")).toEqual(["10.250.0.1", "10.250.0.2"]);
    expect((await undoing(set, dave)).status).toBe(201);
    expect(await field(INTERFACES, "ip")).toEqual(was);
  });

  test("are refused by name if the network is full, and none moves", async () => {
    const { name: scope } = await aScope({ supernet: "10.251.0.0/16" });
    const ends = { first_ip: "10.251.0.1", last_ip: "10.251.0.1", gateway: null };
    await aNetwork({ vlan_name: "Small", scope, address: "10.251.0.0/24", ...ends });
    const [one, two] = [
      await anInterface({ name: "first-if" }),
      await anInterface({ name: "last-if" }),
    ];
    const was = await field(INTERFACES, "network");
    const fields: Pairs = [...selecting(INTERFACES, one, two), ["network", "Small"]];
    const refused = await step(await browser(dave), "change", [...fields, ["step", "preview"]]);
    expect([refused.status, notesOf(refused)[0]]).toEqual([
      422,
      expect.stringMatching(/^last-if: /),
    ]);
    expect(await field(INTERFACES, "network")).toEqual(was);
  });

  test("of protected hosts are kept, and refused by name", async () => {
    const { elsewhere, own: mine, main } = await aProtectedHost("admin_only");
    const own = await browser(dave);
    const fields = selecting(INTERFACES, { id: elsewhere }, { id: mine }, { id: main });
    const values: Pairs = [
      ["description", "x"],
      ["step", "preview"],
    ];
    const refused = await step(own, "change", [...fields, ...values]);
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/core(-2)?: Only admins may change hosts in the network Closed/);
    const seen = await step(await browser(alice), "change", [...fields, ...values]);
    const forced = await step(own, "change", [...fields, values[0]!, ...applied(seen)]);
    expect([forced.status, new Set(await field(INTERFACES, "description"))]).toEqual([
      403,
      new Set([null]),
    ]);
    const gone = await both(own, "delete", fields);
    expect(notesOf(gone.preview)).toEqual([
      "1 interface to delete: mine",
      "core: Only admins may change hosts in the network Closed",
      "core-2: Only admins may change hosts in the network Closed",
    ]);
    expect([gone.done.status, await field(INTERFACES, "name")]).toEqual([303, ["core", "core-2"]]);
  });

  test("are deleted by those who created them, with their cnames", async () => {
    const host = await aHost();
    const other = await anInterface({ name: "not-mine" });
    const made = await api(dave).post(INTERFACES, {
      host: host.name,
      name: "is-mine",
      network: other.network,
    });
    expect(made.status).toBe(201);
    await aCname({ name: "www", interface_id: made.body.id });
    const own = await browser(dave);
    expect(texts((await own.get(INTERFACES)).text, "#bulk button")).toEqual([
      "Change selected",
      "Delete selected",
    ]);
    const { preview, set } = await both(own, "delete", selecting(INTERFACES, other, made.body));
    expect(notesOf(preview)).toEqual([
      "1 interface to delete: is-mine",
      "1 cname deleted with them",
      "not-mine: Only its creator and admins may delete this interface",
    ]);
    expect(await field(INTERFACES, "name")).toEqual(["not-mine"]);
    expect((await undoing(set, dave)).status).toBe(201);
    expect(await field("/network/cnames", "name")).toHaveLength(1);
  });

  test("that are hidden are neither changed nor named", async () => {
    await aHiddenHost();
    const { sql } = await service();
    const [{ id }] = await sql`select id::int from interfaces where name = 'canary'`;
    const shown = await anInterface({ name: "seen-if" });
    const own = await browser(dave);
    const fields: Pairs = [...selecting(INTERFACES, { id }, shown), ["description", "x"]];
    const { preview, done } = await both(own, "change", fields);
    expect([preview.text.includes("canary"), done.status]).toEqual([false, 303]);
    expect(texts(preview.text, ".lead")[0]).toStartWith("1 interface selected");
    const [{ description }] = await sql`select description from interfaces where id = ${id}`;
    expect(description).toBeNull();
    const gone = await step(own, "delete", selecting(INTERFACES, { id }, shown));
    expect(gone.text).not.toContain("canary");
  });
});
