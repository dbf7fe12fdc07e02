import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { add, aFeedNetwork } from "../../support/feed_network.ts";
import { alice, api, carol, dave, service, tokenOf, visit } from "../../support/mod.ts";
import { folder, isMissing, run } from "../../support/programs.ts";

const PATH = "/network/export/ansible";
const SCRIPT = join(import.meta.dir, "../../../docs/ansible/cadastre_inventory.py");

interface Named {
  name: string;
}

/** A group of two hosts, its child, a group by query and an empty group. */
async function someGroups() {
  await add("groups", { name: "web-servers", hosts: ["web", "vault"], vars: { tier: "front" } });
  await add("groups", {
    name: "site",
    hosts: ["db"],
    children: ["web-servers"],
    vars: { tier: "any", ntp: "10.1.0.1" },
  });
  await add("groups", { name: "1st", type: "query", query: "db" });
  await add("groups", { name: "nobody" });
  await add("hosts", { name: "loner", device_type: "VME" });
}

async function inventory(query = "", person = carol) {
  const { status, body } = await api(person).get(PATH + query);
  expect(status).toBe(200);
  return body;
}

describe("GET /network/export/ansible", () => {
  test("exports the variables of hosts, and generated ones under a prefix", async () => {
    await aFeedNetwork();
    const { hostvars } = (await inventory())._meta;
    expect(Object.keys(hostvars)).toEqual(["db", "web"]);
    expect(hostvars.web).toEqual({
      http_port: 8080,
      ansible_host: "10.1.1.1",
      cadastre: {
        fqdn: "web.lab.example.org",
        device_type: "Virtual",
        is_ioc: false,
        interfaces: [
          {
            name: "web",
            ip: "10.1.1.1",
            netmask: "255.255.255.0",
            mac: "02:42:42:00:00:01",
            network: "Office",
            vlan_id: 1,
            gateway: "10.1.1.254",
            domain: "lab.example.org",
            cnames: ["www.lab.example.org"],
          },
          expect.objectContaining({ name: "web-v6", ip: "2001:db8:1:1::1", gateway: null }),
        ],
      },
    });
  });

  test("lets the variables of a host override how it is reached, but not the generated ones", async () => {
    await aFeedNetwork();
    const big = "1234567890123456";
    const [{ id }] = (await api(alice).get("/network/hosts?name=db")).body;
    const vars = `{"ansible_host": "jump", "cadastre": 1, "big": ${big}, "deep": {"x": [null]}}`;
    await api(alice).patch(`/network/hosts/${id}`, `{"automation_vars": ${vars}}`, {
      headers: { "content-type": "application/json" },
    });
    await add("hosts", { name: "bare", device_type: "VME" });
    const { db, bare } = (await inventory())._meta.hostvars;
    expect([db.ansible_host, db.cadastre.fqdn, db.deep]).toEqual([
      "jump",
      "db.lab.example.org",
      { x: [null] },
    ]);
    expect(bare).toEqual({
      ansible_host: "bare",
      cadastre: { fqdn: "bare", device_type: "VME", is_ioc: false, interfaces: [] },
    });
  });

  test("lists the main interface first and the others by age, whatever was changed last", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "late", device_type: "VME" });
    for (const name of ["late-2", "late-1", "late"])
      await add("interfaces", { host: "late", network: "Office", name });
    for (const name of ["web", "late-2"]) {
      const [{ id }] = (await api(alice).get(`/network/interfaces?name=${name}`)).body;
      await api(alice).patch(`/network/interfaces/${id}`, { description: "moved in its table" });
    }
    const { web, late } = (await inventory())._meta.hostvars;
    const named = (host: typeof web) => host.cadastre.interfaces.map(({ name }: Named) => name);
    expect(named(web)).toEqual(["web", "web-v6"]);
    expect(named(late)).toEqual(["late", "late-2", "late-1"]);
    expect(late.ansible_host).toBe(late.cadastre.interfaces[0].ip);
  });

  test("exports all characters, and variables in the order of those of groups", async () => {
    await aFeedNetwork();
    const vars = { ansible_user: "größe", note: '{"ansible_host": null} ✓\n', z: 1 };
    await add("groups", { name: "Öfen", hosts: ["web"], vars: { ansible_host: 1, ...vars } });
    await add("hosts", { name: "oven", device_type: "VME", automation_vars: vars });
    const body = await inventory();
    const { cadastre, ...own } = body._meta.hostvars.oven;
    expect(own).toEqual({ ...vars, ansible_host: "oven" });
    expect(Object.keys(own)).toEqual(Object.keys(body.Öfen.vars));
  });

  test("exports the groups, without hidden hosts", async () => {
    await aFeedNetwork();
    await someGroups();
    const { _meta, ...groups } = await inventory();
    expect(groups).toEqual({
      all: { hosts: [], children: ["1st", "nobody", "site"], vars: {} },
      ungrouped: { hosts: ["loner"] },
      "1st": { hosts: ["db"], children: [], vars: {} },
      nobody: { hosts: [], children: [], vars: {} },
      site: {
        hosts: ["db"],
        children: ["web-servers"],
        vars: { tier: "any", ntp: "10.1.0.1" },
      },
      "web-servers": { hosts: ["web"], children: [], vars: { tier: "front" } },
    });
    const { "web-servers": seen } = await inventory("", alice);
    expect(seen.hosts).toEqual(["vault", "web"]);
  });

  test("names groups without warnings of Ansible, where that is requested", async () => {
    await aFeedNetwork();
    await someGroups();
    await add("groups", { name: "web_servers", children: ["web-servers"] });
    const groups = await inventory("?names=safe");
    expect(Object.keys(groups).toSorted()).toEqual([
      "_1st",
      "_meta",
      "all",
      "nobody",
      "site",
      "ungrouped",
      "web_servers",
      "web_servers_",
    ]);
    expect(groups.web_servers_.children).toEqual(["web_servers"]);
  });

  test("uses the variables of a group named all, and skips groups with reserved names", async () => {
    await aFeedNetwork();
    await add("groups", { name: "all", vars: { ntp: "10.1.0.1" } });
    await add("groups", { name: "_meta", hosts: ["web"] });
    await add("groups", { name: "ungrouped", vars: { lost: true } });
    await add("groups", { name: "above", children: ["all"] });
    const { _meta, ...groups } = await inventory();
    expect(groups).toEqual({
      all: {
        hosts: [],
        children: ["_meta_", "above", "ungrouped_"],
        vars: { ntp: "10.1.0.1" },
      },
      ungrouped: { hosts: ["db"] },
      _meta_: { hosts: ["web"], children: [], vars: {} },
      ungrouped_: { hosts: [], children: [], vars: { lost: true } },
      above: { hosts: [], children: [], vars: {} },
    });
  });

  test("exports selected hosts by scope, network and group, with all of their data", async () => {
    await aFeedNetwork();
    await someGroups();
    const named = async (query: string) =>
      Object.keys((await inventory(query))._meta.hostvars).join(" ");
    expect(await named("?network=Backup")).toBe("db");
    expect(await named("?network=backup&network=Office-v6")).toBe("db web");
    expect(await named("?scope=Lab")).toBe("db web");
    expect(await named("?scope=Lab-v6")).toBe("web");
    expect(await named("?group=site")).toBe("db web");
    expect(await named("?group=web-servers")).toBe("web");
    expect(await named("?group=1st")).toBe("db");
    expect(await named("?group=1st&network=Office-v6")).toBe("");
    const { _meta, site, "web-servers": below, ungrouped } = await inventory("?network=Backup");
    expect(_meta.hostvars.db.cadastre.interfaces.length).toBe(2);
    expect([site.hosts, below.hosts, ungrouped.hosts]).toEqual([["db"], [], []]);
  });

  test("is complete without any host", async () => {
    expect(await inventory()).toEqual({
      _meta: { hostvars: {} },
      all: { hosts: [], children: [], vars: {} },
      ungrouped: { hosts: [] },
    });
  });

  test("refuses an unknown style of names", async () => {
    const { status } = await api(dave).get(`${PATH}?names=short`);
    expect(status).toBe(422);
  });
});

async function settings(person = carol): Promise<Record<string, string>> {
  const { origin } = await service();
  return {
    CADASTRE_URL: origin,
    CADASTRE_TOKEN: await tokenOf(person),
    CADASTRE_CACHE: folder(),
    CADASTRE_QUERY: "",
  };
}

async function unchangedSoFar(): Promise<number> {
  const { text } = await visit("/metrics");
  const line = /_count\{.*\/network\/export\/ansible",status="304"\} ([0-9]+)/;
  return Number(line.exec(text)?.[1] ?? 0);
}

describe.skipIf(isMissing("python3"))("the inventory script", () => {
  test("prints the inventory, and reads it again only when it has changed", async () => {
    await aFeedNetwork();
    const env = await settings();
    const before = await unchangedSoFar();
    const list = async () => JSON.parse((await run([SCRIPT, "--list"], env)).out);
    expect(await list()).toEqual(await inventory());
    expect(await list()).toEqual(await inventory());
    expect(await unchangedSoFar()).toBe(before + 1);
    await add("hosts", { name: "new", device_type: "VME" });
    expect((await list()).ungrouped.hosts).toEqual(["db", "new", "web"]);
    expect(await unchangedSoFar()).toBe(before + 1);
  });

  test("prints its cache, with a warning, while the server is unreachable", async () => {
    await aFeedNetwork();
    const { origin } = await service();
    let away: (() => Response) | undefined;
    const proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url, headers }): Response | Promise<Response> => {
        const { pathname, search } = new URL(url);
        return away?.() ?? fetch(origin + pathname + search, { headers });
      },
    });
    const env = { ...(await settings()), CADASTRE_URL: proxy.url.origin };
    const list = () => run([SCRIPT, "--list"], env);
    const { out: inventory } = await list();
    expect(Object.keys(JSON.parse(inventory)._meta.hostvars)).toEqual(["db", "web"]);
    const warning = (why: string) =>
      expect.stringMatching(
        new RegExp(
          `^cadastre: warning: ${why}.*; this is the inventory of 20..-..-.. ..:.. UTC\\n$`,
        ),
      );
    away = () => Response.json({ detail: "The database does not answer" }, { status: 503 });
    expect(await list()).toMatchObject({ code: 0, out: inventory, err: warning("The database") });
    away = () => new Response("<html>Log in to the network</html>", { headers: { etag: '"x"' } });
    expect(await list()).toMatchObject({ code: 0, out: inventory, err: warning("") });
    const none = await run([SCRIPT, "--list"], { ...env, CADASTRE_CACHE: folder() });
    expect([none.code, none.out]).toEqual([1, ""]);
    away = () => Response.json({ detail: "This token was revoked" }, { status: 401 });
    expect(await list()).toMatchObject({ code: 1, err: "cadastre: This token was revoked\n" });
    await proxy.stop(true);
    const gone = await list();
    expect(gone).toMatchObject({ code: 0, out: inventory, err: warning("") });
  });

  test("prints one host", async () => {
    await aFeedNetwork();
    const { out } = await run([SCRIPT, "--host", "web"], await settings());
    expect(JSON.parse(out).ansible_host).toBe("10.1.1.1");
    const { out: none } = await run([SCRIPT, "--host", "vault"], await settings());
    expect(JSON.parse(none)).toEqual({});
  });

  test("selects by a query, and prints why it is refused", async () => {
    await aFeedNetwork();
    const env = await settings();
    const some = await run([SCRIPT, "--list"], { ...env, CADASTRE_QUERY: "network=Backup" });
    expect(Object.keys(JSON.parse(some.out)._meta.hostvars)).toEqual(["db"]);
    const none = await run([SCRIPT, "--list"], { ...env, CADASTRE_QUERY: "network=Vaults" });
    expect([none.code, none.err]).toEqual([
      1,
      "cadastre: network: 'Vaults' is not a valid network\n",
    ]);
    const stranger = await run([SCRIPT, "--list"], { ...env, CADASTRE_TOKEN: "nonsense" });
    expect([stranger.code, stranger.err]).toEqual([
      1,
      "cadastre: A valid bearer token is required\n",
    ]);
  });
});

describe.skipIf(isMissing("ansible-inventory"))("Ansible", () => {
  test("reads the script's hosts, groups and variables without a warning", async () => {
    await aFeedNetwork();
    await someGroups();
    const env = { ...(await settings()), CADASTRE_QUERY: "names=safe" };
    const ask = (...args: string[]) => run(["ansible-inventory", "-i", SCRIPT, ...args], env);
    const { out, err, code } = await ask("--list");
    expect([code, err]).toEqual([0, ""]);
    const { _meta, ...groups } = JSON.parse(out);
    expect(Object.keys(_meta.hostvars).toSorted()).toEqual(["db", "loner", "web"]);
    expect(groups.site.children).toEqual(["web_servers"]);
    expect(groups.ungrouped.hosts).toEqual(["loner"]);
    expect(groups.nobody).toBe(undefined);
    const { http_port, tier, ntp } = JSON.parse((await ask("--host", "web")).out);
    expect({ http_port, tier, ntp }).toEqual({ http_port: 8080, tier: "front", ntp: "10.1.0.1" });
    expect((await ask("--graph")).out).not.toContain("vault");
  });
});
