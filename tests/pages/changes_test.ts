import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { consoleCaller } from "../../src/auth/auth.ts";
import { write } from "../../src/store/write.ts";
import { browser, HTMX } from "../support/browser.ts";
import { aPng } from "../support/files.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import { imports } from "../support/imports.ts";
import {
  aGroup,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anItem,
  api,
  audrey,
  bob,
  carol,
  cast,
  dave,
  type Person,
  tokenOf,
  visit,
} from "../support/mod.ts";
import { latest, undoLatest } from "../support/undo.ts";

setDefaultTimeout(60_000);

async function pageOf(query = "", by: Person = carol) {
  return (await browser(by)).get(`/changes${query}`);
}

async function sentences(query = "", by: Person = carol): Promise<string[]> {
  const { text } = await pageOf(query, by);
  return texts(text.replace(/<(ul|li)\b/g, " <$1"), "table.log td.what");
}

/** A change of many records by the machine. */
function halls(count: number): Promise<unknown> {
  return write(consoleCaller, (tx) =>
    tx.execute(`insert into locations (name, qrcode)
      select 'Hall ' || number, '' from generate_series(1, ${count}) number`),
  );
}

describe("/changes", () => {
  test("says in words what each change did, with links to its records", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    await anItem({ ics_id: "AAA001", location: "Hall B" });
    await aNetwork({ vlan_name: "Office" });
    await aHost({ name: "web", network: "Office", items: ["AAA001"] });
    await api(alice).delete(`/network/hosts/${await hostId("web")}`);
    await undoLatest(alice);
    const [undoing, gone, host, ...others] = await sentences();
    expect(undoing).toMatch(
      /^Undid an earlier change: Added host web, interface web; changed item AAA001$/,
    );
    expect(gone).toBe("Deleted host web, interface web; changed item AAA001 Undone");
    expect(host).toBe("Added host web, interface web; changed item AAA001");
    expect(others.at(-2)).toBe("Changed location Hall B Name Hall A → Hall B");
    expect(others.at(-1)).toBe("Added location Hall A");
    const { text } = await pageOf();
    const links = elements(text, "td.what a").map(({ attributes }) => attributes.href);
    expect(links).toContain("/network/hosts/view/web");
    expect(links).toContain("/inventory/items/view/AAA001");
    expect(texts(text, "table.log td.who")).toContain("bob");
    const times = elements(text, "table.log time").map(({ attributes }) => attributes);
    expect(times[0]!.datetime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    expect(times[0]!.title).toEndWith(" UTC");
  });

  test("names the record of a file, except on its own page, and never a hidden one", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const headers = {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="plate.png"',
    };
    const files = `/inventory/items/${id}/files`;
    const { body: file } = await api(bob).post(files, aPng(), { headers });
    await api(bob).patch(`${files}/${file.id}`, { caption: "Left" });
    expect(await sentences()).toContain("Added file plate.png to item AAA001");
    expect(await sentences()).toContain("Changed file plate.png of item AAA001 Caption Left");
    const own = await browser(carol);
    const change = await own.get(`/changes/${await latest()}`);
    expect(texts(change.text, ".timeline > li")[0]).toContain(
      "changed file plate.png of item AAA001",
    );
    expect(elements(change.text, ".timeline a").map((one) => one.attributes.href)).toContain(
      "/inventory/items/view/AAA001",
    );
    const item = await own.get("/inventory/items/view/AAA001");
    expect(texts(item.text, ".timeline > li")[0]).not.toContain("of item");
    const canary = await aHiddenHost();
    await api(alice).post(`/network/hosts/${canary}/files`, aPng(2), { headers });
    expect((await pageOf("", audrey)).text).toContain("canary");
    expect((await pageOf()).text).not.toContain("canary");
  });

  test("names the changed fields of a host with its interface", async () => {
    const { vlan_name } = await aNetwork();
    const { id } = await aHost({ name: "web-01", network: vlan_name });
    await api(alice).patch(`/network/hosts/${id}`, { name: "web-02" });
    expect((await sentences())[0]).toBe("Changed host web-02, interface web-02: Name");
  });

  test("shows a change of 5,000 records as one row, and its records in pages", async () => {
    await halls(5_000);
    const { text } = await pageOf();
    expect(texts(text, "table.log td.what")).toEqual(["Added 5,000 locations"]);
    expect(text.length).toBeLessThan(40_000);
    const path = elements(text, "td.what a")[0]!.attributes.href!;
    const own = await browser(carol);
    const first = await own.get(path);
    expect(texts(first.text, "ol.timeline > li")).toHaveLength(50);
    expect(texts(first.text, "nav.pages span")).toEqual(["Page 1 of 100"]);
    const last = await own.get(`${path}?page=100`);
    expect(texts(last.text, "ol.timeline > li").at(-1)).toStartWith("added location Hall 5000");
    for (const page of ["101", "0", "-1", "x", "1e9", "99999999999999999999"]) {
      expect([page, (await own.get(`${path}?page=${page}`)).status]).toEqual([page, 404]);
    }
  });

  test("has links from page to page, which keep the filters", async () => {
    for (let at = 1; at <= 52; at += 1) await aLocation({ name: `Hall ${at}` });
    const own = await browser(carol);
    const { text } = await own.get("/changes?kind=locations");
    expect(texts(text, ".tally [role=status]")[0]).toBe("The latest 50 changes");
    const next = elements(text, "nav.pages a[rel=next]")[0]!.attributes.href!;
    expect(next).toMatch(/^\/changes\?kind=locations&before=\w{26}$/);
    const rest = await own.get(next);
    expect(texts(rest.text, "table.log tbody tr")).toHaveLength(2);
    expect(elements(rest.text, "nav.pages a[rel=next]")).toEqual([]);
    const first = elements(rest.text, "nav.pages a")[0]!.attributes.href;
    expect(first).toBe("/changes?kind=locations");
  });

  test("returns only the list to htmx, and the URL of the page", async () => {
    await aLocation({ name: "Hall" });
    const own = await browser(carol);
    const { text, headers } = await own.get("/changes?user=alice&q=hall", { headers: HTMX });
    expect(text).toStartWith('<div id="list"');
    expect(headers.get("hx-push-url")).toBe("/changes?user=alice&q=hall");
    expect(texts(text, "table.log tbody tr")).toHaveLength(1);
  });

  test("keeps a query, a scope and a group of the address in the form", async () => {
    await aLocation({ name: "Hall" });
    await aLocation({ name: "Attic" });
    const own = await browser(carol);
    const { text } = await own.get("/changes?kind=locations&query=name:hall");
    expect(texts(text, "table.log tbody tr")).toHaveLength(1);
    const [input] = elements(text, "#filters input[name=query]");
    expect(input!.attributes.value).toBe("name:hall");
    const wrong = await own.get("/changes?query=name:(&scope=Lab");
    expect([wrong.status, texts(wrong.text, ".note.bad")[0]]).toEqual([
      422,
      expect.stringContaining("Query: "),
    ]);
  });

  test("shows the chosen filters, their errors, and that nothing matches", async () => {
    await aLocation({ name: "Hall" });
    const { text } = await pageOf("?user=bob&kind=items&record=AAA001&from=2026-01-01&q=x");
    expect(texts(text, ".empty p")).toEqual(["No changes match"]);
    const chosen = elements(text, "form.filters option[selected]").map(
      ({ attributes }) => attributes.value,
    );
    expect(chosen).toEqual(["bob", "items"]);
    const values = elements(text, "form.filters input").map(({ attributes }) => attributes.value);
    expect(values).toEqual(["x", "AAA001", "2026-01-01", ""]);
    for (const query of ["?from=soon", "?kind=users", "?before=x", "?q=a&q=b", "?user=%00"]) {
      const { status, text } = await pageOf(query);
      expect([query, status, texts(text, "[role=alert].note").length]).toEqual([query, 422, 1]);
    }
    const odd = await pageOf("?q=<script>&user=<em>&selected=1&cols=x&sort=y");
    expect([odd.status, odd.text.includes("<em>")]).toEqual([200, false]);
  });

  test("is linked from the home page, and from the pages of changes", async () => {
    const { id } = await aLocation({ name: "Hall" });
    const own = await browser(carol);
    for (const path of ["/", `/changes/${await latest()}`, `/changes/locations/${id}`]) {
      const { text } = await own.get(path);
      expect([path, elements(text, 'main a[href="/changes"], .crumbs a[href="/changes"]')]).toEqual(
        [path, expect.arrayContaining([expect.anything()])],
      );
    }
  });

  test("counts one record in the singular", async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({
      serial_number: `S${at}`,
      ...(at === 59 && { comments: ["Dented"] }),
    }));
    expect((await imports(bob, rows)).status).toBe(200);
    expect((await sentences("", bob))[0]).toBe("Added 60 items, 1 comment");
  });

  test("discloses no hidden record", async () => {
    const id = await aHiddenHost();
    await aLocation({ name: "Hall" });
    await api(alice).patch(`/network/hosts/${id}`, { description: "secret" });
    await aGroup({ name: "Mixed", hosts: ["canary"] });
    for (const by of [bob, carol, dave]) {
      expect(await sentences("", by)).toEqual(["Added group Mixed", "Added location Hall"]);
      expect((await csv("", by)).text).not.toMatch(/canary|secret/);
    }
    expect((await sentences("", audrey))[0]).toBe("Added group Mixed, a member of group Mixed");
    expect((await csv("", audrey)).text).toContain("secret");
  });
});

describe("Undo in the list", () => {
  test("is offered where the page of the change offers it, to each kind of user", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "Hall B" });
    const item = await anItem({ ics_id: "AAA001" });
    await api(bob).post(`/inventory/items/${item.id}/comments`, { body: "Dented" });
    await aNetwork({ vlan_name: "Open" });
    await aNetwork({ vlan_name: "Closed", admin_only: true });
    await aHost({ name: "kept", network: "Closed" });
    await aHost({ name: "web", network: "Open", items: ["AAA001"] });
    await api(dave).post("/network/hosts", {
      ...{ name: "mine", device_type: "VME", network: "Open" },
    });
    await api(dave).post("/network/groups", { name: "Servers", hosts: ["web"] });
    await api(alice).post("/network/groups", { name: "all" });
    await undoLatest(alice);
    await aHiddenHost();
    for (const person of cast) {
      const own = await browser(person);
      const { text } = await own.get("/changes");
      const listed = elements(text, "table.log a.open").map(({ attributes }) => attributes.href!);
      const offered = elements(text, "table.log form").map(({ attributes }) => attributes.action!);
      const expected: string[] = [];
      for (const path of listed) {
        const page = await own.get(path);
        if (elements(page.text, "header.head button").length > 0) expected.push(path);
      }
      expect([person.username, offered]).toEqual([person.username, expected]);
    }
  });

  test("undoes the change, and returns to the list", async () => {
    await api(bob).post("/inventory/locations", { name: "Hall" });
    const own = await browser(bob);
    const { text } = await own.get("/changes?user=bob");
    const path = elements(text, "table.log form")[0]!.attributes.action!;
    const next = elements(text, "table.log form input")[0]!.attributes.value!;
    expect(next).toBe("/changes?user=bob");
    const { status, headers } = await own.submit(path, { next });
    expect([status, headers.get("location")]).toEqual([303, next]);
    expect((await api(carol).get("/inventory/locations")).body).toEqual([]);
  });
});

async function csv(query = "", by: Person = carol) {
  return (await browser(by)).get(`/changes/export.csv${query}`);
}

describe("/changes/export.csv", () => {
  test("has a line for each field, and no cell that a spreadsheet takes for a formula", async () => {
    const { id } = await aLocation({ name: '=HYPERLINK("x")', description: "@a, +b" });
    await api(bob).patch(`/inventory/locations/${id}`, { name: "-1", description: "@a, +b" });
    const { text, headers } = await csv();
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toMatch(
      /^attachment; filename="changes-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const lines = text.replace("\uFEFF", "").split("\r\n");
    expect(lines.shift()).toBe("change,time (UTC),user,action,kind,id,record,field,old,new");
    expect(lines.map((line) => line.replace(/^\w{26},[^,]+,/, ""))).toEqual([
      `bob,update,locations,${id},'-1,name,"'=HYPERLINK(""x"")",'-1`,
      `alice,insert,locations,${id},"'=HYPERLINK(""x"")",name,,"'=HYPERLINK(""x"")"`,
      `alice,insert,locations,${id},"'=HYPERLINK(""x"")",description,,"'@a, +b"`,
      "",
    ]);
  });

  test("has all of a large change, and only what the filters match", async () => {
    await halls(1_200);
    await aLocation({ name: "Other" });
    const { text } = await csv("?user=system");
    const names = text.split("\r\n").slice(1, -1);
    expect(names).toHaveLength(1_200);
    expect(names.at(-1)).toEndWith(",Hall 1200,name,,Hall 1200");
    expect((await csv("?kind=items")).text.trim().split("\r\n")).toHaveLength(1);
  });

  test("accepts a token, and refuses wrong filters", async () => {
    const headers = { authorization: `Bearer ${await tokenOf(carol)}` };
    expect((await visit("/changes/export.csv", { headers })).status).toBe(200);
    expect((await visit("/changes/export.csv?kind=users", { headers })).status).toBe(422);
  });
});

async function hostId(name: string): Promise<number> {
  const [{ id }] = (await api(alice).get(`/network/hosts?name=${name}`)).body;
  return id;
}
