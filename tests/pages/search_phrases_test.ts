// What people type into the one box, each with the first answer that it must lead to.
import { beforeEach, describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { elements, texts } from "../support/html.ts";
import {
  aHost,
  aLocation,
  alice,
  aManufacturer,
  aModel,
  anItem,
  api,
  aSiteField,
  aStatus,
  bob,
  carol,
  dave,
  type Person,
} from "../support/mod.ts";

const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const TODAY = daysAgo(0);
const YESTERDAY = daysAgo(1);
const LAST_YEAR = new Date().getUTCFullYear() - 1;

/** The page that a text opens, or the first answer on the page of its results. */
async function first(text: string, by: Person): Promise<string | undefined> {
  const answer = await (await browser(by)).get(`/?q=${encodeURIComponent(text)}`);
  if (answer.status === 303) return answer.headers.get("location")!;
  expect(answer.status, text).toBe(200);
  const results = answer.text.slice(answer.text.indexOf('<div class="results">'));
  const [, tag = ""] = /<((?:a|button) [^>]*)>/.exec(results) ?? [];
  const [, href] = /href="([^"]*)"/.exec(tag) ?? [];
  return (
    href?.replaceAll("&amp;", "&") ?? /name="(.*?)" value="(.*?)"/.exec(tag)?.slice(1).join("=")
  );
}

const host = (name: string) => `/network/hosts/view/${name}`;
const item = (name: string) => `/inventory/items/view/${name}`;
const freeIn = (network: string, ip: string) => `/network/hosts/create?network=${network}&ip=${ip}`;

/** For people of every kind; each row is a kind of question with the ways to put it. */
const PHRASES: Array<[answer: string, ...typed: string[]]> = [
  // Records by words, wherever they stand in them.
  [host("plc-7"), "safety plc", "plc safety", "Safety PLC", "interlock plc", "find the safety plc"],
  [item("AAA301"), "Siemens PLC", "plc siemens", "siemens s7-1500 plc", "S7-1500 spare part"],
  // By what the description of the model says.
  [item("AAA301"), "machinery", "siemens controller", "controllers in repair"],
  ["/inventory/attributes/model/DSOX4104A", "oscilloscope", "oscilloscopes"],
  [host("db"), "ioc db", "ioc backup", "db ioc", "search db-backup"],
  [
    item("AAA436"),
    "klystron rack A08",
    "a08 klystron",
    "klystron a08",
    "Rack A08 klystron KLY-7",
    "kly-7",
  ],
  ["/inventory/attributes/status/In%20repair", "in repair", "In Repair", "repair"],
  [
    "/inventory/attributes/location/Rack%20A08",
    "items in rack a08",
    "contents of rack A08",
    "gear in rack A08",
  ],
  [item("AAA436"), "klystrons rack A08", "serial number KLY-7", "s/n KLY-7", "label of AAA436"],
  [host("web"), "alias www", "dns name of web", "ip of web", "list web"],
  ["/network/networks/view/Office", "hosts in office", "gateway of office", "VLAN of Office"],
  [item("AAA301"), "plc in repair", "in repair plc", "siemens in repair"],
  ["/network/networks/view/Office", "office network", "Network Office"],
  ["/inventory/items?q=ics_id:ZZ*", "items without label"],
  // One of the words names a record.
  [item("AAA436"), "print label AAA436", "set AAA436 on fire", "AAA436 contents please"],
  [host("plc-7"), "plc-7 password", "who is responsible for plc-7"],
  [item("AAA301"), "siemens crates in repair", "show me any controllers please"],
  ["/inventory/attributes/location/Rack%20A08", "building rack A08", "photo of rack A08"],
  ["/inventory/items?q=-_exists_%3Alocation", "items without location", "items without a location"],
  [
    host("web"),
    "web",
    "WEB",
    "web.lab.example.org",
    "www",
    "10.1.1.1",
    "open web",
    "show me web",
    "02:42:42:00:00:01",
    "1.1.1.10.in-addr.arpa",
  ],
  [item("AAA436"), "AAA436", "aaa436", "find AAA436", "open aaa436", "look up AAA436"],
  ["/network/networks/view/Office", "vlan 1", "VLAN 1", "office", "10.1.1.0/24", "network office"],
  // Who has it, where is it.
  [
    host("web"),
    "who has 10.1.1.1",
    "what is 10.1.1.1",
    "who is using 10.1.1.1?",
    "which host has 10.1.1.1",
  ],
  [host("web"), "who has 02:42:42:00:00:01", "who owns 0242.4200.0001"],
  [
    item("AAA436"),
    "where is AAA436",
    "where is aaa436?",
    "where's AAA436",
    "location of AAA436",
    "where is kly-7",
  ],
  // A small number is a whole one, with zeros before it or without.
  [item("AAA436"), "rack a8"],
  [item("AAA080"), "aaa80", "item AAA 80"],
  [host("gauge-06"), "gauge 6", "gauge 06", "pump gauge 6"],
  // By a field of the site, and by a value in it.
  ["/inventory/items?q=_exists_%3Asite.calibrated", "calibrated until"],
  [
    "/inventory/items?q=site.centre%3A%22CC-2%22",
    "cost centre instruments",
    "cost centre 2",
    "instruments",
  ],
  ["/inventory/items?q=site.calibrated%3A2027*", "calibrated until 2027"],
  ["/inventory/items?q=-_exists_%3Asite.calibrated", "items without calibration", "not calibrated"],
  [
    "/network/hosts?q=%2B%28%2B%28*ioc*+OR+is_ioc%3Atrue%29+%22ioc%22%5E9%29+-_exists_%3Aitems",
    "ioc without item",
    "ioc with no item",
  ],
  ["/inventory/items?q=site.price%3A%3E900", "price over 900", "price > 900"],
  ["/inventory/items?q=tags%3A%22klystron%22", "tag klystron", "items tagged klystron"],
  ["/inventory/items?q=site.calibrated%3A%3Cnow", "calibration due", "calibrated expired"],
  // Misspelt words, as the site spells them.
  ["/inventory/attributes/model/DSOX4104A", "oscilliscope", "osciloscopes"],
  [item("AAA301"), "siemens machinary", "siemens s7plc", "seimens controler"],
  // The beginning of a word may be the name of it.
  [host("ps-und"), "psund", "ps_und", "undulator supply", "power supply undulator"],
  // A label behind the name of a thing.
  [item("AAA436"), "rack AAA436", "what is inside the crate AAA436", "what is in box aaa436"],
  // The beginning of an address that nobody has.
  ["/network/scopes/view/Lab", "10.1.77", "10.1.77."],
  [
    "/changes?kind=items&query=%2B*machinery*+%22machinery%22%5E9",
    "what changed in machinery",
    "changes in the machinery",
  ],
  ["/help", "?"],
  // Free addresses.
  [
    freeIn("Office", "10.1.1.4"),
    "free ip office",
    "free address in office",
    "next free address in Office",
    "next free ip in office",
    "get a free ip in office",
    "office free ip",
    "first free address of office",
    "next address in Office",
    "free adress office",
    "how many ips are free in office",
    "free ip in ofice",
  ],
  // Changes.
  [
    `/changes?from=${TODAY}&to=${TODAY}`,
    "changes today",
    "today",
    "what happened today",
    "what changed today?",
    TODAY,
    `changes on ${TODAY}`,
  ],
  [
    `/changes?from=${YESTERDAY}&to=${YESTERDAY}`,
    "changes yesterday",
    "yesterday",
    "what happened yesterday",
    "1 day ago",
    "what changed yesterday",
    "history yesterday",
  ],
  [
    `/changes?from=${LAST_YEAR}-11-24&to=${LAST_YEAR}-11-24`,
    `24 nov ${LAST_YEAR}`,
    `Nov 24, ${LAST_YEAR}`,
    `24 November ${LAST_YEAR}`,
    `changes on 24.11.${LAST_YEAR}`,
    `24/11/${LAST_YEAR}`,
  ],
  [
    `/changes?from=${LAST_YEAR}-03-01&to=${LAST_YEAR}-03-31`,
    `changes in march ${LAST_YEAR}`,
    `added in Mar ${LAST_YEAR}`,
    `what happened in march ${LAST_YEAR}?`,
    `March ${LAST_YEAR}`,
  ],
  [
    `/inventory/items?q=created_at%3A${TODAY}`,
    "new items today",
    "items added today",
    "all items registered today",
  ],
  [
    `/network/hosts?q=created_at%3A%5B${LAST_YEAR}-06-01+TO+${LAST_YEAR}-06-30%5D`,
    `new hosts in june ${LAST_YEAR}`,
    `hosts added in June ${LAST_YEAR}`,
  ],
  [
    "/changes?user=bob",
    "bob",
    "Bob",
    "changes by bob",
    "what did bob do",
    "what has bob changed?",
    "history by bob",
    "bob's changes",
  ],
  [
    `/changes?user=bob&from=${YESTERDAY}&to=${YESTERDAY}`,
    "what did bob change yesterday",
    "changes by bob 1 day ago",
    "bob yesterday",
  ],
  [`/changes?from=${daysAgo(30)}&to=${TODAY}`, "last 30 days", "changes in the last 30 days"],
  [
    `/changes?kind=items&action=delete&from=${YESTERDAY}&to=${YESTERDAY}`,
    "deleted items yesterday",
  ],
  // Commands.
  [
    "/network/hosts/create",
    "add host",
    "new host",
    "create host",
    "create a host",
    "register host",
    "register a new host",
    "how do i add a host",
    "i want to add a host",
    "Add Host",
  ],
  ["/inventory/items/create", "add item", "new item", "how to create an item"],
  ["/network/networks/create", "add network", "new network", "create a network"],
  ["/network/networks/create", "add vlan", "create subnet", "new VLAN"],
  ["/network/hosts/create", "add server", "register a machine", "new virtual machine"],
  ["/inventory/items/create", "register equipment", "add crate", "new asset"],
  ["/inventory/attributes/location", "add location", "new location", "new rack", "add a room"],
  ["/inventory/attributes/manufacturer", "manufacturers", "add vendor", "new supplier"],
  ["/changes?user=alice", "my changes", "my work", "what did I change"],
  ["/inventory/items?user=alice", "my items"],
  ["/network/hosts?user=alice", "my hosts"],
  ["/network/hosts?q=-_exists_%3Aip", "hosts without ip"],
  ["/network/hosts?q=-_exists_%3Ainterfaces", "all hosts without interfaces"],
  ["/#full-title", "full networks", "which networks are full", "nearly full networks"],
  ["/user/profile#rights-title", "who is admin", "contact admin", "what can I do"],
  ["/user/profile#passkeys-title", "passkey", "two factor", "2fa"],
  ["/network/hosts", "hosts", "all hosts", "list hosts", "list of hosts", "how many hosts"],
  ["/inventory/items", "items", "all items"],
  ["/inventory/items/import", "import items", "upload items", "import excel", "import csv"],
  ["/inventory/items/labels", "print labels", "print label", "labels", "how do I print labels?"],
  ["/inventory/scanner", "scan", "scan desk", "scanner", "scan a qr code"],
  [
    "/user/profile#password-title",
    "change password",
    "change my password",
    "how do I change my password",
    "reset password",
  ],
  ["/user/profile#make-title", "new token", "create token", "api key", "generate a token"],
  ["theme=dark", "dark mode", "dark theme", "night mode", "switch to dark mode"],
  ["theme=light", "light mode"],
  ["/help", "help", "manual", "documentation"],
  ["/api/docs", "api", "swagger", "openapi"],
  ["/changes", "changes", "recent changes", "history", "undo"],
  ["/changes?action=delete", "deleted", "undelete", "what was deleted"],
  ["/changes?kind=items&action=delete", "deleted items"],
  ["/user/watches", "notifications", "watches"],
  ["/user/logout", "log out", "logout", "sign out"],
  ["/admin/system", "make a backup", "system", "health", "version"],
  ["/admin/sign-in", "ldap", "sso", "sign-in", "active directory"],
  ["/admin/users/create", "add user", "new user", "invite a user"],
  ["/admin/webhooks", "webhooks", "failed deliveries"],
];

/** How-tos of the guide, each with the ways to ask for it. */
const HOW_TOS: Array<[section: string, ...typed: string[]]> = [
  ["who-may-edit-what-missing-buttons-and-your-rights", "why can I not edit", "my rights"],
  ["print-labels-and-qr-codes", "how do I print labels", "print qr codes", "how to print a label"],
  ["give-a-host-another-dns-name-cname-or-alias", "dns", "cname", "how do I add an alias"],
  ["set-up-dhcp-for-a-host-a-reservation", "dhcp", "how does dhcp work?", "dhcp reservation"],
  ["add-a-user-and-give-rights", "add a user", "how do I give rights"],
  ["move-a-host-to-another-network", "move a host", "how can I move a host to another network"],
  ["scan-items-into-place", "scan", "how to scan items"],
  ["make-a-backup-and-restore-it", "backup", "restore", "how do we make a backup"],
  ["import-items-from-a-spreadsheet", "import a spreadsheet", "how do I import a spreadsheet"],
  ["undo-a-change-or-a-deletion", "undo", "how do I undo a change"],
  ["reset-a-password-of-a-user", "reset a password", "how do I reset the password of a user"],
  ["find-a-free-address-reserve-an-ip", "how do I find a free address", "how to reserve an ip"],
  ["register-a-crate-or-another-item", "register a crate", "how do I register a crate"],
  [
    "change-rename-or-delete-a-host-an-item-or-another-record",
    "rename a host",
    "how do I delete an item",
    "delete host",
  ],
  ["change-many-records-at-once-bulk-edit", "bulk edit", "change status of many items"],
  [
    "move-lend-or-repair-an-item",
    "move an item to another rack",
    "loan",
    "how do I repair an item",
  ],
  [
    "add-a-photo-or-a-document-upload-or-attach-a-file",
    "how do I add a photo",
    "upload photo",
    "add a photo",
  ],
  ["register-the-members-of-a-switch-stack", "switch stack"],
  ["use-a-phone-and-install-the-app", "phone", "camera", "how do I install the app"],
  ["export-a-list-download-it-as-excel-or-csv", "how do I export a list"],
  [
    "follow-changes-of-a-record-watches-mail-notifications",
    "slack notification",
    "how do I follow changes",
  ],
  ["save-a-search-as-a-view-saved-searches", "saved searches", "save a search"],
  ["use-ansible-groups-and-variables", "ansible groups", "how do variables work"],
  ["make-a-service-account-and-a-token-for-a-program", "service account", "help with tokens"],
  ["connect-the-sign-in-of-your-site", "how do I connect ldap"],
  ["update-or-upgrade-cadastre", "how do I upgrade"],
  ["repair-a-failed-delivery-of-a-webhook", "failed webhook", "what if a delivery failed"],
  ["use-the-keyboard-shortcuts", "keyboard shortcuts", "shortcuts", "hotkeys"],
  ["see-who-logged-in-or-was-refused-the-audit-log", "who logged in", "help audit log"],
];

describe("the one box leads to", () => {
  beforeEach(async () => {
    await aFeedNetwork();
    await aManufacturer({ name: "Siemens" });
    await Promise.all([
      aModel({ name: "S7-1500 PLC", description: "Controller for machinery" }),
      aModel({ name: "DSOX4104A", description: "Oscilloscope" }),
      aLocation({ name: "Rack A08" }),
      aLocation({ name: "Store" }),
      aStatus({ name: "In repair" }),
    ]);
    await aHost({ name: "plc-7", description: "Safety interlock" });
    await aHost({ name: "ps-abc", description: "Power supply of an undulator" });
    await aHost({ name: "ps-und", description: "Power supply of an undulator" });
    await aHost({ name: "gauge-06", description: "Gauge of a pump" });
    await aHost({ name: "gauge-07", description: "Gauge of a pump, series 62" });
    await aSiteField({ key: "calibrated", label: "Calibrated until", type: "date" });
    await aSiteField({ key: "price", label: "Price", type: "number" });
    const choices = ["CC-1=Target", "CC-2=Instruments"];
    await aSiteField({ key: "centre", label: "Cost centre", type: "choice", choices });
    await anItem({
      ics_id: "AAA436",
      serial_number: "KLY-7",
      location: "Rack A08",
      tags: ["klystron"],
    });
    await anItem({
      ics_id: "AAA080",
      serial_number: "KLY-8",
      location: "Store",
      tags: ["klystron"],
    });
    await anItem({
      ics_id: "AAA301",
      serial_number: "S7-spare part",
      manufacturer: "Siemens",
      model: "S7-1500 PLC",
      status: "In repair",
    });
  });

  test("the right page for each phrase", async () => {
    const wanted = PHRASES.flatMap(([answer, ...typed]) => typed.map((text) => [text, answer]));
    expect(wanted.length).toBeGreaterThan(100);
    const found: Array<[string, string | undefined]> = [];
    for (const [text] of wanted) found.push([text!, await first(text!, alice)]);
    expect(found).toEqual(wanted as Array<[string, string]>);
  });

  test("pages that are there, for those to whom they are offered", async () => {
    const table = await Bun.file("pages/omnibox/phrases.md").text();
    const rows = [...table.matchAll(/^\| [^|]+ \| (\/[^|]*) \| (\w*)/gm)];
    expect(rows.length).toBeGreaterThan(40);
    const [admin, reader] = [await browser(alice), await browser(carol)];
    for (const [, path = "", who = ""] of rows.filter(([, to]) => to !== "/user/logout")) {
      expect(["", "inventory", "network", "admins", "auditors"]).toContain(who);
      const { status } = await (who === "" ? reader : admin).get(path.replace(":me", "carol"));
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test("the how-to for each question, in sentences without code", async () => {
    const own = await browser(alice);
    const asked = HOW_TOS.flatMap(([section, ...typed]) => typed.map((text) => [text, section]));
    expect(asked.length).toBeGreaterThan(40);
    const found: Array<[string, string | undefined]> = [];
    for (const [text] of asked) {
      const address = `/?q=${encodeURIComponent(text!)}`;
      const { text: html } = await own.get(address, { headers: HTMX });
      const [help = ""] = /aria-label="Help".*?<\/div>/s.exec(html) ?? [];
      found.push([text!, elements(help, "a")[0]?.attributes.href?.split("#")[1]]);
      expect(texts(help, ".muted").join(" "), text).not.toMatch(/[`{}$=|\\]|curl|\/api\//);
    }
    expect(found).toEqual(asked as Array<[string, string]>);
  });

  test("the command and the how-to for a question, where the words alone open the page", async () => {
    const own = await browser(alice);
    expect((await own.get("/?q=print labels")).status).toBe(303);
    const { status, text } = await own.get("/?q=how do I print labels");
    expect([status, ...texts(text, ".results h2").slice(0, 2)]).toEqual([200, "Commands", "Help"]);
  });

  test("the how-to alone for a question, and the record for its name", async () => {
    await aHost({ name: "move" });
    expect(await first("how do I move a host", alice)).toBe(
      "/help/guide#move-a-host-to-another-network",
    );
    expect(await first("move", alice)).toBe(host("move"));
    const { text } = await (await browser(alice)).get("/?q=how do I move a host");
    expect(texts(text, ".results h2")).toEqual(["Help"]);
    expect(texts(text, ".results section:first-child a")[0]).toBe("Move a host to another network");
    expect(text).not.toContain("The API");
  });

  test("what one may open: no form for a reader, no page of admins for others", async () => {
    expect(await first("free ip office", carol)).toBe("/network/networks/view/Office");
    expect(await first("add host", carol)).not.toBe("/network/hosts/create");
    expect(await first("add host", dave)).toBe("/network/hosts/create");
    expect(await first("ldap", dave)).not.toBe("/admin/sign-in");
  });

  test("who may give a command, where one asks for just that and may not", async () => {
    const commandsOf = async (text: string, by: Person) =>
      texts((await (await browser(by)).get(`/?q=${text}`)).text, ".results li");
    expect(await commandsOf("how do I add a user", bob)).toContain("Add user Admins");
    const box = await (await browser(bob)).get("/?q=add user", { headers: HTMX });
    expect(texts(box.text, "[role=option][disabled]")).toEqual(["Add user Admins"]);
    expect(await commandsOf("add host", bob)).toContain(
      "Add host Users in the group network and admins",
    );
    expect((await commandsOf("add", bob)).filter((one) => one.endsWith("dmins"))).toEqual([]);
  });

  test("the user and the help for a name that is also a word of the help", async () => {
    await api(alice).post("/user/users", { username: "ansible", password: "kq4-wrn-72-zzb-up" });
    const { status, text } = await (await browser(carol)).get("/?q=ansible");
    expect([status, ...texts(text, ".results h2").slice(0, 2)]).toEqual([200, "Answers", "Help"]);
    expect(texts(text, ".results .hits a")).toEqual(["Changes by ansible"]);
  });

  test("both lists that can be exported, and how", async () => {
    const { status, text } = await (await browser(carol)).get("/?q=export to excel");
    expect([status, ...texts(text, ".results h2").slice(0, 2)]).toEqual([200, "Commands", "Help"]);
    expect(texts(text, ".results li").slice(0, 2)).toEqual(["Export items", "Export hosts"]);
  });

  test("who added a record, and what was renamed", async () => {
    await api(bob).patch("/inventory/items/AAA436", { status: "In repair" });
    const [{ id }] = (await api(alice).get("/network/hosts?name=plc-7")).body;
    await api(alice).patch(`/network/hosts/${id}`, { name: "plc-8" });
    const own = await browser(carol);
    const first = async (text: string) =>
      texts((await own.get(`/?q=${text}`)).text, ".results .hits a")[0];
    expect(await first("who added AAA436")).toBe("alice added item AAA436");
    expect(await first("when was gauge-06 created")).toBe("alice added host gauge-06");
    expect(await first("plc-7")).toBe("plc-7 is called plc-8 now");
  });

  test("what is wrong with a query that cannot be read", async () => {
    const { text } = await (await browser(carol)).get("/?q=name:(web");
    expect(texts(text, "main p[role=status]")[0]).toStartWith("A closing ) is missing");
  });

  test("records with any of the words, where none has them all", async () => {
    const own = await browser(carol);
    const { text } = await own.get("/?q=siemens klystron");
    const [list] = elements(text, ".results a").filter(({ attributes: { href } }) =>
      href?.startsWith("/inventory/items?q="),
    );
    const { text: listed } = await own.get(list!.attributes.href!);
    expect(texts(listed, "td[data-label=Label]").toSorted()).toEqual([
      ...["AAA080", "AAA301", "AAA436"],
    ]);
  });

  test("the last change of a record, and the one that deleted it", async () => {
    await api(bob).patch("/inventory/items/AAA436", { status: "In repair" });
    const own = await browser(carol);
    const changed = (await own.get("/?q=who changed AAA436")).text;
    expect(texts(changed, ".results .hits a")[0]).toBe("Latest change: bob changed item AAA436");
    const [{ id }] = (await api(alice).get("/inventory/items?ics_id=AAA080")).body;
    expect((await api(alice).delete(`/inventory/items/${id}`)).status).toBe(204);
    const { text } = await own.get("/?q=aaa080");
    expect(texts(text, ".results .hits a")).toEqual(["alice deleted item AAA080"]);
    const asked = (await own.get("/?q=bring AAA080 back")).text;
    expect(texts(asked, ".results .hits a")).toEqual(["alice deleted item AAA080"]);
    const [link] = elements(text, ".results .hits a");
    expect(link!.attributes.href).toStartWith("/changes/");
    const undone = await (await browser(alice)).submit(link!.attributes.href!, {});
    expect(undone.status).toBe(303);
    expect(await first("aaa080", carol)).toBe(item("AAA080"));
  });

  test("nothing of a hidden host, its addresses and changes", async () => {
    for (const text of [
      "vault",
      "who changed vault",
      "where is vault",
      "who has 10.1.9.1",
      "10.1.9",
      "vaullts",
      "safe.lab.example.org",
    ]) {
      const { status, text: html } = await (await browser(carol)).get(`/?q=${text}`);
      expect([text, status]).toEqual([text, 200]);
      expect(html).not.toContain("for &quot;vaults&quot;");
      const hrefs = elements(html, ".results a").map(({ attributes }) => attributes.href!);
      expect([text, hrefs.filter((href) => /(hosts|networks).view|changes/.test(href))]).toEqual([
        text,
        [],
      ]);
    }
    expect((await (await browser(alice)).get("/?q=vaullts")).text).toContain(
      "for &quot;vaults&quot;",
    );
    const { id } = await add("hosts", { name: "gone", device_type: "Physical", network: "Vaults" });
    expect((await api(alice).delete(`/network/hosts/${id}`)).status).toBe(204);
    const seen = async (by: Person) =>
      texts((await (await browser(by)).get("/?q=gone")).text, ".results .hits a");
    expect(await seen(carol)).toEqual([]);
    expect(await seen(alice)).toEqual(["alice deleted host gone"]);
  });

  test("no other rack for a fragment, and no guess with another number", async () => {
    await anItem({ ics_id: "AAA081", serial_number: "X" });
    const found = (await (await browser(carol)).get("/?q=a08")).text;
    expect(texts(found, ".results .hits a")).toEqual(["Rack A08", "AAA436"]);
    const { text } = await (await browser(carol)).get("/?q=a09");
    expect(texts(text, ".results .hits a")).toEqual([]);
  });
});
