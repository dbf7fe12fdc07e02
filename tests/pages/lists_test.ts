// Rules for every list: its order, its filters, its views and its export.
import { describe, expect, spyOn, test } from "bun:test";
import * as database from "../../db/client.ts";
import { browser, HTMX } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import {
  aDomain,
  aGroup,
  aHost,
  aLocation,
  alice,
  anInterface,
  anItem,
  aStatus,
  bob,
  carol,
  dave,
} from "../support/mod.ts";

const LISTS = [
  "/inventory/items",
  "/inventory/attributes/location",
  "/inventory/attributes/status",
  "/network/hosts",
  "/network/interfaces",
  "/network/networks",
  "/network/scopes",
  "/network/domains",
  "/network/groups",
  "/network/device_types",
];
const HOSTS = "/network/hosts";

async function aSite() {
  await Promise.all([aLocation({ name: "Hall A" }), aStatus({ name: "In service" })]);
  await anItem({ ics_id: "AAA002", location: "Hall A", status: "In service" });
  await anItem({ ics_id: "AAA001", location: "Hall A" });
  await anInterface({ name: "crate" });
}

describe("every list", () => {
  test("marks the column by which it is sorted, also by default", async () => {
    await aSite();
    const own = await browser(alice);
    for (const path of LISTS) {
      const { text } = await own.get(path);
      if (texts(text, "table.list").length === 0) continue;
      expect([path, elements(text, "th[aria-sort=ascending]").length]).toEqual([path, 1]);
      const [link] = elements(text, "th[aria-sort] a");
      const turned = await own.get(link!.attributes.href!);
      expect([path, elements(turned.text, "th[aria-sort=descending]").length]).toEqual([path, 1]);
    }
    expect(texts((await own.get("/inventory/items")).text, "td a.open")).toEqual([
      "AAA001",
      "AAA002",
    ]);
  });

  test("has one link that removes all filters, and keeps order and columns", async () => {
    await aSite();
    const own = await browser(carol);
    const filters = "location=Hall+A&status=In+service&q=AAA&sort=-ics_id&page=1";
    const { text } = await own.get(`/inventory/items?${filters}`);
    const [clear] = elements(text, "a.clear");
    expect(clear!.attributes.href).toBe("/inventory/items?sort=-ics_id");
    expect(elements((await own.get("/inventory/items")).text, "a.clear")).toEqual([]);
  });

  test("shortens a long text, and has the full text in its title", async () => {
    const long = "A description that would need more than one line of its row";
    await aHost({ name: "crate", description: long });
    const { text } = await (await browser(carol)).get(HOSTS);
    const [cut] = elements(text, "td .cut");
    expect(cut!.attributes.title).toBe(long);
  });

  test("shortens a long name of a record, and has the full name in its title", async () => {
    const long = "A name of a record that would need more than one line of its row";
    const label = "a-name-that-would-need-more-than-one-line-of-its-row";
    await aLocation({ name: long });
    await aGroup({ name: long });
    await aDomain({ name: `${label}.example.org` });
    await anInterface({ name: label, host: (await aHost({ name: `${label}-1` })).name });
    const own = await browser(carol);
    for (const [path, title] of [
      ["/inventory/attributes/location", long],
      ["/network/groups", long],
      ["/network/domains", `${label}.example.org`],
      ["/network/interfaces", label],
      [HOSTS, `${label}-1`],
    ] as const) {
      const { text } = await own.get(path);
      const titles = elements(text, "td [title]").map(({ attributes }) => attributes.title!);
      expect([path, titles.some((one) => one.startsWith(title))]).toEqual([path, true]);
    }
  });

  test("shows several values of a cell by the first one and the number of the others", async () => {
    const { name } = await aHost();
    for (let at = 0; at < 3; at += 1) await anInterface({ host: name });
    const { text } = await (await browser(carol)).get(HOSTS);
    const [more] = elements(text, "td[data-label=IPs] .more");
    expect(texts(text, "td[data-label=IPs] .more")).toEqual(["+2"]);
    expect(more!.attributes.title!.split(", ")).toHaveLength(2);
  });

  test("has compact rows for users who choose them", async () => {
    const own = await browser(carol);
    const [form] = elements((await own.get(HOSTS)).text, "button[name=density]");
    expect(form!.attributes.value).toBe("compact");
    const set = await own.submit("/user/profile", { density: "compact", next: HOSTS });
    expect([set.status, set.headers.get("location")]).toEqual([303, HOSTS]);
    const { text } = await own.get(HOSTS);
    expect(elements(text, "html")[0]!.attributes["data-density"]).toBe("compact");
    expect((await own.submit("/user/profile", { density: "none" })).status).toBe(422);
  });
});

describe("the rows of a list", () => {
  test("are selected one by one, all of the page, or all that match", async () => {
    for (let at = 0; at < 22; at += 1) await aHost({ name: `crate-${at}` });
    const own = await browser(dave);
    const { text } = await own.get(HOSTS);
    expect(elements(text, "thead input[data-all]")).toHaveLength(1);
    expect(texts(text, "#bulk label")).toEqual(["All 22 that match"]);
    const [filter] = elements(text, "#bulk input[name=filter]");
    const fields = { all: "true", filter: filter!.attributes.value! };
    const shown = await own.submit(`${HOSTS}/_gather`, fields);
    expect(elements(shown.text, "input[type=hidden][name=id]")).toHaveLength(22);
    const some = await own.submit(`${HOSTS}/_gather`, { all: "true", filter: "q=crate-1" });
    expect(elements(some.text, "input[type=hidden][name=id]").length).toBeLessThan(22);
  });
});

describe("the page of a list", () => {
  test.each([
    ["/network/hosts", "device_types"],
    ["/inventory/items", "manufacturers"],
  ])(
    "%s reads its settings and choices by one statement, its records by another",
    async (path, named) => {
      await aSite();
      const own = await browser(alice);
      const statementsFor = async (headers = {}) => {
        const spy = spyOn(database, "row");
        const { status } = await own.get(`${path}?sort=-id`, { headers });
        const texts = spy.mock.calls.map(([statement]) =>
          database.statementText(statement as never),
        );
        spy.mockRestore();
        expect(status).toBe(200);
        return texts.filter((text) => !text.includes("sessions"));
      };
      const [settings, ...others] = await statementsFor();
      expect([settings, others.length]).toEqual([expect.stringContaining(named), 1]);
      const [withoutChoices, ...records] = await statementsFor(HTMX);
      expect([withoutChoices, records.length]).toEqual([expect.not.stringContaining(named), 1]);
    },
  );
});

describe("the columns of a list", () => {
  test("are remembered for the user who chose them", async () => {
    await aHost({ name: "crate" });
    const own = await browser(carol);
    const fields = [
      ["list", HOSTS],
      ["query", "sort=-name"],
      ["cols", "fqdn"],
      ["cols", "no_such_column"],
    ];
    const chosen = await own.submit("/searches/columns", fields as any);
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, `${HOSTS}?sort=-name`]);
    const headings = async (one: typeof own, path = HOSTS) =>
      texts((await one.get(path)).text, "thead th");
    expect(await headings(own)).toEqual(["Name", "Full name"]);
    expect(await headings(own, `${HOSTS}?cols=ip`)).toEqual(["Name", "IPs"]);
    expect((await headings(await browser(bob))).length).toBeGreaterThan(4);
    await own.submit("/searches/columns", { list: HOSTS });
    expect((await headings(own)).length).toBeGreaterThan(4);
    expect((await own.submit("/searches/columns", { list: "/nowhere" })).status).toBe(422);
  });
});

describe("the views of a list", () => {
  test("can be saved for every list, as private or shared ones", async () => {
    const own = await browser(carol);
    for (const list of LISTS) {
      await own.submit("/searches", { list, name: "Mine", query: "q=a" });
      await own.submit("/searches", { list, name: "Ours", query: "q=b", shared: "true" });
      expect(texts((await own.get(list)).text, ".saved li > a"), list).toEqual(["Mine", "Ours"]);
      const others = await (await browser(dave)).get(list);
      expect(texts(others.text, ".saved li > a"), list).toEqual(["Ours"]);
      expect(elements(others.text, ".saved a")[0]!.attributes.title, list).toBe("Shared by carol");
      expect(elements(others.text, ".saved button"), list).toEqual([]);
    }
  });

  test("are deleted by their owner, and the shared ones by admins", async () => {
    const own = await browser(carol);
    await own.submit("/searches", { list: HOSTS, name: "Ours", query: "q=b", shared: "true" });
    const id = elements((await own.get(HOSTS)).text, ".saved button")[0]!.attributes.value!;
    expect((await (await browser(dave)).submit("/searches/delete", { id })).status).toBe(404);
    expect((await (await browser(alice)).submit("/searches/delete", { id })).status).toBe(303);
    expect(elements((await own.get(HOSTS)).text, ".saved")).toEqual([]);
  });
});

describe("GET /lists/export", () => {
  const at = (list: string, more = "") => `/lists/export?list=${list}${more}`;

  test("returns any list as a whole, as CSV or as an Excel file", async () => {
    await aSite();
    const own = await browser(carol);
    for (const list of LISTS) {
      const { status, text, headers } = await own.get(at(list));
      expect([list, status]).toEqual([list, 200]);
      expect(headers.get("content-disposition"), list).toMatch(/filename="[a-z-_]+-.*\.csv"/);
      const [titles, ...rows] = text.trim().split("\r\n");
      const { text: page } = await own.get(list);
      expect([list, rows.length]).toEqual([list, elements(page, "table.list tbody tr").length]);
      expect(titles!.split(",").length, list).toBeGreaterThan(1);
      const book = await own.get(at(list, "&format=xlsx"));
      expect([list, book.headers.get("content-type")?.includes("spreadsheetml")]).toEqual([
        list,
        true,
      ]);
    }
  });

  test("has the rows, the order and the columns of the list, and no formulas", async () => {
    for (const name of ["crate-1", "crate-2", "rack"]) {
      await aHost({ name, description: '=HYPERLINK("x")' });
    }
    const own = await browser(carol);
    const filter = "&name__contains=crate&sort=-name&cols=description&page=7";
    const { text, status } = await own.get(at(HOSTS, filter));
    expect(status).toBe(200);
    expect(text).toBe(
      'name,description\r\ncrate-2,"\'=HYPERLINK(""x"")"\r\ncrate-1,"\'=HYPERLINK(""x"")"\r\n',
    );
  });

  test("contains nothing that is hidden from the caller", async () => {
    await aHiddenHost();
    const lines = async (person: typeof carol) =>
      (await (await browser(person)).get(at(HOSTS))).text.trim().split("\r\n").length;
    expect([await lines(carol), await lines(alice)]).toEqual([1, 2]);
  });

  test("refuses unknown lists, and requests of other sites", async () => {
    const own = await browser(carol);
    expect((await own.get(at("/user/profile"))).status).toBe(422);
    expect((await own.get(at(HOSTS, "&no_such=1"))).status).toBe(422);
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await own.get(at(HOSTS), { headers })).status).toBe(403);
  });
});
