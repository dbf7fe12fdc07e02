import { describe, expect, test } from "bun:test";
import { browser, correctionsOn, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aLocation,
  alice,
  aManufacturer,
  anItem,
  api,
  aSiteField,
  aStatus,
  bob,
  carol,
  fieldsOf,
  inOrder,
  type Person,
} from "../support/mod.ts";

const LIST = "/inventory/items";

async function idsOn(own: Awaited<ReturnType<typeof browser>>, path: string): Promise<string[]> {
  return texts((await own.get(path)).text, "td a.open");
}

describe("GET /inventory/items", () => {
  test("lists exact labels and serial numbers first, and suggests similar names", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "X-rack-7" });
    await anItem({ ics_id: "AAA002", serial_number: "rack" });
    await anItem({ ics_id: "AAA003", serial_number: "rack-7" });
    const own = await browser(carol);
    const at = (q: string) => `${LIST}?q=${encodeURIComponent(q)}`;
    expect(texts((await own.get(at("rack"))).text, "td a.open")).toEqual([
      "AAA002",
      "AAA003",
      "AAA001",
    ]);
    const offered = async (q: string) => texts((await own.get(at(q))).text, ".empty p a");
    expect(await correctionsOn(own, at("rakc-7"))).toContain("Did you mean rack-7?");
    expect(await offered("AAA001, AAA003")).toEqual(["any of these words"]);
    expect(texts((await own.get(at("rack, 7"))).text, "td a.open")).toEqual(["AAA003", "AAA001"]);
    const { text } = await own.get(at("Serial:rack"));
    expect(texts(text, "#list .hint a")).toEqual(["serial:rack"]);
    expect(texts((await own.get(at("colour:red"))).text, "#list .hint")).toEqual([
      "There is no field colour here",
    ]);
    await aSiteField({ key: "price", label: "Price", type: "number", visible_to: ["inventory"] });
    const hints = async (by: Person) =>
      texts((await (await browser(by)).get(at("site.price:>2"))).text, "#list .hint");
    expect(await hints(bob)).toEqual([]);
    expect(await hints(carol)).toEqual(["There is no field site.price here"]);
  });

  test("a place begins a word, and is no part of another label", async () => {
    await Promise.all([aLocation({ name: "Rack A08" }), aLocation({ name: "Hall A" })]);
    await anItem({ ics_id: "AAA080", serial_number: "klystron 1", location: "Hall A" });
    await anItem({ ics_id: "AAA001", serial_number: "klystron 2", location: "Rack A08" });
    const own = await browser(carol);
    for (const q of ["a08", "klystron rack A08", "rack a08"]) {
      const { text } = await own.get(`${LIST}?q=${encodeURIComponent(q)}`);
      expect([q, texts(text, "td a.open")]).toEqual([q, ["AAA001"]]);
    }
  });

  test("shows the fields, location and parent of each item", async () => {
    await Promise.all([aManufacturer({ name: "Wiener" }), aLocation({ name: "Hall A" })]);
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A" });
    const crate = await anItem({
      ics_id: "AAA002",
      serial_number: "W-1",
      manufacturer: "Wiener",
      parent_id: rack.id,
    });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id: crate.id });
    const { text } = await (await browser(carol)).get(`${LIST}?serial_number=W-1`);
    const shown = ["AAA002", "W-1", "Wiener", "Hall A", "AAA001", "02:42:42:00:00:01", "alice"];
    const cells = texts(text, "tbody td").filter((one) => one !== "" && !one.includes("-11-"));
    expect(cells.filter((one) => !/^(just now|\d+ minutes? ago)$/.test(one))).toEqual(shown);
    expect(elements(text, "td a.open")[0]!.attributes.href).toStartWith(`${LIST}/view/AAA002?`);
  });

  test("filters by its fields, and shows every other filter of the API as a chip", async () => {
    await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
    await anItem({ ics_id: "AAA001", location: "Hall A", quantity: 3 });
    await anItem({ ics_id: "AAA002", location: "Hall B" });
    await anItem({ ics_id: "AAA003", location: "Hall A" });
    const own = await browser(carol);
    const { text } = await own.get(`${LIST}?location=hall a&quantity__gte=2&q=`);
    expect(texts(text, "td a.open")).toEqual(["AAA001"]);
    expect(elements(text, "#filters input[name=location]")[0]!.attributes.value).toBe("hall a");
    expect(texts(text, "ul.chips:not(.narrow) b")).toEqual(["2"]);
    // Narrow screens fold the field, and show a chip for it.
    expect(texts(text, "ul.chips.narrow b")).toEqual(["hall a"]);
    expect(texts(text, ".fold summary")).toEqual(["Filters 2"]);
    const kept = elements(text, "#list input[form=filters]").map(({ attributes }) => attributes);
    expect(kept.map(({ name, value }) => [name, value])).toEqual([["quantity__gte", "2"]]);
    const both = await own.get(`${LIST}?location=Hall A&location=Hall B`);
    expect(texts(both.text, "td a.open")).toHaveLength(3);
    expect(texts(both.text, "ul.chips b")).toEqual(["Hall A or Hall B"]);
  });

  test("finds parts of words as they are typed, and whatever a query matches", async () => {
    await aLocation({ name: "Rack 12 (old)" });
    await anItem({ ics_id: "AAA001", location: "Rack 12 (old)", serial_number: "SN-1/A" });
    await anItem({ ics_id: "AAA002", serial_number: "Rack 7" });
    const own = await browser(carol);
    const found = (text: string) => idsOn(own, `${LIST}?sort=ics_id&q=${encodeURIComponent(text)}`);
    for (const text of ["ra", "rack", "rack "]) {
      expect([text, await found(text)]).toEqual([text, ["AAA001", "AAA002"]]);
    }
    for (const text of [
      "rack 1",
      "n-1/",
      "location:rack*",
      "NOT serial:rack*",
      "(old",
      "12 (old)",
    ]) {
      expect([text, await found(text)]).toEqual([text, ["AAA001"]]);
    }
    expect(await found("serial:(rack* OR sn*)")).toEqual(["AAA001", "AAA002"]);
    const { status, text } = await own.get(`${LIST}?q=serial:(rack`);
    expect([status, texts(text, "#filters input[name=q]")]).toEqual([200, [""]]);
    expect(texts(text, ".empty p")).toEqual([
      "No matching items",
      "Not a valid query, so searched as plain text: A closing ) is missing. Close the bracket, or put it in quotation marks to look for it",
    ]);
  });

  test("shows the URL of the same list in the API", async () => {
    const { text } = await (await browser(carol)).get(`${LIST}?q=rack`);
    expect(text).toContain("/api/v1/inventory/items?q=%2B*rack*");
  });

  test("keeps sorting, columns and pages in its URL", async () => {
    await inOrder(["AAA001", "AAA002", "AAA003"].map((ics_id) => () => anItem({ ics_id })));
    const own = await browser(carol);
    expect(await idsOn(own, `${LIST}?sort=-ics_id&per_page=2`)).toEqual(["AAA003", "AAA002"]);
    expect(await idsOn(own, `${LIST}?sort=-ics_id&per_page=2&page=2`)).toEqual(["AAA001"]);
    const { text } = await own.get(`${LIST}?cols=status`);
    expect(texts(text, "thead th")).toEqual(["Label", "Status"]);
    expect((await own.get(`${LIST}?sort=macs`)).status).toBe(422);
  });

  test("offers to register and to change many to those who may", async () => {
    await anItem();
    const seen = async (person: typeof bob) => (await (await browser(person)).get(LIST)).text;
    expect(elements(await seen(bob), "td input[form=bulk], a[href$='/create']")).toHaveLength(2);
    expect(elements(await seen(carol), "input[form=bulk], form.bulk, a[href$='/create']")).toEqual(
      [],
    );
  });

  test("is rendered for its caller, whoever requested it before", async () => {
    await anItem({ ics_id: "AAA001" });
    const [editor, reader] = [await browser(bob), await browser(carol)];
    const looks = async (own: typeof editor, path: string) => {
      const { text } = await own.get(path);
      const nonces = new Set(Array.from(text.matchAll(/nonce="([^"]*)"/g), ([, nonce]) => nonce));
      expect(nonces.size).toBe(1);
      return { columns: texts(text, "th"), nonce: [...nonces][0] };
    };
    const first = await looks(editor, LIST);
    const second = await looks(reader, LIST);
    expect(first.columns).toEqual(["Select", ...second.columns]);
    const again = await looks(editor, LIST);
    expect(again.columns).toEqual(first.columns);
    expect(new Set([first.nonce, second.nonce, again.nonce]).size).toBe(3);
    const few = await looks(editor, `${LIST}?cols=model`);
    expect(few.columns).toEqual(["Select", "Label", "Model"]);
  });

  test("links to the same list as a file and as labels", async () => {
    await anItem();
    const { text } = await (await browser(carol)).get(`${LIST}?sort=-ics_id&quantity=1&cols=host`);
    expect(elements(text, ".ways a").map(({ attributes }) => attributes.href)).toEqual([
      `${LIST}/labels?sort=-ics_id&quantity=1`,
      "/lists/export?list=%2Finventory%2Fitems&format=csv&sort=-ics_id&quantity=1&cols=host",
      `${LIST}/_generate_excel_file?sort=-ics_id&quantity=1&cols=host`,
    ]);
  });

  test("shows its URL without the filters that were left empty", async () => {
    await anItem();
    const own = await browser(carol);
    const { text, headers } = await own.get(`${LIST}?q=&status=&sort=ics_id`, { headers: HTMX });
    expect(text).toStartWith('<div id="list"');
    expect(headers.get("hx-push-url")).toBe(`${LIST}?sort=ics_id`);
  });

  test("shows how to read the same list over the API", async () => {
    const { text } = await (await browser(carol)).get(`${LIST}?status=In use&cols=status`);
    expect(texts(text, ".api code")[0]).toEndWith(
      '/api/v1/inventory/items?status=In+use&amp;sort=ics_id"',
    );
  });

  test("escapes markup in its rows, filters and suggestions", async () => {
    const name = `<hx-a hx-get=/x>"&amp;<script>{ics_id}`;
    const escaped = `&lt;hx-a hx-get=/x>"&amp;amp;&lt;script>{ics_id}`;
    await aLocation({ name });
    await anItem({ ics_id: "AAA001", location: name, serial_number: name });
    const { text } = await (await browser(bob)).get(`${LIST}?location=${encodeURIComponent(name)}`);
    expect(elements(text, "main script, hx-a")).toEqual([]);
    expect(texts(text, "td[data-label^=Serial]")).toEqual([escaped]);
    const suggested = elements(text, "#filter-location-names option");
    expect(suggested.map(({ attributes }) => attributes.value)).toEqual([name]);
    expect(elements(text, "#filter-location")[0]!.attributes.value).toBe(name);
  });

  test("suggests new names immediately", async () => {
    const own = await browser(carol);
    const suggested = async () =>
      elements((await own.get(LIST)).text, "#filter-location-names option").map(
        ({ attributes }) => attributes.value,
      );
    await aLocation({ name: "Hall A" });
    expect(await suggested()).toEqual(["Hall A"]);
    await aLocation({ name: "Hall B" });
    expect(await suggested()).toEqual(["Hall A", "Hall B"]);
  });
});

describe("POST /inventory/_retrieve_items", () => {
  const PATH = "/inventory/_retrieve_items";

  test("returns the format of DataTables, searched, sorted and counted", async () => {
    await aStatus({ name: "Used" });
    await inOrder(
      ["AAA001", "AAA002", "AAB001"].map((ics_id) => () => anItem({ ics_id, status: "Used" })),
    );
    const own = await browser(carol);
    const { status, body } = await own.submit(
      PATH,
      {
        draw: "7",
        start: "1",
        length: "1",
        "search[value]": "AAA",
        "order[0][column]": "0",
        "order[0][dir]": "desc",
      },
      { headers: { accept: "*/*" } },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ draw: 7, recordsTotal: 3, recordsFiltered: 2 });
    expect(body.data).toMatchObject([{ ics_id: "AAA001", status: "Used", macs: [] }]);
    const usual = await own.submit(`${PATH}?ics_id=AAB001`, {}, { headers: { accept: "*/*" } });
    expect(usual.body).toMatchObject({ draw: 0, recordsTotal: 3, recordsFiltered: 1 });
  });

  test("starts at any row", async () => {
    const ids = ["AAA001", "AAA002", "AAA003", "AAA004", "AAA005", "AAA006", "AAA007"];
    await inOrder(ids.map((ics_id) => () => anItem({ ics_id })));
    const own = await browser(carol);
    const from = async (start: number) => {
      const fields = { start: String(start), length: "3" };
      const { body } = await own.submit(PATH, fields, { headers: { accept: "*/*" } });
      expect(body.recordsFiltered).toBe(7);
      return body.data.map(({ ics_id }: { ics_id: string }) => ics_id);
    };
    for (const start of [0, 1, 2, 3, 5, 6, 7, 8]) {
      expect(await from(start)).toEqual(ids.slice(start, start + 3));
    }
  });

  test("refuses an invalid request, with all errors at once", async () => {
    const own = await browser(carol);
    const ask = async (fields: Record<string, string>) => {
      const { status, body } = await own.submit(PATH, fields, { headers: { accept: "*/*" } });
      return [status, fieldsOf(body)];
    };
    const wrong = { draw: "x", length: "-1", "order[0][column]": "99", "order[0][dir]": "up" };
    expect(await ask(wrong)).toEqual([
      422,
      ["draw", "length", "order[0][dir]", "order[0][column]"],
    ]);
    expect(await ask({ length: "101" })).toEqual([422, ["length"]]);
    expect(await ask({ start: "-1" })).toEqual([422, ["start"]]);
    expect(await ask({ "order[0][column]": "macs" })).toEqual([422, ["order[0][column]"]]);
  });

  test("returns the list itself to htmx", async () => {
    await anItem({ ics_id: "AAA001" });
    const { text } = await (await browser(alice)).submit(PATH, {}, { headers: HTMX });
    expect(text).toStartWith('<div id="list"');
    expect(texts(text, "td a.open")).toEqual(["AAA001"]);
  });
});
