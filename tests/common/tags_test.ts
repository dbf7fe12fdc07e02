// Tags: short texts on records of every kind.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import {
  aHost,
  aLocation,
  alice,
  aModel,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  bob,
  carol,
  dave,
  namesOf,
  service,
} from "../support/mod.ts";

const admin = api(alice);
const makers = {
  "/inventory/items": anItem,
  "/inventory/locations": aLocation,
  "/inventory/models": aModel,
  "/network/hosts": aHost,
  "/network/interfaces": anInterface,
  "/network/networks": aNetwork,
  "/network/scopes": aScope,
};

describe("tags", () => {
  test.each(Object.entries(makers))(
    "of %s are kept, found, changed and undone",
    async (path, make) => {
      const made = await make({ tags: [" Beam", "RF", "beam"] });
      expect(made.tags).toEqual(["beam", "rf"]);
      await make();
      for (const query of [
        "tags=beam",
        "tags=BEAM",
        "tags=x&tags=rf",
        "tags__isnull=false",
        "q=tags:beam",
        "q=tags:be*",
      ]) {
        const { body } = await admin.get(`${path}?${query}`);
        expect([query, body.map(({ id }: { id: number }) => id)]).toEqual([query, [made.id]]);
      }
      for (const query of ["tags__ne=beam", "tags__isnull=true"]) {
        const { body } = await admin.get(`${path}?${query}`);
        expect(body.map(({ id }: { id: number }) => id)).not.toContain(made.id);
      }
      const changed = await admin.patch(`${path}/${made.id}`, { tags: ["cold"] });
      expect(changed.body.tags).toEqual(["cold"]);
      const change = changed.headers.get("change-set");
      expect((await admin.post(`/changes/${change}/undo`, {})).status).toBe(201);
      expect((await admin.get(`${path}/${made.id}`)).body.tags).toEqual(["beam", "rf"]);
    },
  );

  test("are refused by their place in the list", async () => {
    for (const [tags, field] of [
      [["a,b"], "tags.0"],
      [["ok", "x".repeat(31)], "tags.1"],
      [Array.from({ length: 21 }, (_, at) => `t${at}`), "tags"],
      [[""], "tags.0"],
      ["beam", "tags"],
    ] as const) {
      const { status, body } = await admin.post("/inventory/locations", { name: "Hall", tags });
      expect([status, body.errors.map((one: { field: string }) => one.field)]).toEqual([
        422,
        [field],
      ]);
    }
  });

  test("are imported from cells, and stay with a blank one", async () => {
    const headers = { "content-type": "text/csv" };
    const send = (rows: string) => admin.post("/inventory/items/import", rows, { headers });
    expect((await send('ics_id,serial_number,tags\nAAA001,S,"Beam; rf"\n')).status).toBe(200);
    expect((await admin.get("/inventory/items/AAA001")).body.tags).toEqual(["beam", "rf"]);
    expect((await send("ics_id,tags\nAAA001,\n")).status).toBe(200);
    expect((await admin.get("/inventory/items/AAA001")).body.tags).toEqual(["beam", "rf"]);
  });

  test("make groups by query, and are in the variables of no one else", async () => {
    await aHost({ name: "one", tags: ["beam"] });
    await aHost({ name: "two" });
    const { status } = await admin.post("/network/groups", {
      ...{ name: "beam", type: "query", query: "tags:beam" },
    });
    expect(status).toBe(201);
    const { body } = await admin.get("/network/groups?name=beam");
    expect(body[0].hosts).toEqual(["one"]);
  });
});

describe("a bulk change", () => {
  test.each([
    ["/network/hosts", aHost, "/lists/change"],
    ["/inventory/items", anItem, "/inventory/items/_bulk"],
  ] as const)("of %s adds and removes tags", async (path, make, address) => {
    const own = [await make({ tags: ["old", "rf"] }), await make({ tags: ["rf", "new"] })];
    const as = await browser(alice);
    const fields: Array<[string, string]> = [
      ["list", path],
      ...own.map(({ id }) => ["id", String(id)] as [string, string]),
      ["tags__add", "New"],
      ["tags__remove", "OLD"],
    ];
    const preview = await as.submit(address, [...fields, ["step", "preview"]] as never);
    const [seen] = elements(preview.text, "input[name=seen]");
    const mark: [string, string] = ["seen", seen?.attributes.value ?? ""];
    expect((await as.submit(address, [...fields, mark, ["step", "apply"]] as never)).status).toBe(
      303,
    );
    const { body } = await admin.get(`${path}?sort=id`);
    expect(body.map(({ tags }: { tags: string[] }) => tags)).toEqual([
      ["new", "rf"],
      ["new", "rf"],
    ]);
  });
});

describe("the page of tags", () => {
  test("counts what its reader sees", async () => {
    await aHiddenHost();
    const { sql } = await service();
    await sql`update hosts set tags = '{secret,beam}' where name = 'canary'`;
    await aHost({ name: "seen", tags: ["beam"] });
    await anItem({ tags: ["beam"] });
    const page = async (person: typeof alice) => (await (await browser(person)).get("/tags")).text;
    expect(await page(dave)).not.toContain("secret");
    expect(texts(await page(dave), "tbody td")[0]).toBe("beam");
    expect(await page(alice)).toContain("secret");
    const names = await (await browser(dave)).get("/_names/tags?q=E");
    expect(namesOf(names.body.data)).toEqual(["beam"]);
  });

  test("renames and merges in one change, by admins alone", async () => {
    await aHost({ name: "one", tags: ["beam", "bean"] });
    await anItem({ ics_id: "AAA001", tags: ["bean"] });
    const form = { tag: "bean", to: "Beam" };
    expect((await (await browser(bob)).submit("/tags/rename", form)).status).toBe(403);
    expect((await (await browser(carol)).submit("/tags/rename", form)).status).toBe(403);
    const as = await browser(alice);
    expect((await as.submit("/tags/rename", form)).status).toBe(303);
    expect((await admin.get("/network/hosts")).body[0].tags).toEqual(["beam"]);
    expect((await admin.get("/inventory/items/AAA001")).body.tags).toEqual(["beam"]);
    const [{ id }] = (await admin.get("/changes?per_page=1")).body;
    expect((await admin.post(`/changes/${id}/undo`, {})).status).toBe(201);
    expect((await admin.get("/inventory/items/AAA001")).body.tags).toEqual(["bean"]);
    const wrong = await as.submit("/tags/rename", { tag: "bean", to: "a,b" });
    expect([wrong.status, wrong.text.includes("without a comma")]).toEqual([422, true]);
  });
});
