import { describe, expect, test } from "bun:test";
import { add, aFeedNetwork } from "../../support/feed_network.ts";
import { alice, api, carol } from "../../support/mod.ts";
import { file, folder, isMissing, run } from "../../support/programs.ts";

const KEA = "/network/export/dhcp/kea";
const DNSMASQ = "/network/export/dhcp/dnsmasq";
const HOSTS = "/network/export/hosts";

describe("GET /network/export/dhcp/kea", () => {
  test("has a reservation for each MAC address in the IPv4 networks, and no pools", async () => {
    await aFeedNetwork();
    const { body } = await api(carol).get(KEA);
    expect(body).toEqual({
      Dhcp4: {
        subnet4: [
          {
            id: expect.any(Number),
            subnet: "10.1.1.0/24",
            pools: [],
            "option-data": [
              { name: "routers", data: "10.1.1.254" },
              { name: "domain-name", data: "lab.example.org" },
            ],
            reservations: [
              { "hw-address": "02:42:42:00:00:01", "ip-address": "10.1.1.1", hostname: "web" },
            ],
          },
          expect.objectContaining({
            subnet: "10.1.2.0/24",
            reservations: [
              {
                "hw-address": "02:42:42:00:00:02",
                "ip-address": "10.1.2.1",
                hostname: "db-backup",
              },
            ],
          }),
        ],
      },
    });
    expect((await api(alice).get(KEA)).text).toContain("02:42:42:00:00:03");
  });

  test("has pools where they are requested", async () => {
    await aFeedNetwork();
    const { body } = await api(carol).get(`${KEA}?pools=range&network=Backup`);
    expect(body.Dhcp4.subnet4.map(({ pools }: any) => pools)).toEqual([
      [{ pool: "10.1.2.1 - 10.1.2.200" }],
    ]);
    expect((await api(carol).get(`${KEA}?pools=all`)).status).toBe(422);
  });
});

describe("GET /network/export/dhcp/dnsmasq", () => {
  test("leaves out a network that dnsmasq cannot serve", async () => {
    await aFeedNetwork();
    const { id: domain_id } = await add("domains", { name: "wide.example" });
    const range = { first_vlan: 1, last_vlan: 9, supernet: "2001:db8:2::/48", domain_id };
    await add("scopes", { name: "Wide", ...range });
    await add("networks", {
      vlan_name: "Wide-56",
      vlan_id: 1,
      address: "2001:db8:2::/56",
      first_ip: "2001:db8:2::1",
      last_ip: "2001:db8:2::9",
      gateway: null,
      scope: "Wide",
    });
    const { text } = await api(carol).get(DNSMASQ);
    expect(text).not.toContain("Wide");
  });

  test("lists the networks and their hosts, IPv6 too", async () => {
    await aFeedNetwork();
    await add("hosts", {
      name: "six",
      device_type: "VME",
      network: "Office-v6",
      mac: "02:42:42:00:00:04",
    });
    const { text, headers } = await api(carol).get(DNSMASQ);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text.trimEnd().split("\n")).toEqual([
      "# Office",
      "dhcp-range=set:Office,10.1.1.0,static,255.255.255.0",
      "domain=lab.example.org,10.1.1.0/24",
      "dhcp-option=tag:Office,option:router,10.1.1.254",
      "dhcp-host=02:42:42:00:00:01,10.1.1.1,web",
      "# Backup",
      "dhcp-range=set:Backup,10.1.2.0,static,255.255.255.0",
      "domain=lab.example.org,10.1.2.0/24",
      "dhcp-option=tag:Backup,option:router,10.1.2.254",
      "dhcp-host=02:42:42:00:00:02,10.1.2.1,db-backup",
      "# Office-v6",
      "dhcp-range=set:Office-v6,2001:db8:1:1::,static,64",
      "domain=lab.example.org,2001:db8:1:1::/64",
      "dhcp-host=02:42:42:00:00:04,[2001:db8:1:1::2],six",
    ]);
  });
});

describe("GET /network/export/hosts", () => {
  test("lists every address with its full name, label and aliases", async () => {
    await aFeedNetwork();
    const { text } = await api(carol).get(HOSTS);
    expect(text).toBe(
      "10.1.1.1\tweb.lab.example.org web www.lab.example.org\n" +
        "10.1.1.2\tdb.lab.example.org db\n" +
        "10.1.2.1\tdb-backup.lab.example.org db-backup\n" +
        "2001:db8:1:1::1\tweb-v6.lab.example.org web-v6\n",
    );
    expect((await api(alice).get(HOSTS)).text).toContain("vault");
  });

  test("is empty where nothing is selected", async () => {
    await aFeedNetwork();
    await add("groups", { name: "nobody" });
    const { status, text } = await api(carol).get(`${HOSTS}?group=nobody`);
    expect([status, text]).toEqual([200, ""]);
  });
});

describe.skipIf(isMissing("kea-dhcp4"))("Kea", () => {
  test.each([["none"], ["range"]])("accepts the configuration with pools=%s", async (pools) => {
    await aFeedNetwork();
    const { text } = await api(alice).get(`${KEA}?pools=${pools}`);
    const path = await file("kea.json", text);
    const env = { KEA_PIDFILE_DIR: folder(), KEA_LOCKFILE_DIR: folder() };
    const { code, said } = await run(["kea-dhcp4", "-t", path], env);
    expect([code, said]).toEqual([0, expect.not.stringMatching(/error/i)]);
    expect(said).toContain("10.1.9.0/24");
  });
});

describe.skipIf(isMissing("dnsmasq"))("dnsmasq", () => {
  test("accepts the lines, and those of /etc/hosts", async () => {
    await aFeedNetwork();
    const path = await file("dnsmasq.conf", (await api(alice).get(DNSMASQ)).text);
    const hosts = await file("hosts", (await api(alice).get(HOSTS)).text);
    const command = ["dnsmasq", "--test", `--conf-file=${path}`, `--addn-hosts=${hosts}`];
    const { code, said } = await run(command);
    expect([code, said]).toEqual([0, "dnsmasq: syntax check OK.\n"]);
  });
});
