import { describe, expect, test } from "bun:test";
import { type Browser, browser } from "../support/browser.ts";
import { everything } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import { labAndBench } from "../support/imports.ts";
import { aHost, alice, api, bob, carol, dave } from "../support/mod.ts";
import { IMPORT, IMPORT_HOSTS, upload, uploaded } from "../support/upload.ts";

const TWO_WRONG = `Hostname;Device type;VLAN;IP address;MAC address;Description
web-01;Physical;Lab;10.1.1.9;;New
web-02;Virtual;Lab;;02-42-42-00-00-02;
web-03;Toaster;Lab;;;
web-04;Virtual;Lab;10.9.9.9;;<script>alert(1)</script>
`;

async function someHosts() {
  await labAndBench();
  await aHost({ name: "web-01", network: "Lab", ip: "10.1.1.9", description: "Old" });
}

function summaryIn(html: string): string | undefined {
  return texts(html, ".imports p")[0];
}

async function hosts(): Promise<string[]> {
  const { body } = await api(alice).get("/network/hosts?sort=name");
  return body.map(({ name }: { name: string }) => name);
}

function hidden(html: string): Record<string, string> {
  const fields = elements(html, ".imports input[type=hidden]");
  return Object.fromEntries(fields.map(({ attributes: { name, value } }) => [name!, value!]));
}

async function apply(own: Browser, path: string, action: string, html?: string) {
  const text = html ?? (await own.get(path)).text;
  return own.submit(path, { ...hidden(text), action });
}

describe("GET /network/hosts/import", () => {
  test("describes the columns, offers a template, and is linked for those who may add hosts", async () => {
    const own = await browser(dave);
    const { status, text } = await own.get(IMPORT_HOSTS);
    const template = await own.get(`${IMPORT_HOSTS}/template.csv`);
    expect(template.headers.get("content-disposition")).toContain("hosts.csv");
    expect([status, texts(text, ".columns dt")]).toEqual([200, template.text.trim().split(",")]);
    for (const page of ["/", "/network", "/network/hosts", "/?q=import"]) {
      const { text: linking } = await own.get(page);
      expect(elements(linking, `a[href="${IMPORT_HOSTS}"]`).length, page).toBeGreaterThan(0);
    }
    const empty = await (await browser(alice)).get("/");
    expect(texts(empty.text, ".steps a").filter((one) => one.startsWith("Import"))).toEqual([
      "Import hosts",
      "Import items",
    ]);
    for (const person of [carol, bob]) {
      const other = await browser(person);
      expect((await other.get(IMPORT_HOSTS)).status).toBe(403);
      expect((await upload(other, "name\nx1", { path: IMPORT_HOSTS })).status).toBe(403);
      for (const page of ["/network", "/network/hosts", "/?q=import+hosts"]) {
        const { text: linking } = await other.get(page);
        expect(elements(linking, `a[href="${IMPORT_HOSTS}"]`), page).toEqual([]);
      }
    }
  });
});

describe("POST /network/hosts/import", () => {
  test("previews each row by the labels of an address plan, and changes nothing", async () => {
    await someHosts();
    const own = await browser(dave);
    const before = (await hosts()).join();
    const path = await uploaded(own, TWO_WRONG, IMPORT_HOSTS);
    const { text } = await own.get(path);
    expect(summaryIn(text)).toBe("1 new, 1 changed, 2 refused");
    expect(texts(text, "p.error")).toEqual([
      'There is no device type "Toaster"',
      "Use an address inside 10.1.1.0/24",
    ]);
    expect(elements(text, "td input[list=device_type-names]")).toHaveLength(1);
    expect(text).not.toContain("<script>alert");
    const all = await own.get(`${path}?verdict=all`);
    expect(texts(all.text, ".differences li")).toEqual([
      "Description Old → New",
      "IOC false",
      "Device type Virtual",
      "Interface name web-02",
      "Network Lab",
      "IP address first free address",
      "MAC address 02:42:42:00:00:02",
    ]);
    expect((await hosts()).join()).toBe(before);
  });

  test("refuses a host with all of its rows, and corrects only the wrong one", async () => {
    await labAndBench();
    const own = await browser(dave);
    const rows = "name,device_type,network\nweb-01,VME,Lab\nweb-01,,Bench\n";
    const { text } = await own.get(await uploaded(own, rows, IMPORT_HOSTS));
    expect(texts(text, "p.error")).toEqual([
      "Line 3 of this host is refused",
      "Name each further interface of a host",
    ]);
    expect(texts(text, ".mend button")).toEqual(["Skip line 2", "Save line 3", "Skip line 3"]);
  });

  test("corrects rows in place, applies them as one change, and is undone", async () => {
    await someHosts();
    const own = await browser(dave);
    const path = await uploaded(own, TWO_WRONG, IMPORT_HOSTS);
    await own.submit(path, { "4.device_type": "Virtual", leave: "5" });
    const { text } = await own.get(path);
    expect([summaryIn(text), texts(text, ".imports button")]).toEqual([
      "2 new, 1 changed",
      ["Apply all 3 rows"],
    ]);
    expect((await apply(own, path, "all", text)).status).toBe(303);
    const done = await own.get(path);
    expect(texts(done.text, ".done p")[0]).toMatch(
      /^Added 2 hosts, 2 interfaces; changed 1 host\. Show the change$/,
    );
    expect(await hosts()).toEqual(["web-01", "web-02", "web-03"]);
    const [undo] = elements(done.text, ".done form");
    expect((await own.submit(undo!.attributes.action!, {})).status).toBe(303);
    expect(await hosts()).toEqual(["web-01"]);
    expect((await api(dave).get("/network/hosts?name=web-01")).body[0].description).toBe("Old");
  });

  test("takes pasted rows, and shows them again if they cannot be read", async () => {
    await labAndBench();
    const own = await browser(dave);
    const rows = "name\tdevice_type\tnetwork\nweb-01\tVirtual\tLab\n";
    const { status, headers } = await own.submit(IMPORT_HOSTS, { text: rows });
    expect(status).toBe(303);
    expect(summaryIn((await own.get(headers.get("location")!)).text)).toBe("1 new");
    const wrong = await own.submit(IMPORT_HOSTS, { text: "ID\n7\n" });
    expect([wrong.status, texts(wrong.text, "p.error")[0]]).toEqual([
      422,
      expect.stringMatching(/^The first row must contain the names of columns: name, /),
    ]);
    expect(texts(wrong.text, "details[open] textarea")).toEqual(["ID 7"]);
  });

  test("writes nothing if a record has changed since the preview", async () => {
    await someHosts();
    const own = await browser(dave);
    const path = await uploaded(own, "name,description\nweb-01,New\n", IMPORT_HOSTS);
    const { text } = await own.get(path);
    const [{ id }] = (await api(dave).get("/network/hosts?name=web-01")).body;
    await api(dave).patch(`/network/hosts/${id}`, { description: "Of another user" });
    const before = await everything();
    const refused = await apply(own, path, "all", text);
    expect([refused.status, texts(refused.text, ".note.bad")]).toEqual([
      422,
      ["Records have changed since the preview; check the rows again"],
    ]);
    expect(texts(refused.text, ".differences li")).toEqual(["Description Of another user → New"]);
    expect(await everything()).toBe(before);
    expect((await apply(own, path, "all", refused.text)).status).toBe(303);
  });

  test("gives the next free address if the first one is taken since the preview", async () => {
    await labAndBench();
    const own = await browser(dave);
    const path = await uploaded(own, "name,device_type,network\nweb-01,VME,Lab\n", IMPORT_HOSTS);
    const { text } = await own.get(path);
    await aHost({ name: "web-02", network: "Lab" });
    expect((await apply(own, path, "all", text)).status).toBe(303);
    const [{ ip }] = (await api(dave).get("/network/interfaces?host=web-01")).body;
    expect(ip).toBe("10.1.1.2");
  });

  test("keeps files of items and of hosts apart", async () => {
    const admin = await browser(alice);
    const items = await uploaded(admin, "serial_number\nSN-1\n");
    const other = items.replace(IMPORT, IMPORT_HOSTS);
    expect((await admin.get(other)).status).toBe(404);
    expect((await admin.submit(other, { action: "all", state: "1" })).status).toBe(404);
    expect(elements((await admin.get(IMPORT_HOSTS)).text, `a[href="${items}"]`)).toEqual([]);
    expect(elements((await admin.get(IMPORT)).text, `a[href="${items}"]`)).toHaveLength(1);
  });

  test("refuses a file beside its field", async () => {
    const own = await browser(dave);
    const wrong: Array<[string, string]> = [
      ["", "This file is empty"],
      ["name\n", "There are no rows below the headings"],
      ["name,hostname\n1,2", 'The column "hostname" appears twice'],
      [`name\n${"x1\n".repeat(20_000)}`, "Import at most 10,000 rows at once"],
      [`name\n${"x".repeat(40_000)}`, "A cell has more than 32,767 characters"],
    ];
    for (const [content, sentence] of wrong) {
      const { status, text } = await upload(own, content, { path: IMPORT_HOSTS });
      const [error = ""] = texts(text, "p.error");
      expect([status, error.slice(0, sentence.length)]).toEqual([422, sentence]);
    }
    const large = await upload(own, "x".repeat(17 * 1024 * 1024), { path: IMPORT_HOSTS });
    expect(large.status).toBe(413);
  });
});
