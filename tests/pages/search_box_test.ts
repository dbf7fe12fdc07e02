// The one box, without scripting and as the script requests it.
import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { elements, texts } from "../support/html.ts";
import {
  aLocation,
  alice,
  anItem,
  api,
  bob,
  carol,
  dave,
  type Person,
  service,
} from "../support/mod.ts";

const MAC = "02:42:ac:11:00:02";

/** The page that a text opens directly, or the names of its hits. */
async function opened(text: string, by: Person = carol): Promise<string | string[]> {
  const answer = await (await browser(by)).get(`/?q=${encodeURIComponent(text)}`);
  if (answer.status === 303) return answer.headers.get("location")!;
  expect(answer.status).toBe(200);
  return texts(answer.text, ".hits a");
}

async function said(text: string, by: Person = carol): Promise<string> {
  const { text: html } = await (await browser(by)).get(`/?q=${encodeURIComponent(text)}`);
  return texts(html, "main [role=status]")[0]!;
}

describe("GET /?q=", () => {
  test("opens the host of a MAC address in any notation", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "crate", device_type: "Physical", network: "Office", mac: MAC });
    const spellings = [
      MAC,
      "02-42-ac-11-00-02",
      "0242.ac11.0002",
      "0242ac110002",
      "0242:ac11:0002",
      "0242-ac11-0002",
      "02 42 ac 11 00 02",
      "0242 ac11 0002",
      "2:42:ac:11:0:2",
    ];
    const all = [...spellings, ...spellings.map((one) => one.toUpperCase())];
    for (const spelling of [...all, ` "${MAC}", `]) {
      expect([spelling, await opened(spelling)]).toEqual([spelling, "/network/hosts/view/crate"]);
    }
  });

  test("finds a MAC address by its beginning or its end", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "crate", device_type: "Physical", network: "Office", mac: MAC });
    for (const part of ["0242.AC", "02-42-ac-1", "02:42:ac:", "ac110002", "11-00-02", "1:00:02"]) {
      expect([part, await opened(part)]).toEqual([part, [MAC]]);
    }
    expect(await opened("11:00:03")).toEqual([]);
  });

  test("says which network contains an address, and whether it is free", async () => {
    await aFeedNetwork();
    expect(await opened("10.1.1.1")).toBe("/network/hosts/view/web");
    expect(await said("10.1.1.77")).toBe("10.1.1.77: in Office, free");
    expect(await said("10.1.1.254")).toBe("10.1.1.254: gateway of Office");
    expect(await said("10.1.1.255")).toBe("10.1.1.255: in Office, not usable by hosts");
    expect(await said("10.1.1.201")).toStartWith("10.1.1.201: in Office, outside");
    expect(await said("192.0.2.1")).toBe("192.0.2.1: not in any network that you can see");
    expect(await opened("2001:DB8:1:1:0::1")).toBe("/network/hosts/view/web");
    expect(await opened("10.1.1.")).toEqual(["10.1.1.1", "10.1.1.2", "Office", "Lab"]);
    expect(await opened("10.1.2.0/24")).toBe("/network/networks/view/Backup");
  });

  test("reads an address with a prefix length as that address", async () => {
    await aFeedNetwork();
    expect(await opened("10.1.1.1/24")).toBe("/network/hosts/view/web");
    expect(await opened("10.1.1.1/32")).toBe("/network/hosts/view/web");
    expect(await said("10.1.1.77/24")).toBe("10.1.1.77: in Office, free");
  });

  test("explains a text also where nothing matches", async () => {
    await aFeedNetwork();
    expect(await said("vlan 4000")).toBe("VLAN 4000: not used by any network");
    expect(await said("192.0.2.0/24")).toBe(
      "Block 192.0.2.0/24: not in any network or scope that you can see",
    );
    expect(await said("zzz999")).toBe("Label ZZZ999: not used by any item");
    expect(await said("02:42:42:99:99:99")).toEndWith("not registered");
    expect(await said('name:"nobody" AND description:"no pump"')).toBe("No matches");
  });

  test("says which field of a query no list has, also if the rest of it finds something", async () => {
    await aFeedNetwork();
    expect(await said("NOT tag:epics AND is_ioc:true")).toBe("There is no field tag here");
    expect(await said("is_ioc:true AND NOT tags:epics")).toBe("1 found");
  });

  test("leads to the groups that set a variable", async () => {
    await add("groups", { name: "clocks", vars: { ntp_servers: ["a"] } });
    const { text } = await (await browser(carol)).get("/?q=ntp_servers");
    expect(texts(text, ".results .hits a")).toEqual(["Group clocks sets the variable ntp_servers"]);
  });

  test("explains an ICS id that is part of other names", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "X-1" });
    await add("groups", { name: "Crate AAA001" });
    const { text } = await (await browser(carol)).get("/?q=aaa001", { headers: HTMX });
    expect(texts(text, ".said")).toEqual(["Label AAA001: 2 found"]);
  });

  test("does not claim to show everything where there may be more", async () => {
    for (const number of [1, 2, 3, 4, 5, 6, 7]) await add("groups", { name: `Role ${number}` });
    expect(await opened("role")).toHaveLength(6);
    expect(await said("role")).toBe("6 or more found");
    expect(await said("vault")).toBe("No matches");
    for (const number of [1, 2, 3, 4, 5, 6, 7]) await anItem({ serial_number: `cap-${number}` });
    expect(await opened("serial_number:cap*")).toHaveLength(6);
    expect(await opened("cap")).toHaveLength(6);
  });

  test("offers a free address to those who may register a host", async () => {
    await aFeedNetwork();
    const hrefs = async (by: Person) => {
      const { text } = await (await browser(by)).get("/?q=10.1.1.77");
      return elements(text, "main a").map(({ attributes }) => attributes.href);
    };
    const way = "/network/hosts/create?network=Office&ip=10.1.1.77";
    expect(await hrefs(dave)).toContain(way);
    expect(await hrefs(carol)).not.toContain(way);
  });

  test("opens exact names: hosts, full names, cnames, items, networks, groups", async () => {
    await aFeedNetwork();
    await anItem({ ics_id: "AAA001", serial_number: "SIS-0042" });
    await add("groups", { name: "Beam line" });
    const host = "/network/hosts/view";
    for (const [text, path] of [
      ["web", `${host}/web`],
      ["WEB.lab.example.org", `${host}/web`],
      ["www.lab.example.org", `${host}/web`],
      ["db-backup", `${host}/db`],
      ["aaa001", "/inventory/items/view/AAA001"],
      ["sis-0042", "/inventory/items/view/AAA001"],
      ["backup", "/network/networks/view/Backup"],
      ["beam line", "/network/groups/view/Beam%20line"],
      ["Lab-v6", "/network/scopes/view/Lab-v6"],
      ["lab.example.org", "/network/domains/view/lab.example.org"],
      ["vlan 2", "/network/networks/view/Backup"],
    ] as const) {
      expect([text, await opened(text)]).toEqual([text, path]);
    }
  });

  test("finds parts of names and serial numbers, and words of comments", async () => {
    await aFeedNetwork();
    const { id } = await anItem({ ics_id: "AAA001", serial_number: "SIS-0042" });
    await api(alice).post(`/inventory/items/${id}/comments`, { body: "The fan rattles." });
    expect(await opened("0042")).toEqual(["SIS-0042"]);
    expect(await opened("rattles fan")).toEqual(["AAA001"]);
    expect(await opened("ackup")).toEqual(["db-backup", "Backup"]);
  });

  test("finds several words in names and descriptions, and across fields", async () => {
    await add("hosts", { name: "plc-7", device_type: "PLC", description: "Safety PLC of hall 2" });
    await add("hosts", { name: "node-a-5931", device_type: "Virtual" });
    await add("hosts", { name: "crate", device_type: "VME", description: "Vacuum" });
    expect(await opened("safety plc")).toEqual(["plc-7"]);
    expect(await opened("plc safe")).toEqual(["plc-7"]);
    expect(await opened("node 5931")).toEqual(["node-a-5931"]);
    expect(await opened("vme vacuum")).toEqual(["crate"]);
    expect(await opened("vacuum, plc")).toEqual(["PLC"]);
  });

  test("recognises a query", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "ioc-1", device_type: "Virtual", is_ioc: true });
    await add("hosts", { name: "ioc-2", device_type: "Virtual", network: "Office" });
    await anItem({ ics_id: "AAA001", serial_number: "ioc-7" });
    expect(await opened("ioc-*")).toEqual(["ioc-1", "ioc-2", "AAA001"]);
    expect(await opened("name:ioc*")).toEqual(["ioc-1", "ioc-2"]);
    expect(await opened("ip:10.1.1.0/24 AND name:ioc*")).toEqual(["ioc-2"]);
    expect(await opened("serial_number:ioc*")).toEqual(["AAA001"]);
    expect(await opened("ioc-* NOT is_ioc:true")).toEqual(["ioc-2", "AAA001"]);
    expect(await opened("name:vault*")).toEqual([]);
    expect(await opened("name:vault*", alice)).toEqual(["vault"]);
    const { text } = await (await browser(carol)).get("/?q=name:ioc*");
    const [way] = elements(text, ".results a").slice(-2);
    expect(way!.attributes.href).toBe("/network/hosts?q=name%3Aioc*");
    expect(texts(text, ".results a").at(-2)).toBe("Hosts that match name:ioc*");
  });

  test("finds mistyped names, and says that there is no exact match", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "archiver-01", device_type: "Virtual" });
    await aLocation({ name: "Klystron gallery" });
    expect(await opened("archvier-01")).toEqual(["archiver-01"]);
    expect(await said("archvier-01")).toStartWith('No exact match for "archvier-01"');
    expect(await opened("klystrn galery")).toEqual(["Klystron gallery"]);
    await aLocation({ name: "G02 Injector hall, rack A13" });
    expect(await opened("injektor hall")).toEqual(["G02 Injector hall, rack A13"]);
    expect(await opened("injektor hall rack A12")).toEqual([]);
    expect(await said("nothing like it")).toBe("No matches; about this in the help");
  });

  test("finds mistyped full names, cnames, interfaces and domains", async () => {
    await aFeedNetwork();
    expect((await opened("wbe.lab.example.org"))[0]).toBe("web.lab.example.org");
    expect((await opened("wwww.lab.exmple.org"))[0]).toBe("www.lab.example.org");
    expect(await opened("db-bakcup")).toContain("db-backup");
    expect(await opened("lab.exmaple.org")).toEqual(["lab.example.org"]);
    expect(await opened("valut-office")).not.toContain("vault-office");
    expect(await opened("valut-office", alice)).toContain("vault-office");
  });

  test("shows the most similar of many similar names", async () => {
    for (let number = 100; number < 130; number += 1) {
      await add("hosts", { name: `node-${number}`, device_type: "Virtual" });
    }
    expect((await opened("nodee-129"))[0]).toBe("node-129");
  });

  test("opens codes of attributes and URLs of this site, and no others", async () => {
    await aLocation({ name: "Hall A" });
    const { origin } = await service();
    expect(await opened("CSE:location:Hall A")).toBe("/inventory/attributes/location/Hall%20A");
    expect(await opened(`${origin}/inventory/items?q=x`)).toBe("/inventory/items?q=x");
    expect(await opened(`${origin}//evil.example`)).toEqual([]);
    expect(await opened("https://evil.example/")).toEqual([]);
  });

  test("discloses no hidden host, whose address is free", async () => {
    await aFeedNetwork();
    for (const text of ["vault", "vaults", "safe", "02:42:42:00:00:03", "vualt"]) {
      expect([text, await opened(text)]).toEqual([text, []]);
    }
    expect(await opened("vault", alice)).toBe("/network/hosts/view/vault");
    const [{ ip }] = (await api(alice).get("/network/interfaces?name=vault-office")).body;
    expect(await said(ip)).toBe(`${ip}: in Office, free`);
    expect(await opened(ip, alice)).toBe("/network/hosts/view/vault");
    expect(await said("10.1.9.1")).toBe("10.1.9.1: not in any network that you can see");
  });

  test("finds nothing for a text that no record can contain, and never fails", async () => {
    await aFeedNetwork();
    for (const text of ["\u0000", "%", "_", "\\", "'", "a".repeat(1_000), "(((", "~", "*", "ﬀ"]) {
      expect([text, await opened(text)]).toEqual([text, []]);
    }
  });
});

describe("suggestions while typing", () => {
  test("are a listbox of links, with links to continue, and empty without a text", async () => {
    await aFeedNetwork();
    const own = await browser(bob);
    const { text } = await own.get("/?q=web", { headers: HTMX });
    expect(elements(text, "html")).toEqual([]);
    const [first] = elements(text, "[role=listbox] a[role=option]");
    expect(first!.attributes.href).toBe("/network/hosts/view/web");
    expect(texts(text, "[role=option]").join()).toContain('Hosts with "web" in any field');
    expect((await own.get("/?q=", { headers: HTMX })).text).toBe("");
    const item = await own.get("/?q=add+an", { headers: HTMX });
    expect(texts(item.text, "[role=option]")[0]).toBe("Add item");
    for (const [text, way, person] of [
      ["add host", "Add host", dave],
      ["new item", "Add item", bob],
      ["create group", "Add group", dave],
      ["interf", "Interfaces", carol],
    ] as const) {
      const found = await (await browser(person)).get(`/?q=${text}`, { headers: HTMX });
      expect([text, texts(found.text, "[role=option]")]).toEqual([
        text,
        expect.arrayContaining([way]),
      ]);
    }
    const none = await (await browser(carol)).get("/?q=add host", { headers: HTMX });
    expect(texts(none.text, "[role=option]")).not.toContain("Add host");
  });
});
