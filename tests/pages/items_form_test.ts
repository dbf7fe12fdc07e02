import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import {
  aHost,
  aLocation,
  alice,
  aManufacturer,
  anItem,
  api,
  aStatus,
  bob,
  carol,
} from "../support/mod.ts";

const CREATE = "/inventory/items/create";
const VIEW = "/inventory/items/view";

async function items(): Promise<any[]> {
  return (await api(alice).get("/inventory/items")).body;
}

describe("POST /inventory/items/create", () => {
  test("creates an item with all of its related records", async () => {
    await Promise.all([aManufacturer({ name: "Wiener" }), aLocation({ name: "Hall A" })]);
    await aHost({ name: "sw-1", device_type: "Network" });
    await anItem({ ics_id: "AAA001", location: "Hall A" });
    const own = await browser(bob);
    const { status, headers } = await own.submit(CREATE, {
      serial_number: " W-1 ",
      ics_id: "aaa002",
      quantity: "2",
      manufacturer: "wiener",
      model: "",
      location: "",
      status: "",
      parent: "aaa001",
      host: "SW-1",
      stack_member: "3",
      macs: "024242000001\n02-42-42-00-00-02",
      comment: "Fan is loud",
    });
    expect(status).toBe(303);
    expect(headers.get("location")).toBe(`${VIEW}/AAA002`);
    expect((await api(alice).get("/inventory/items/AAA002")).body).toMatchObject({
      serial_number: "W-1",
      quantity: 2,
      manufacturer: "Wiener",
      location: "Hall A",
      parent: "AAA001",
      host: "sw-1",
      stack_member: 3,
      macs: ["02:42:42:00:00:01", "02:42:42:00:00:02"],
      comments: ["Fan is loud"],
    });
    const { text } = await own.get(headers.get("location")!);
    expect(texts(text, "#toasts .toast p")).toEqual(["Added AAA002"]);
  });

  test("assigns a temporary id where there is no label yet", async () => {
    const { headers } = await (await browser(bob)).submit(CREATE, {
      serial_number: "S",
      quantity: "1",
    });
    expect(headers.get("location")).toBe(`${VIEW}/ZZA000`);
  });

  test("continues with another item of the same model, location and status", async () => {
    await Promise.all([aManufacturer({ name: "Wiener" }), aStatus({ name: "In stock" })]);
    const own = await browser(bob);
    const fields = {
      serial_number: "S-1",
      manufacturer: "Wiener",
      status: "In stock",
      again: "true",
    };
    const { headers } = await own.submit(CREATE, fields);
    expect(headers.get("location")).toBe(`${CREATE}?manufacturer=Wiener&status=In+stock`);
    const { text } = await own.get(headers.get("location")!);
    const shown = (name: string) =>
      elements(text, `form.item input[name=${name}]`)[0]!.attributes.value;
    expect(["manufacturer", "status", "serial_number", "quantity"].map(shown)).toEqual([
      "Wiener",
      "In stock",
      undefined,
      "1",
    ]);
  });

  test("shows a refused form filled in, with each error beside its field, and saves nothing", async () => {
    const own = await browser(bob);
    const wrong = { serial_number: "", ics_id: "A1", quantity: "0", parent: "x", comment: "Mine" };
    const { status, text } = await own.submit(CREATE, wrong);
    expect(status).toBe(422);
    const faulty = ["serial_number", "ics_id", "quantity", "parent"].map(
      (name) => `error-field-${name}`,
    );
    expect(elements(text, "p.error").map(({ attributes }) => attributes.id)).toEqual(faulty);
    expect(texts(text, "textarea[name=comment]")).toEqual(["Mine"]);
    for (const [fields, error] of [
      [{ parent: "AAA999" }, 'There is no parent "AAA999"'],
      [{ host: "nowhere" }, 'There is no host "nowhere"'],
      [{ ics_id: "ZZA001" }, "Ids that begin with ZZ are temporary and assigned automatically"],
      [{ macs: "024242000001 42" }, '"42" is not a MAC address such as 02:42:42:00:00:01'],
      [{ stack_member: "1" }, "Only a host of the device type Network has stack members"],
    ] as const) {
      const refused = await own.submit(CREATE, { serial_number: "S", ...fields });
      expect([refused.status, ...texts(refused.text, "p.error")]).toEqual([422, error]);
    }
    expect(await items()).toEqual([]);
    expect((await api(alice).get("/inventory/macs")).body).toEqual([]);
  });

  test("reports all errors at once, of the form and of its references", async () => {
    await anItem({ ics_id: "AAA001" });
    const { id: item_id } = await anItem({ ics_id: "AAA002" });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id });
    const own = await browser(bob);
    const named = {
      location: "Nowhere",
      parent: "AAA999",
      host: "nowhere",
      stack_member: "1",
      macs: "024242000001 42",
    };
    const errorsOf = async (fields: object) => {
      const { status, text } = await own.submit(CREATE, { ...named, ...fields });
      expect(status).toBe(422);
      return elements(text, "p.error")
        .map(({ attributes }) => attributes.id!.replace(/^error-(field-)?/, ""))
        .toSorted();
    };
    const always = ["host", "location", "macs", "parent"];
    expect(await errorsOf({ serial_number: "S", ics_id: "AAA001" })).toEqual(
      ["ics_id", ...always].toSorted(),
    );
    expect(await errorsOf({ serial_number: "", ics_id: "A1", quantity: "0" })).toEqual(
      ["ics_id", "quantity", "serial_number", ...always].toSorted(),
    );
    expect(await items()).toHaveLength(2);
  });

  test("offers to create missing attributes, and creates them with the item or not at all", async () => {
    const own = await browser(bob);
    const fields = {
      serial_number: "S-1",
      ics_id: "AAA001",
      manufacturer: "Wiener",
      location: "Hall A",
    };
    const asked = await own.submit(CREATE, fields);
    expect(asked.status).toBe(422);
    expect(texts(asked.text, "p.error")).toEqual([
      'There is no manufacturer "Wiener"',
      'There is no location "Hall A"',
    ]);
    expect(texts(asked.text, "label.create")).toEqual([
      'Create manufacturer "Wiener"',
      'Create location "Hall A"',
    ]);
    const half = await own.submit(CREATE, { ...fields, create: "manufacturer" });
    expect(half.status).toBe(422);
    expect(elements(half.text, "input[name=create][checked]")).toHaveLength(1);
    expect((await api(bob).get("/inventory/manufacturers")).body).toEqual([]);
    const both = [...Object.entries(fields), ["create", "manufacturer"], ["create", "location"]];
    expect((await own.submit(CREATE, both as any)).status).toBe(303);
    const [made] = (await api(bob).get("/inventory/manufacturers")).body;
    expect(made.qrcode.length).toBeGreaterThan(100);
    expect(await items()).toMatchObject([{ manufacturer: "Wiener", location: "Hall A" }]);
  });

  test("warns of a serial number that exists already, and accepts it", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "S-1" });
    const own = await browser(bob);
    const live = await own.get(`${CREATE}?serial_number=S-1`, { headers: HTMX });
    expect(texts(live.text, "#twins a")).toEqual(["AAA001"]);
    expect(live.text).toStartWith('<div id="twins"');
    const none = await own.get(`${CREATE}?serial_number=S-2`, { headers: HTMX });
    expect(texts(none.text, "#twins a")).toEqual([]);
    expect((await own.submit(CREATE, { serial_number: "S-1" })).status).toBe(303);
  });

  test("assigns a free MAC address and leaves that of another item where it is", async () => {
    const other = await anItem({ ics_id: "AAA001" });
    await api(bob).post("/inventory/macs", { address: "02:42:42:00:00:01" });
    await api(bob).post("/inventory/macs", { address: "02:42:42:00:00:02", item_id: other.id });
    const own = await browser(bob);
    const taken = await own.submit(CREATE, { serial_number: "S", macs: "024242000002" });
    expect(texts(taken.text, "p.error")).toEqual(["02:42:42:00:00:02 is on the item AAA001"]);
    await own.submit(CREATE, { serial_number: "S", ics_id: "AAA002", macs: "024242000001" });
    const { body } = await api(bob).get("/inventory/items/AAA002");
    expect(body.macs).toEqual(["02:42:42:00:00:01"]);
  });

  test("refuses a hidden host like an unknown one", async () => {
    await aHiddenHost();
    const own = await browser(bob);
    expect((await own.get(CREATE)).text).not.toContain("canary");
    const named = await own.submit(CREATE, { serial_number: "S", host: "canary" });
    expect(texts(named.text, "p.error")).toEqual(['There is no host "canary"']);
  });

  test("is allowed for editors only", async () => {
    const own = await browser(carol);
    expect((await own.get(CREATE)).status).toBe(403);
    expect((await own.submit(CREATE, { serial_number: "S" })).status).toBe(403);
  });
});

describe("GET /inventory/_retrieve_host_names", () => {
  const PATH = "/inventory/_retrieve_host_names";

  test("finds hosts by a part of their name, those that begin with it first", async () => {
    for (const name of ["core-sw-1", "sw-2", "sw-1", "vm-1"]) await aHost({ name });
    const own = await browser(bob);
    const namesFor = async (q: string) =>
      (await own.get(`${PATH}?q=${encodeURIComponent(q)}`)).body.data.map(({ name }: any) => name);
    expect(await namesFor("SW")).toEqual(["sw-1", "sw-2", "core-sw-1"]);
    expect(await namesFor("")).toHaveLength(4);
    expect(await namesFor("%_\\")).toEqual([]);
    expect(await namesFor("\0")).toEqual([]);
  });

  test("returns no hidden host", async () => {
    await aHiddenHost();
    expect((await (await browser(bob)).get(`${PATH}?q=can`)).body).toEqual({ data: [] });
    const seen = await (await browser(alice)).get(`${PATH}?q=can`);
    expect(seen.body).toEqual({ data: [{ name: "canary" }] });
  });
});

describe("GET /inventory/_retrieve_free_stack_members/(host_id)", () => {
  const PATH = "/inventory/_retrieve_free_stack_members";
  const JSON_ = { headers: { accept: "*/*" } };

  test("returns the free members, and the item's own", async () => {
    const { id: host_id } = await aHost({ name: "sw-1", device_type: "Network" });
    for (const stack_member of [0, 1, 5]) await anItem({ host_id, stack_member });
    await anItem({ ics_id: "AAA001", host_id, stack_member: 2 });
    const own = await browser(carol);
    expect((await own.get(`${PATH}/${host_id}`, JSON_)).body).toEqual({
      data: { stack_members: [3, 4, 6, 7, 8, 9], selected_member: null, disabled: false },
    });
    expect((await own.get(`${PATH}/${host_id}?ics_id=AAA001`, JSON_)).body).toEqual({
      data: { stack_members: [2, 3, 4, 6, 7, 8, 9], selected_member: 2, disabled: false },
    });
    const options = await own.get(`${PATH}/${host_id}?ics_id=AAA001`, { headers: HTMX });
    expect(texts(options.text, "option")).toHaveLength(7);
    expect(elements(options.text, "option[selected]")[0]!.attributes.value).toBe("2");
  });

  test("returns none for other device types and for hidden hosts", async () => {
    const { id: server } = await aHost();
    const own = await browser(bob);
    expect((await own.get(`${PATH}/${server}`, JSON_)).body).toEqual({
      data: { stack_members: [], selected_member: null, disabled: true },
    });
    const hidden = await aHiddenHost();
    for (const id of [hidden, 999_999, "x", "99999999999"]) {
      expect((await own.get(`${PATH}/${id}`, JSON_)).status).toBe(404);
    }
    expect((await (await browser(alice)).get(`${PATH}/${hidden}`, JSON_)).status).toBe(200);
  });
});
