// The Ansible collection, built, installed and run by Ansible against the service.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { alice, api, carol, reference, service, tokenOf } from "../support/mod.ts";
import { folder, isMissing, run } from "../support/programs.ts";
import {
  aProxy,
  installed,
  inventory,
  play,
  problem,
  ROOT,
  readInventory,
  SOURCE,
} from "./ansible.ts";

setDefaultTimeout(300_000);

const PLUGINS: Array<[type: string, name: string]> = [
  ...["host", "interface", "network", "cname", "group", "item"].map((name): [string, string] => [
    "module",
    name,
  ]),
  ["inventory", "inventory"],
  ["lookup", "free_address"],
];

const SERVER_OPTIONS = ["url", "token", "validate_certs", "ca_path", "timeout"];

/** Those of `ansible-test sanity` that need nothing from the network. */
const RULES = [
  ...["action-plugin-docs", "changelog", "compile", "empty-init", "future-import-boilerplate"],
  ...["ignores", "line-endings", "metaclass-boilerplate", "no-assert", "no-basestring"],
  ...["no-dict-iteritems", "no-dict-iterkeys", "no-dict-itervalues", "no-get-exception"],
  ...["no-illegal-filenames", "no-main-display", "no-smart-quotes", "no-unicode-literals"],
  ...["replace-urlopen", "shebang", "symlinks", "use-argspec-type-path", "use-compat-six"],
];

async function changeCount(): Promise<string | null> {
  return (await api(alice).get("/changes")).headers.get("x-total-count");
}

async function named(path: string, filter: string) {
  const { body } = await api(alice).get(`${path}?${filter}`);
  return body[0];
}

/** Each module with each of its options. */
const ALL = `
- cadastre.register.network:
    vlan_name: Storage
    vlan_id: 3
    scope: Lab
    address: 10.1.3.0/24
    first_ip: 10.1.3.1
    last_ip: 10.1.3.200
    gateway: 10.1.3.254
    domain: lab.example.org
    description: Disks
    admin_only: false
    sensitive: false
- cadastre.register.item:
    ics_id: AAA001
    serial_number: SN-4711
    quantity: 1
    manufacturer: Maker
    model: Rack server
    location: Hall A
    status: In use
- cadastre.register.group:
    name: archivers
    type: static
    hosts: []
    children: []
    vars: { retention_days: 30, paths: [/data] }
- cadastre.register.host:
    name: archiver-03
    device_type: Physical
    is_ioc: true
    description: Keeps values
    items: [AAA001]
    automation_groups: [archivers]
    automation_vars: { port: 17668 }
    network: Office
    ip: 10.1.1.50
    mac: "02:42:42:00:00:50"
- cadastre.register.interface:
    name: archiver-03-storage
    host: archiver-03
    network: Storage
    ip: 10.1.3.7
    mac: "02:42:42:00:00:51"
    description: To the disks
- cadastre.register.cname:
    name: archiver.lab.example.org
    interface: archiver-03
- cadastre.register.host:
    name: switch-1
    device_type: Network
- cadastre.register.item:
    ics_id: AAA002
    serial_number: SN-4712
    parent: AAA001
    host: switch-1
    stack_member: 1
- cadastre.register.group:
    name: virtual
    type: query
    query: device_type:Virtual
`;

async function someAttributes(): Promise<void> {
  const given = {
    manufacturers: "Maker",
    models: "Rack server",
    locations: "Hall A",
    statuses: "In use",
  };
  for (const [kind, name] of Object.entries(given))
    await api(alice).post(`/inventory/${kind}`, { name });
}

describe.skipIf(isMissing("ansible-playbook"))("the modules of the collection", () => {
  beforeEach(async () => {
    await aFeedNetwork();
    await someAttributes();
  });

  test("make each record with all options, and change nothing the second time", async () => {
    const first = await play(ALL);
    expect([first.errors, first.code, first.changed]).toEqual([[], 0, 9]);
    const host = await named("/network/hosts", "name=archiver-03");
    expect(host).toMatchObject({
      is_ioc: true,
      device_type: "Physical",
      items: ["AAA001"],
      automation_groups: ["archivers"],
      automation_vars: { port: 17668 },
      interfaces: ["archiver-03", "archiver-03-storage"],
    });
    const main = await named("/network/interfaces", "name=archiver-03");
    expect([main.ip, main.mac, main.cnames]).toEqual([
      "10.1.1.50",
      "02:42:42:00:00:50",
      ["archiver.lab.example.org"],
    ]);
    expect((await api(alice).get("/inventory/items/AAA002")).body).toMatchObject({
      parent: "AAA001",
      host: "switch-1",
      stack_member: 1,
    });
    const before = await changeCount();
    const second = await play(ALL.replaceAll(/^ {4}hosts: \[\]\n/gm, ""));
    expect([second.errors, second.code, second.ok, second.changed]).toEqual([[], 0, 9, 0]);
    expect(await changeCount()).toBe(before);
  });

  test("change only what they name, and return the record and the change", async () => {
    const { errors, changed, out } = await play(`
- cadastre.register.host: { name: web, description: Pages }
  register: done
- ansible.builtin.debug:
    msg: "{{ done.record.description }} {{ done.record.automation_vars.http_port }} {{ done.change_set }}"
- cadastre.register.host: { name: web, description: Pages }
  register: done
- ansible.builtin.debug:
    msg: "{{ done.record.description }} {{ done.change_set is none }}"
- cadastre.register.host: { name: web, description: "" }
`);
    expect([errors, changed]).toEqual([[], 2]);
    const [, change] = /"msg": "Pages 8080 ([^" ]+)"/.exec(out) ?? [];
    expect((await api(alice).get(`/changes/${change}`)).status).toBe(200);
    expect(out).toContain('"msg": "Pages True"');
    expect((await named("/network/hosts", "name=web")).description).toBeNull();
  });

  test("write nothing in check mode, and say what they would do", async () => {
    const before = await changeCount();
    const tasks = `
- cadastre.register.network: { vlan_name: Office, description: New }
- cadastre.register.host: { name: new, device_type: VME, network: Office }
- cadastre.register.interface: { name: web-2, host: web, network: Backup }
- cadastre.register.cname: { name: shop.lab.example.org, interface: web }
- cadastre.register.group: { name: new }
- cadastre.register.item: { ics_id: AAA009, serial_number: S9 }
- cadastre.register.host: { name: db, state: absent }
- cadastre.register.host: { name: web, device_type: Virtual }
`;
    const { errors, ok, changed } = await play(tasks, { args: ["--check"] });
    expect([errors, ok, changed]).toEqual([[], 8, 7]);
    expect(await changeCount()).toBe(before);
    expect((await play(tasks)).changed).toBe(7);
  });

  test("show the fields before and after", async () => {
    const task = "- cadastre.register.network: { vlan_name: Office, description: Desks }";
    const { out } = await play(task, { args: ["--diff", "--check"] });
    expect(out).toMatch(/^- +"description": null,\n\+ +"description": "Desks",$/m);
    expect(out).not.toContain("updated_at");
    const gone = await play(
      "- cadastre.register.cname: { name: www.lab.example.org, state: absent }",
      {
        args: ["--diff"],
      },
    );
    expect(gone.out).toMatch(/^- +"name": "www.lab.example.org"$/m);
  });

  test("delete records, once", async () => {
    await api(alice).post("/inventory/items", { ics_id: "AAA001", serial_number: "S" });
    await add("groups", { name: "Front / back" });
    const tasks = `
- cadastre.register.cname: { name: www.lab.example.org, state: absent }
- cadastre.register.interface: { name: web-v6, state: absent }
- cadastre.register.host: { name: web, state: absent }
- cadastre.register.network: { vlan_name: Office-v6, state: absent }
- cadastre.register.group: { name: Front / back, state: absent }
- cadastre.register.item: { ics_id: AAA001, state: absent }
`;
    expect(await play(tasks)).toMatchObject({ errors: [], changed: 6 });
    expect((await api(alice).get("/network/hosts?name=web")).body).toEqual([]);
    expect(await play(tasks)).toMatchObject({ errors: [], ok: 6, changed: 0 });
  });

  test("find records whose names are written in another case or with other characters", async () => {
    await add("groups", { name: "Öfen / 50% & mehr?" });
    const tasks = `
- cadastre.register.group: { name: "Öfen / 50% & mehr?", vars: { a: 1 } }
- cadastre.register.host: { name: WEB, device_type: virtual }
- cadastre.register.network: { vlan_name: OFFICE, domain: LAB.example.org }
- cadastre.register.item: { ics_id: aaa001, serial_number: S }
- cadastre.register.item: { ics_id: AAA001, serial_number: S }
- cadastre.register.group: { name: "öfen / 50% & mehr?", state: absent }
`;
    expect(await play(tasks)).toMatchObject({ errors: [], ok: 6, changed: 3 });
  });

  test.each([
    [
      "host: { name: new, device_type: Physicl }",
      "device_type: 'Physicl' is not a valid device type. Did you mean \"Physical\"?",
    ],
    [
      "host: { name: web, network: Backup }",
      "network: Only a new host takes this; this one has Office",
    ],
    [
      "interface: { name: web-2, host: nobody, network: Office }",
      "host: 'nobody' is not a valid host",
    ],
    [
      "network: { vlan_name: Office, gateway: 10.9.9.9 }",
      "gateway: Use an address inside 10.1.1.0/24",
    ],
    [
      "cname: { name: a.lab.example.org, interface: none }",
      "interface: 'none' is not a valid interface",
    ],
    ["group: { name: g, type: query, query: '(' }", /^query: /],
    [
      "item: { ics_id: AAA001, serial_number: S, location: Nowhere }",
      "location: 'Nowhere' is not a valid location",
    ],
  ])("fail with the sentence of the service: %s", async (task, sentence) => {
    const { errors, failed } = await play(`- cadastre.register.${task}`);
    expect(failed).toBe(1);
    expect(errors).toEqual([
      typeof sentence === "string" ? sentence : expect.stringMatching(sentence),
    ]);
  });

  test("return the errors with their codes", async () => {
    const { out } = await play(`
- cadastre.register.host: { name: new, device_type: Physicl }
  ignore_errors: true
  register: done
- ansible.builtin.debug: { msg: "{{ done.code }} {{ done.errors[0].field }}" }
`);
    expect(out).toContain('"msg": "unknown_record device_type"');
  });

  test("say what a token may not do, and never show the token", async () => {
    const task = "- cadastre.register.host: { name: web, description: New }";
    const { errors, said } = await play(task, { person: carol, args: ["-vvvv"] });
    expect(errors).toEqual([
      expect.stringMatching(/^Only users in the group network and admins may do this/),
    ]);
    expect(said).not.toContain(await tokenOf(carol));
    for (const [token, sentence] of [
      ["cad_nonsense", "A valid bearer token is required"],
      ["cad_two\nlines", "token: This is not a token; one has no spaces and only ASCII characters"],
      ["cad_…", "token: This is not a token; one has no spaces and only ASCII characters"],
    ] as const) {
      const refused = await play(task, { env: { CADASTRE_TOKEN: token }, args: ["-vvvv"] });
      expect(refused.errors).toEqual([sentence]);
      expect(refused.said).not.toContain(token);
    }
    const none = await play(task, { env: { CADASTRE_TOKEN: undefined as unknown as string } });
    expect(none.errors).toEqual(["missing required arguments: token"]);
  });

  test("send the token to no other server, and take no password for it", async () => {
    const proxy = await aProxy();
    const netrc = join(folder(), "netrc");
    writeFileSync(netrc, "machine 127.0.0.1 login me password other\n");
    const env = { CADASTRE_URL: `${proxy.url}/`, NETRC: netrc };
    const task = "- cadastre.register.host: { name: web, device_type: Virtual }";
    expect((await play(task, { env })).errors).toEqual([]);
    proxy.answers.push(() => Response.redirect(`${proxy.url}/elsewhere`));
    const { errors } = await play(task, { env });
    expect(errors).toEqual([`${proxy.url}/api/v1 answers with the status 302`]);
    expect(proxy.seen.filter((one) => one.includes("elsewhere"))).toEqual([]);
    await proxy.stop();
  });

  test("wait for a service that says when to come back, but not for ever", async () => {
    const proxy = await aProxy();
    const busy = problem(503, "The database is not responding", { "retry-after": "0" });
    const pass = () => undefined as unknown as Response;
    let isReady = false;
    // Whoever does not wait comes back too early, four times.
    const soon = () => {
      setTimeout(() => {
        isReady = true;
      }, 1_000);
      return problem(429, "Too many", { "retry-after": "2" })();
    };
    proxy.answers.push(busy, pass, () => (isReady ? pass() : soon()));
    const env = { CADASTRE_URL: proxy.url };
    const task = "- cadastre.register.host: { name: web, description: New }";
    expect((await play(task, { env })).errors).toEqual([]);
    expect(proxy.seen).toEqual([
      "GET /api/v1/network/hosts 503",
      "GET /api/v1/network/hosts 200",
      "PUT /api/v1/network/hosts/by-name/web 429",
      "PUT /api/v1/network/hosts/by-name/web 200",
    ]);
    proxy.seen.length = 0;
    proxy.answers.splice(0, proxy.answers.length, busy);
    expect((await play(task, { env })).errors).toEqual(["The database is not responding"]);
    expect(proxy.seen.length).toBe(4);
    proxy.seen.length = 0;
    proxy.answers.splice(0, 1, problem(429, "Too many", { "retry-after": "600" }));
    expect((await play(task, { env })).errors).toEqual(["Too many"]);
    expect(proxy.seen.length).toBe(1);
    proxy.answers.splice(0, 1, () => new Response("<html>Log in to the network</html>"));
    expect((await play(task, { env })).errors).toEqual([
      `${proxy.url}/api/v1 answers something else than a Cadastre`,
    ]);
    await proxy.stop();
    const { errors } = await play(task, { env });
    expect(errors).toEqual([expect.stringMatching(/\/api\/v1 does not answer: .*refused/)]);
  });
});

const PLUGIN = "plugin: cadastre.register.inventory\n";

describe.skipIf(isMissing("ansible-inventory"))("the inventory plugin", () => {
  beforeEach(async () => {
    await aFeedNetwork();
    await add("groups", { name: "web-servers", hosts: ["web"], vars: { tier: "front" } });
    await add("groups", { name: "site", children: ["web-servers"], vars: { ntp: "10.1.0.1" } });
  });

  test("reads hosts, groups and variables without a warning", async () => {
    const { code, err, groups, hosts } = await inventory(PLUGIN);
    expect([code, err]).toEqual([0, ""]);
    expect(Object.keys(hosts).toSorted()).toEqual(["db", "web"]);
    expect(hosts.web).toMatchObject({
      ansible_host: "10.1.1.1",
      http_port: 8080,
      tier: "front",
      ntp: "10.1.0.1",
      cadastre: { fqdn: "web.lab.example.org", is_ioc: false },
    });
    expect(groups.all.children.toSorted()).toEqual(["site", "ungrouped"]);
    expect(groups.site.children).toEqual(["web_servers"]);
    expect([groups.web_servers.hosts, groups.ungrouped.hosts]).toEqual([["web"], ["db"]]);
  });

  test("makes groups and variables of what it reads", async () => {
    const { groups, hosts } = await inventory(`${PLUGIN}strict: true
keyed_groups:
  - { key: cadastre.device_type, prefix: type }
  - { key: cadastre.interfaces | map(attribute='network') | unique, prefix: net }
compose:
  fqdn: cadastre.fqdn
  url: "'http://' ~ ansible_host ~ ':' ~ http_port | default(80)"
groups:
  iocs: cadastre.is_ioc
  urls: url is match('http')
`);
    expect(groups.type_Virtual.hosts).toEqual(["web"]);
    expect(groups.net_Office.hosts.toSorted()).toEqual(["db", "web"]);
    expect(groups.net_Backup.hosts).toEqual(["db"]);
    expect([groups.iocs.hosts, groups.urls.hosts.toSorted()]).toEqual([["db"], ["db", "web"]]);
    expect([hosts.web.fqdn, hosts.web.url]).toEqual([
      "web.lab.example.org",
      "http://10.1.1.1:8080",
    ]);
  });

  test.each([
    ["filters: { network: Backup }", "db"],
    ["filters: { network: [Backup, Office-v6] }", "db web"],
    ["filters: { group: site }", "web"],
    ["filters: { scope: Lab }\nquery: device_type:Physical", "db"],
    ["query: name:w*", "web"],
    ["query: name:nobody", ""],
  ])("selects hosts: %s", async (selection, names) => {
    const { code, hosts } = await inventory(`${PLUGIN}${selection}\n`);
    expect([code, Object.keys(hosts).toSorted().join(" ")]).toEqual([0, names]);
  });

  test("follows the list that a query finds to its end", async () => {
    const names = Array.from({ length: 203 }, (_, at) => `many-${at}`);
    const lines = names.map((name) => JSON.stringify({ name, device_type: "VME" })).join("\n");
    const headers = { "content-type": "application/x-ndjson" };
    await api(alice).post("/network/hosts/import", lines, { headers });
    const { hosts } = await inventory(`${PLUGIN}query: device_type:VME\n`);
    expect(Object.keys(hosts).toSorted()).toEqual(names.toSorted());
    const long = `device_type:VME OR ${Array(400).fill("name:nobody").join(" OR ")}`;
    const refused = await inventory(`${PLUGIN}query: ${long}\n`);
    expect([refused.hosts, refused.err]).toEqual([{}, expect.stringContaining("too long")]);
  });

  test.each([
    ["filters: { network: Vaults }", "network: 'Vaults' is not a valid network"],
    ["filters: { hosts: web }", "hosts: "],
    ["query: '('", "q: "],
  ])("fails with the sentence of the service: %s", async (selection, sentence) => {
    const { err, hosts } = await inventory(`${PLUGIN}${selection}\n`);
    expect([err, hosts]).toEqual([expect.stringContaining(sentence), {}]);
  });

  test("reads braces in variables as text, unless it is told to trust them", async () => {
    await add("hosts", {
      name: "mad",
      device_type: "VME",
      network: "Office",
      automation_vars: {
        ansible_connection: "local",
        ansible_host: "elsewhere",
        note: "{{ 6 * 7 }}",
        deep: { "{{ 1 }}": ["{% if true %}yes{% endif %}"] },
      },
    });
    await add("groups", { name: "mads", hosts: ["mad"], vars: { of_group: "{{ 6 * 7 }}" } });
    const shown = async (variables: string) => {
      const path = join(folder(), "cadastre.yml");
      writeFileSync(path, `${PLUGIN}${variables}\ncompose: { composed: note | default('none') }\n`);
      const text = `- hosts: mad\n  gather_facts: false\n  tasks:\n    - ansible.builtin.debug:\n        msg: "<{{ [note | default(), of_group | default(), deep | default(), composed, ansible_host] | to_json }}>"\n`;
      const { out } = await play(text, { person: carol, args: ["-i", path] });
      return JSON.parse(JSON.parse(`"${/"msg": "<(.*)>"/.exec(out)?.[1]}"`));
    };
    const [braces, deep] = ["{{ 6 * 7 }}", { "{{ 1 }}": ["{% if true %}yes{% endif %}"] }];
    expect(await shown("")).toEqual([braces, braces, deep, braces, "elsewhere"]);
    const [note, ofGroup] = await shown("variables: templates");
    expect([String(note), String(ofGroup)]).toEqual(["42", "42"]);
    expect(await shown("variables: none")).toEqual([
      "",
      "",
      "",
      "none",
      expect.stringMatching(/^10\.1\.1\./),
    ]);
  });

  test("asks again only for a copy that is too old, and keeps no token", async () => {
    const proxy = await aProxy();
    const cache = folder();
    const path = join(folder(), "cadastre.yml");
    const text = (timeout: number, more = "") =>
      `${PLUGIN}cache: true\ncache_plugin: ansible.builtin.jsonfile\ncache_connection: ${cache}\ncache_timeout: ${timeout}\n${more}`;
    const env = { CADASTRE_URL: proxy.url };
    const read = async (timeout: number, more?: string) => {
      writeFileSync(path, text(timeout, more));
      proxy.seen.length = 0;
      const { err, hosts } = await readInventory(path, env);
      expect(err).toBe("");
      return [Object.keys(hosts).toSorted(), proxy.seen.map((one) => one.slice(-3))];
    };
    expect(await read(600)).toEqual([["db", "web"], ["200"]]);
    await add("hosts", { name: "late", device_type: "VME" });
    expect(await read(600)).toEqual([["db", "web"], []]);
    expect(await read(600, "filters: { network: Backup }")).toEqual([["db"], ["200"]]);
    expect(await read(600)).toEqual([["db", "late", "web"], ["200"]]);
    proxy.seen.length = 0;
    const args = ["-i", path, "--flush-cache"];
    await play("- ansible.builtin.debug:", { person: carol, env, args });
    expect(proxy.seen).toEqual(["GET /api/v1/network/export/ansible 304"]);
    await Bun.sleep(1100);
    expect(await read(1)).toEqual([["db", "late", "web"], ["304"]]);
    const kept = readdirSync(cache).map((name) => readFileSync(join(cache, name), "utf8"));
    expect(kept.join()).toContain("web.lab.example.org");
    expect(kept.join()).not.toContain(await tokenOf(carol));
    await proxy.stop();
  });

  test("uses the last copy with a warning while the server is away, but not when it refuses", async () => {
    const proxy = await aProxy();
    const path = join(folder(), "cadastre.yml");
    const cache = folder();
    writeFileSync(
      path,
      `${PLUGIN}cache: true\ncache_plugin: ansible.builtin.jsonfile\ncache_connection: ${cache}\ncache_timeout: 1\n`,
    );
    const env = { CADASTRE_URL: proxy.url };
    const { out } = await readInventory(path, env);
    await Bun.sleep(1100);
    const warning = (why: string) =>
      expect.stringMatching(
        new RegExp(
          `^\\[WARNING\\]: cadastre: ${why}[\\s\\S]*this\\s+is\\s+the\\s+inventory\\s+of\\s+20..-..-..\\s+..:..\\s+UTC\\s*$`,
        ),
      );
    proxy.answers[0] = problem(503, "The database does not answer", { "retry-after": "0" });
    expect(await readInventory(path, env)).toMatchObject({
      code: 0,
      out,
      err: warning("The database"),
    });
    proxy.answers[0] = () => new Response("<html>Log in</html>");
    expect(await readInventory(path, env)).toMatchObject({ code: 0, out, err: warning("http") });
    proxy.answers[0] = () => Response.json({ other: true });
    expect(await readInventory(path, env)).toMatchObject({ code: 0, out, err: warning("http") });
    proxy.answers[0] = problem(401, "This token was revoked");
    const refused = await readInventory(path, env);
    expect([refused.err, refused.hosts]).toEqual([
      expect.stringContaining("This token was revoked"),
      {},
    ]);
    await proxy.stop();
    expect(await readInventory(path, env)).toMatchObject({ code: 0, out, err: warning("http") });
    const none = await inventory(PLUGIN, env);
    expect([none.err, none.hosts]).toEqual([expect.stringContaining("does not answer"), {}]);
  });

  test("reads only files of its own name", async () => {
    const path = join(folder(), "lab.cadastre.yml");
    writeFileSync(path, PLUGIN);
    const other = path.replace("cadastre.yml", "yml");
    renameSync(path, other);
    const { err } = await readInventory(other);
    expect(err).toContain("Unable to parse");
  });
});

describe.skipIf(isMissing("ansible-playbook"))("a token with limits", () => {
  test("reads an inventory and a free address with network:read, a query with inventory:read too", async () => {
    await aFeedNetwork();
    const reading = async (...limits: string[]) => {
      const given = { description: "Ansible", limits };
      const { body } = await api(carol).post("/user/tokens", given);
      return { CADASTRE_TOKEN: body.token };
    };
    const network = await reading("network:read");
    const task = `- ansible.builtin.debug: { msg: "{{ q('cadastre.register.free_address', 'Office') }}" }`;
    expect(await play(task, { env: network })).toMatchObject({ errors: [], code: 0 });
    expect(Object.keys((await inventory(PLUGIN, network)).hosts).length).toBe(2);
    const query = `${PLUGIN}query: name:web\n`;
    expect((await inventory(query, network)).err).toContain("inventory:read");
    const both = await reading("network:read", "inventory:read");
    expect(Object.keys((await inventory(query, both)).hosts)).toEqual(["web"]);
  });
});

describe.skipIf(isMissing("ansible-playbook"))("the lookup of a free address", () => {
  async function freeIn(networks: string, person = carol) {
    const task = `- ansible.builtin.debug: { msg: "<{{ query('cadastre.register.free_address', ${networks}) | join(' ') }}>" }`;
    const { out, errors } = await play(task, { person });
    return /"msg": "<(.*)>"/.exec(out)?.[1] ?? errors.join();
  }

  test("returns the address that the next interface gets", async () => {
    await aFeedNetwork();
    const [office, six] = (await freeIn("'Office', 'office-v6'", alice)).split(" ");
    const made = async (name: string, network: string) =>
      (await add("interfaces", { host: "web", name, network })).ip;
    expect(await made("web-5", "Office")).toBe(office);
    expect(await made("web-6", "Office-v6")).toBe(six);
  });

  test("leaves out reserved addresses, and says when there is none", async () => {
    await aFeedNetwork();
    const small = { scope: "Lab", vlan_name: "Small", vlan_id: 7, address: "10.1.7.0/30" };
    await add("networks", {
      ...small,
      first_ip: "10.1.7.0",
      last_ip: "10.1.7.3",
      gateway: "10.1.7.1",
    });
    expect(await freeIn("'Small'")).toBe("10.1.7.2");
    await add("interfaces", { host: "web", name: "web-7", network: "Small" });
    expect(await freeIn("'Small'")).toContain("no address left in Small");
    expect(await freeIn("'Vaults'")).toContain("network: 'Vaults' is not a valid network");
  });
});

describe.skipIf(isMissing("ansible-playbook"))("the documents of the collection", () => {
  const page = readFileSync(join(ROOT, "docs/ansible.md"), "utf8");
  const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text]) => text!);

  test("show playbooks that work, and change nothing the second time", async () => {
    await aFeedNetwork();
    const { origin } = await service();
    const args = ["-e", `cadastre_url=${origin} cadastre_token=${await tokenOf(alice)}`];
    const playbooks = examples.filter((text) => text.startsWith("- "));
    expect(playbooks.length).toBe(3);
    for (const text of playbooks) {
      const first = await play(text, { args });
      expect([text, first.errors, first.code]).toEqual([text, [], 0]);
      expect(await play(text, { args })).toMatchObject({ code: 0, changed: 0 });
    }
  });

  test("show inventories that work", async () => {
    await aFeedNetwork();
    const inventories = examples.filter((text) => text.startsWith("plugin:"));
    expect(inventories.length).toBe(1);
    for (const text of inventories) {
      const { code, err, groups } = await inventory(`${text}strict: true\n`);
      expect([code, err, groups.iocs.hosts]).toEqual([0, "", ["db"]]);
    }
  });

  test("build and install the collection as they say", async () => {
    const [, commands = ""] = /^```sh\n(ansible-galaxy[\s\S]*?)^```/m.exec(page) ?? [];
    const place = folder();
    const env = { ...(await installed()), HOME: place, ANSIBLE_COLLECTIONS_PATH: place };
    const script = `set -e; mkdir clients; ln -s ${SOURCE} clients/ansible\n${commands}`;
    const { code, said } = await run(["bash", "-c", `cd ${place}; ${script}`], env);
    expect([code, said]).toEqual([0, expect.stringContaining("> CADASTRE.REGISTER.HOST")]);
  });

  test.each(PLUGINS)("tell every option of the %s %s", async (type, name) => {
    const full = `cadastre.register.${name}`;
    const command = ["ansible-doc", "-t", type, "--json", full];
    const { code, out, err } = await run(command, await installed());
    expect([code, err]).toEqual([0, ""]);
    const { doc, examples, return: returned } = JSON.parse(out)[full];
    const options = Object.keys(doc.options);
    expect(options).toEqual(expect.arrayContaining(SERVER_OPTIONS));
    expect(Bun.YAML.parse(examples)).toBeTruthy();
    if (type !== "module") return;
    expect(Object.keys(returned)).toEqual(["change_set", "record"]);
    const key = Object.entries<{ required?: boolean }>(doc.options)
      .filter(([option, { required }]) => required && !SERVER_OPTIONS.includes(option))
      .map(([option]) => option);
    const { errors } = await play(`- ${full}: { ${key}: x, nonsense: 1 }`);
    const [, accepted = ""] = /Supported parameters include: (.*)\./.exec(errors[0] ?? "") ?? [];
    expect(options.toSorted()).toEqual(accepted.split(", ").toSorted());
    const fields = await fieldsOfPut(`${name}s/by-${key[0]}/`);
    const ofRecord = options.filter((option) => ![...SERVER_OPTIONS, "state"].includes(option));
    expect([...key, ...fields]).toEqual(expect.arrayContaining(ofRecord));
  });

  test.skipIf(isMissing("ansible-test"))("keep the rules of Ansible", async () => {
    const { HOME = "" } = await installed();
    const place = join(HOME, "ansible_collections/cadastre/register");
    const { out: version } = await run(["ansible", "--version"], await installed());
    const [, python = ""] = /python version = (\d+\.\d+)/.exec(version) ?? [];
    const tests = RULES.flatMap((rule) => ["--test", rule]);
    const command = `cd ${place} && ansible-test sanity --python ${python} ${tests.join(" ")}`;
    const { code, said } = await run(["bash", "-c", command], await installed());
    expect([said, code]).toEqual([expect.stringContaining(`"${RULES.at(-1)}"`), 0]);
  });
});

/** The fields that a PUT to such a path takes. */
async function fieldsOfPut(path: string): Promise<string[]> {
  const { paths } = (await reference()) as any;
  const [route = ""] = Object.keys(paths).filter((one) => one.includes(`/${path}`));
  const { schema } = paths[route].put.requestBody.content["application/json"];
  return Object.keys(schema.properties);
}
