// Variables that run a program on the machine of Ansible, or that lead it to a host which only admins may change.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { currentConfig, readConfig, setConfig } from "../../src/config.ts";
import { browser } from "../support/browser.ts";
import { importsHosts } from "../support/imports.ts";
import { aGroup, aHost, alice, aNetwork, anInterface, api, carol, dave } from "../support/mod.ts";
import { type OwnPlaces, ownPlaces } from "../support/rights.ts";
import { latest, sentences, undoing } from "../support/undo.ts";

const RUNS = "can run a program on the machine of Ansible: it is for";

/** Each of them alone runs a program there. */
const RUNNING: Array<[string, unknown]> = [
  ["ansible_connection", "local"],
  ["ansible_connection", "community.docker.docker"],
  ["ansible_connection", "{{ how }}"],
  ["ansible_ssh_args", "-o ProxyCommand=id"],
  ["ansible_ssh_common_args", "-o ProxyCommand=id"],
  ["ansible_ssh_extra_args", "-o ProxyCommand=id"],
  ["ansible_scp_extra_args", "-S /tmp/x"],
  ["ansible_ssh_executable", "/tmp/x"],
  ["ansible_sftp_executable", "/tmp/x"],
  ["ansible_paramiko_proxy_command", "id"],
  ["ansible_winrm_kinit_cmd", "/tmp/x"],
  ["ansible_ssh_pkcs11_provider", "/tmp/x.so"],
  ["ansible_host", "-oProxyCommand=id"],
  ["motd", "{{ lookup('pipe', 'id') }}"],
  ["motd", { lines: ["fine", "{% for x in y %}"] }],
  ["motd", "{# x #}"],
];
const HARMLESS = {
  ansible_connection: "ssh",
  ansible_user: "root",
  ansible_port: 22,
  ansible_python_interpreter: "/usr/bin/python3",
  ansible_host: "10.9.1.77",
  shell: "echo $HOME {} { x }",
  deep: { a: [{ b: {} }] },
};
const CONNECTIONS = [
  ...["winrm", "network_cli", "netconf", "httpapi", "paramiko", "ansible.netcommon.network_cli"],
  "ansible.builtin.ssh",
];

const own = api(carol);
const admin = api(alice);
let places: OwnPlaces;

beforeEach(async () => {
  places = await ownPlaces(carol);
});

function host(fields: object, by = own) {
  return by.patch(`/network/hosts/${places.host}`, fields);
}

describe("a variable that runs a program on the machine of Ansible", () => {
  test.each(RUNNING)("%s: %j is not for rights in one scope", async (name, value) => {
    const automation_vars = { fine: 1, [name]: value };
    const answer = await host({ automation_vars });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([
      { field: "automation_vars", message: `${name} of own-host ${RUNS} the group network` },
    ]);
    expect((await host({ automation_vars }, api(dave))).status).toBe(200);
  });

  test("is refused by each way in, and what is harmless is taken", async () => {
    const automation_vars = { ansible_connection: "local" };
    const made = { name: "new", device_type: "VME", network: "Own-net", automation_vars };
    const answers = [
      await own.post("/network/hosts", made),
      await own.post("/network/hosts?dry_run=true", made),
      await importsHosts(carol, [made], "?apply=all"),
      await importsHosts(carol, [{ name: "own-host", automation_vars }], "?apply=all"),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(422);
      expect(text).toContain(RUNS);
    }
    const page = await browser(carol);
    const fields = { name: "new", device_type: "VME", network: "Own-net" };
    const vars = "ansible_connection: local";
    const form = await page.submit("/network/hosts/create", { ...fields, automation_vars: vars });
    expect(form.status).toBe(422);
    expect(form.text).toContain("can run a program on the machine of Ansible");
    expect((await admin.get("/network/hosts?name=new")).body).toEqual([]);
    for (const ansible_connection of CONNECTIONS) {
      expect((await host({ automation_vars: { ansible_connection } })).status).toBe(200);
    }
    expect((await host({ automation_vars: HARMLESS })).status).toBe(200);
  });

  test("does not come back by undo, and one that an admin has set may stay", async () => {
    await host({ automation_vars: { ansible_connection: "local" } }, admin);
    const stays = { ansible_connection: "local", a: 1 };
    expect((await host({ automation_vars: stays })).status).toBe(200);
    expect((await host({ automation_vars: { a: 1 } })).status).toBe(200);
    const [status, sentence] = sentences(await undoing(await latest(), carol));
    expect(status).toBe(422);
    expect(sentence).toContain(RUNS);
  });

  describe("with ANSIBLE_VARS=admin", () => {
    const before = currentConfig();
    beforeEach(() => setConfig({ ...(currentConfig() ?? readConfig({})), ansibleVars: "admin" }));
    afterEach(() => setConfig(before ?? readConfig({})));

    test("is for admins, on hosts and groups", async () => {
      const group = { name: "G", vars: { motd: "{{ x }}" } };
      const network = api(dave);
      const answers = [
        await host({ automation_vars: { ansible_connection: "local" } }, network),
        await network.post("/network/groups", group),
      ];
      for (const { status, text } of answers) {
        expect(status).toBe(422);
        expect(text).toContain(`${RUNS} admins`);
      }
      expect((await admin.post("/network/groups", group)).status).toBe(201);
    });
  });

  test("is no other setting", () => {
    expect(() => readConfig({ ANSIBLE_VARS: "nobody" })).toThrow("ANSIBLE_VARS must be one of");
  });
});

describe("an address of a host that only admins may change", () => {
  const HIDDEN = ["10.8.1.5", "vault", "vault.own.example.org", "safe.own.example.org"];
  const SPELLED = [
    ...["::ffff:10.8.1.5", "[::ffff:10.8.1.5]:22", "root@10.8.1.5", "ssh://root@10.8.1.5:22/"],
    ...["168296709", "10.8.261", "0xa080105", "VAULT.", "vault:22"],
  ];
  const SEEN = ["10.7.1.5", "locked", "locked.own.example.org"];

  beforeEach(async () => {
    const domain_id = places.own_domain;
    await aNetwork({ vlan_name: "Hidden", ...(await block("10.8", domain_id)), sensitive: true });
    await aNetwork({ vlan_name: "Locked", ...(await block("10.7", domain_id)), admin_only: true });
    const vault = await aHost({ name: "vault", network: "Hidden", ip: "10.8.1.5" });
    await admin.post("/network/cnames", { name: "safe", interface_id: vault.interfaces[0].id });
    await aHost({ name: "locked", network: "Locked", ip: "10.7.1.5" });
  });

  async function block(start: string, domain_id: number) {
    const name = `S${start.replace(".", "-")}`;
    const range = { first_vlan: 1, last_vlan: 4000, supernet: `${start}.0.0/16`, domain_id };
    await admin.post("/network/scopes", { name, ...range });
    return { scope: name, address: `${start}.1.0/24` };
  }

  const REFUSED = "is an address that only admins may set";

  test("is no ansible_host, in any spelling, for anybody but an admin", async () => {
    for (const by of [own, api(dave)]) {
      for (const ansible_host of [...HIDDEN, ...SPELLED, ...SEEN]) {
        for (const automation_vars of [{ ansible_host }, { ansible_ssh_host: ansible_host }]) {
          const { status, text } = await host({ automation_vars }, by);
          expect([200, 422, 429], ansible_host).toContain(status);
          expect(status, ansible_host).not.toBe(200);
          if (status === 422) expect(text).toContain(REFUSED);
        }
      }
    }
    expect((await host({ automation_vars: { ansible_host: "10.8.1.5" } }, admin)).status).toBe(200);
  });

  test("is refused in the same words, seen or hidden, and counts as probing", async () => {
    const said = async (ansible_host: unknown) => {
      const { status, body } = await host({ automation_vars: { ansible_host } });
      return [status, body.detail];
    };
    const hidden = await said("10.8.1.5");
    expect(hidden).toEqual(await said("10.7.1.5"));
    expect(await said("10.8.1.6")).toEqual([200, undefined]);
    expect(await said("nowhere.own.example.org")).toEqual([200, undefined]);
    const { body } = await admin.get("/audit?event=name.probed");
    expect(body.map(({ details }: any) => [details.asked, details.hidden])).toContainEqual([
      "10.8.1.5",
      true,
    ]);
  });

  test("is not set by a group, by an import or by undo; one's own address is", async () => {
    const network = api(dave);
    await aGroup({ name: "G", hosts: ["own-host"] });
    const group = { name: "H", hosts: ["own-host"], vars: { ansible_host: "10.8.1.5" } };
    const answers = [
      await network.post("/network/groups", group),
      await importsHosts(
        dave,
        [{ name: "own-host", automation_vars: { ansible_host: "vault" } }],
        "?apply=all",
      ),
    ];
    await host({ automation_vars: { ansible_host: "10.8.1.5" } }, admin);
    await host({ automation_vars: {} }, network);
    answers.push(await undoing(await latest(), dave));
    for (const { status, text } of answers) {
      expect(status).toBe(422);
      expect(text).toContain(REFUSED);
    }
    const second = await anInterface({ host: "own-host", network: "Own-net", name: "own-b" });
    const automation_vars = { ansible_host: second.ip };
    expect((await host({ automation_vars })).status).toBe(200);
  });
});
