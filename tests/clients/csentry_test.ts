// Programs that were written for the library of the former system, on the module csentry of clients/python.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { alice, api, carol, service, tokenOf } from "../support/mod.ts";
import { folder, isMissing } from "../support/programs.ts";
import { program } from "./python.ts";

setDefaultTimeout(60_000);

/** Registers a controller by its MAC address, if nobody has done it. */
const REGISTER = `
import os
import sys

from csentry import CSEntry


class Register:
    def __init__(self, token, url):
        self._server = CSEntry(token=token, url=url)

    def find(self, mac):
        for host in self._server.search_hosts():
            if "interfaces" not in host:
                continue
            for interface in host["interfaces"]:
                if "mac" in interface and interface["mac"] == mac.lower():
                    return (interface["host"], interface["ip"])
        return ()

    def has_network(self, name):
        self.networks = self._server.get_networks()
        return name in [network["vlan_name"] for network in self.networks]

    def has_group(self, name):
        self.groups = self._server.get_groups()
        for group in self.groups:
            if group["name"] == name:
                return True
        return False

    def add(self, name, mac, network, group):
        if group == "":
            return self._server.create_host(name, "MTCA-MCH", network=network, mac=mac)
        return self._server.create_host(
            name, "MTCA-MCH", network=network, mac=mac, ansible_groups=[group]
        )


name, mac, network, group = sys.argv[1:]
register = Register(os.environ["TOKEN"], os.environ["SERVER"] + "/")
try:
    if not register.has_network(network):
        print("No network " + network)
        sys.exit(2)
    if group != "" and not register.has_group(group):
        print("No group " + group)
        sys.exit(3)
    known = register.find(mac)
    if known != ():
        print("{} has {}".format(*known))
        sys.exit(1)
    print("New: " + register.add(name, mac, network, group)["interfaces"][0]["ip"])
except Exception as error:
    print(error)
    sys.exit(4)
`;

/** Writes the records of each kind that is named into a file. */
const DUMP = `
import json
import os
import sys

from csentry import CSEntry

server = CSEntry(token=os.environ["TOKEN"])


def write(getter):
    entries = []
    for entry in getter():
        entries.append(entry)
    if getter == server.get_hosts:
        path = "hosts.json"
    elif getter == server.get_interfaces:
        path = "interfaces.json"
    elif getter == server.get_networks:
        path = "networks.json"
    elif getter == server.get_domains:
        path = "domains.json"
    with open(os.path.join(sys.argv[1], path), "w") as file:
        json.dump(entries, file)


for getter in (server.get_hosts, server.get_interfaces, server.get_networks, server.get_domains):
    write(getter)
`;

/** Former programs know neither CADASTRE_URL nor CADASTRE_TOKEN. */
async function former(code: string, args: string[] = [], person = alice) {
  const { origin } = await service();
  const own = { SERVER: origin, CSENTRY_URL: origin, TOKEN: await tokenOf(person) };
  return program(code, { args, env: { ...own, CADASTRE_URL: "", CADASTRE_TOKEN: "" } });
}

describe.skipIf(isMissing("python3"))("a program for the former library", () => {
  test("registers a host once, in a network and a group that exist", async () => {
    await aFeedNetwork();
    await add("device_types", { name: "MTCA-MCH" }).catch(() => {});
    await add("groups", { name: "mch" });
    const register = async (...args: string[]) => {
      const { code, out, err } = await former(REGISTER, args);
      return [code, out + err];
    };
    const mac = "02:42:42:AB:00:01";
    expect(await register("mch-1", mac, "Nowhere", "")).toEqual([2, "No network Nowhere\n"]);
    expect(await register("mch-1", mac, "Office", "None")).toEqual([3, "No group None\n"]);
    expect(await register("mch-1", mac, "Office", "mch")).toEqual([0, "New: 10.1.1.4\n"]);
    expect(await register("mch-2", mac, "Office", "")).toEqual([1, "mch-1 has 10.1.1.4\n"]);
    const [host] = (await api(alice).get("/network/hosts?name=mch-1")).body;
    expect(host).toMatchObject({ device_type: "MTCA-MCH", automation_groups: ["mch"] });
    const [code, said] = await register("mch-1", "02:42:42:AB:00:02", "Office", "");
    expect([code, said]).toEqual([4, expect.stringMatching(/^POST \/network\/hosts: name: .+\n$/)]);
  });

  test("writes all records into files", async () => {
    await aFeedNetwork();
    const made = folder();
    const { code, said } = await former(DUMP, [made], carol);
    expect([code, said]).toEqual([0, ""]);
    const read = (name: string) => Bun.file(join(made, name)).json();
    expect(Object.keys((await read("hosts.json"))[0])).toContain("ansible_vars");
    for (const kind of ["hosts", "interfaces", "networks", "domains"]) {
      const { body } = await api(carol).get(`/network/${kind}?cursor=*`);
      expect(body.length, kind).toBeGreaterThan(0);
      expect(await read(`${kind}.json`), kind).toMatchObject(body);
    }
  });
});

/** Calls of the library, and what they show. */
async function calls(code: string): Promise<any[]> {
  const head = `
import json
import os
from csentry import CSEntry
server = CSEntry(token=os.environ["TOKEN"])

def show(*values):
    print(json.dumps(values))
`;
  const { code: status, out, err } = await former(head + code);
  expect([status, err]).toEqual([0, ""]);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe.skipIf(isMissing("python3"))("the former library", () => {
  test("makes records of each kind by the former order of arguments", async () => {
    const values = await calls(`
domain = server.create_domain("lab.example.org")
scope = server.create_scope("Lab", 1, 99, "10.1.0.0/16", domain["id"], "A room")
network = server.create_network("Office", 7, "10.1.1.0/24", "10.1.1.1", "10.1.1.9", "10.1.1.254", "Lab")
group = server.create_group("web", {"port": 80})
host = server.create_host("web", "Virtual", False, "A server", ansible_vars={"x": 1}, ansible_groups=["web"])
interface = server.create_interface("Office", "web", "web")
cname = server.create_cname("www", interface["id"])
show(scope["description"], network["vlan_id"], group["vars"], interface["ip"], cname["interface"])
show(host["ansible_vars"], host["ansible_groups"], host["automation_groups"], host["description"])
for create in (server.create_location, server.create_manufacturer, server.create_model, server.create_status):
    show(create("Some name", "Some words")["description"])
item = server.create_item("S1", "AAA001", 2, "Some name", "Some name", "Some name", "Some name", host_id=host["id"])
mac = server.create_mac("02:42:42:00:00:01", item["id"])
server.create_item_comment("AAA001", "Dusty")
show(item["status"], item["host"], mac["item"], server.get_item("AAA001")["comments"])
show([one["body"] for one in server.get_item_comments(item["id"])])
`);
    expect(values).toEqual([
      ["A room", 7, { port: 80 }, "10.1.1.1", "web"],
      [{ x: 1 }, ["web"], ["web"], "A server"],
      ...Array(4).fill(["Some words"]),
      ["Some name", "web", "AAA001", ["Dusty"]],
      [["Dusty"]],
    ]);
  });

  test("lists as a list and as an iterator, filters, changes and deletes", async () => {
    await aFeedNetwork();
    const values = await calls(`
hosts = server.get_hosts()
show(len(hosts), next(hosts)["name"], next(hosts)["name"], [host["name"] for host in hosts])
show([host["name"] for host in server.get_hosts(name="db")], server.get_host("db")["name"])
show([host["interfaces"][0]["network"] for host in server.search_hosts("name:web")])
id = server.get_host("db")["id"]
show(server.update_host(id, description="New", ansible_vars={"y": 2})["ansible_vars"])
interface = server.get_interfaces(name="db-backup")[0]
show(server.update_interface(interface["id"], ip="10.1.2.77")["ip"])
server.delete_interface(interface["id"])
server.delete_host(id)
show(server.get_host("db"), server.get_profile()["username"], len(server.get_users()) > 1)
show([len(get()) for get in (server.get_actions, server.get_statuses, server.get_cnames, server.get_macs)])
`);
    expect(values.slice(0, 6)).toEqual([
      [3, "web", "db", ["web", "db", "vault"]],
      [["db"], "db"],
      [["Office"]],
      [{ y: 2 }],
      ["10.1.2.77"],
      [null, "alice", true],
    ]);
    expect(values[6][0].length).toBe(4);
  });

  test("asks for an address in one sentence", async () => {
    const code =
      "from csentry import CSEntry\nimport os\ndel os.environ['CSENTRY_URL']\nCSEntry(token='x')";
    const { err } = await former(code);
    expect(err).toEndWith(
      "ValueError: Name the server: CSEntry(token=..., url=...), or set CSENTRY_URL\n",
    );
  });
});
