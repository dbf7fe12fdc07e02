import { describe, expect, test } from "bun:test";
import { browser, undoIn } from "../support/browser.ts";
import { changes } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import {
  aLocation,
  alice,
  aModel,
  anItem,
  api,
  aStatus,
  bob,
  carol,
  inOrder,
} from "../support/mod.ts";

const BULK = "/inventory/items/_bulk";

type Pairs = Array<[string, string]>;

/** Form fields, some of them repeated. */
function pairs(...given: Pairs): Record<string, string> {
  return given as any;
}

async function twoRacks() {
  await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
  const [one, two] = await inOrder(
    ["AAA001", "AAA002"].map((ics_id) => () => anItem({ ics_id, location: "Hall A" })),
  );
  await anItem({ ics_id: "AAA003", parent_id: one.id });
  return [String(one.id), String(two.id)] as const;
}

/** The hidden field with the state of the preview. */
function seenIn(html: string): string {
  return elements(html, "input[name=seen]")[0]!.attributes.value!;
}

async function locations(): Promise<string[]> {
  const { body } = await api(alice).get("/inventory/items?sort=ics_id");
  return body.map(({ location }: { location: string }) => location);
}

test("a move to another place says what leaves its parent and what moves along, with a choice", async () => {
  await aLocation({ name: "Hall A" });
  await aLocation({ name: "Hall B" });
  const rack = await anItem({ ics_id: "AAA000", location: "Hall A" });
  const crate = await anItem({ ics_id: "AAA001", parent_id: rack.id });
  await anItem({ ics_id: "AAA002", parent_id: crate.id });
  await anItem({ ics_id: "AAA003", parent_id: crate.id });
  const own = await browser(bob);
  const move = async (fields: object, location = "Hall B") =>
    own.submit("/inventory/items/_bulk", { id: String(crate.id), location, ...fields });
  const { text } = await move({ step: "preview" });
  expect(texts(text, "form .note.warn li")).toEqual([
    "AAA001 leaves AAA000, and 2 items inside move along",
  ]);
  expect(texts(text, ".preview > ul li")).toEqual([
    "1 item with new values",
    "2 items inside them changed too",
  ]);
  const seen = elements(text, "input[name=seen]")[0]?.attributes.value ?? "";
  expect((await move({ step: "apply", seen, leave_parent: "false" })).status).toBe(303);
  const parent = async () => (await api(carol).get("/inventory/items/AAA001")).body.parent;
  expect(await parent()).toBe("AAA000");
  await move({ step: "apply", seen: await seenOf("Hall A"), leave_parent: "true" }, "Hall A");
  expect(await parent()).toBe("AAA000");
  await move({ step: "apply", seen: await seenOf("Hall B"), leave_parent: "true" });
  expect(await parent()).toBe(null);

  async function seenOf(location: string) {
    const again = await move({ step: "preview" }, location);
    return elements(again.text, "input[name=seen]")[0]?.attributes.value ?? "";
  }
});

describe("POST /inventory/items/_bulk", () => {
  test("asks what to change, then previews the changes, and changes nothing yet", async () => {
    const [one, two] = await twoRacks();
    const own = await browser(bob);
    const asked = await own.submit(BULK, pairs(["id", one], ["id", two]));
    expect(texts(asked.text, ".head .lead")[0]).toStartWith("2 items selected");
    expect(elements(asked.text, "input[type=hidden][name=id]")).toHaveLength(2);
    const before = (await changes()).length;
    const shown = await own.submit(
      BULK,
      pairs(["id", one], ["id", two], ["location", "hall b"], ["step", "preview"]),
    );
    expect(shown.status).toBe(200);
    expect(texts(shown.text, ".preview li")).toEqual([
      "2 items with new values",
      "1 item inside them changed too",
    ]);
    expect(texts(shown.text, ".preview td[data-label=Location]")).toEqual(
      Array(3).fill("Hall A → Hall B"),
    );
    expect(await locations()).toEqual(["Hall A", "Hall A", "Hall A"]);
    expect(await changes()).toHaveLength(before);
  });

  test("clears a place where that is said, of the contents too", async () => {
    const [one, two] = await twoRacks();
    const own = await browser(bob);
    const wanted: Pairs = [
      ["id", one],
      ["id", two],
      ["clear", "location"],
    ];
    const both = pairs(...wanted, ["location", "Hall B"], ["step", "preview"]);
    const refused = await own.submit(BULK, both);
    expect([refused.status, texts(refused.text, "p.error")]).toEqual([
      422,
      ["Enter a value or clear it, not both"],
    ]);
    const shown = await own.submit(BULK, pairs(...wanted, ["step", "preview"]));
    const applied: Pairs = [...wanted, ["seen", seenIn(shown.text)], ["step", "apply"]];
    expect((await own.submit(BULK, pairs(...applied))).status).toBe(303);
    expect(await locations()).toEqual([null, null, null] as any);
  });

  test("changes them and their contents, as one change set", async () => {
    await aStatus({ name: "Used" });
    const [one, two] = await twoRacks();
    await api(bob).patch(`/inventory/items/${two}`, { location: "Hall B", status: "Used" });
    const own = await browser(bob);
    const wanted: Pairs = [
      ...([
        ["id", one],
        ["id", two],
      ] as Pairs),
      ...([
        ["location", "Hall B"],
        ["status", "Used"],
        ["comment", "Moved"],
      ] as Pairs),
      ["filter", "location=Hall A&sort=-ics_id&page=2"],
    ];
    const seen = seenIn((await own.submit(BULK, pairs(...wanted, ["step", "preview"]))).text);
    const before = (await changes()).length;
    const { status, headers } = await own.submit(
      BULK,
      pairs(...wanted, ["seen", seen], ["step", "apply"]),
    );
    expect(status).toBe(303);
    const done = (await changes()).slice(before);
    expect(new Set(done.map(({ change_set }) => change_set)).size).toBe(1);
    expect(headers.get("location")).toBe("/inventory/items?location=Hall+A&sort=-ics_id&page=2");
    expect(undoIn({ headers })).toBe(done[0]!.change_set);
    // The second one is unchanged except for the comment.
    expect(done.map(({ table_name }) => table_name).sort()).toEqual([
      "comments",
      "comments",
      "items",
      "items",
    ]);
    expect(await locations()).toEqual(["Hall B", "Hall B", "Hall B"]);
    const { body } = await api(bob).get("/inventory/items?sort=ics_id");
    expect(body.map(({ comments }: any) => comments)).toEqual([["Moved"], ["Moved"], []]);
  });

  test("offers every field that many items may have in common, and changes only those that differ", async () => {
    await Promise.all([aModel({ name: "Old" }), aModel({ name: "New" })]);
    const all = await inOrder(
      ["Old", "Old", "New"].map((model) => () => anItem({ model, quantity: 2 })),
    );
    const own = await browser(bob);
    const ids = all.map(({ id }): [string, string] => ["id", String(id)]);
    const asked = await own.submit(BULK, pairs(...ids));
    const labels = texts(asked.text, "form.sheet .field > label:not(.blank)");
    expect(labels).toEqual(["Location", "Status", "Manufacturer", "Model", "Quantity", "Comment"]);
    const wanted: Pairs = [...ids, ["model", "new"], ["quantity", ""], ["manufacturer", ""]];
    const shown = await own.submit(BULK, pairs(...wanted, ["step", "preview"]));
    expect(texts(shown.text, ".preview li")).toEqual([
      "2 items with new values",
      "1 item already with these values",
    ]);
    expect(texts(shown.text, ".preview td[data-label=Model]")).toEqual(["Old → New", "Old → New"]);
    const before = (await changes()).length;
    const applied: Pairs = [...wanted, ["seen", seenIn(shown.text)], ["step", "apply"]];
    expect((await own.submit(BULK, pairs(...applied))).status).toBe(303);
    expect((await changes()).slice(before).map(({ table_name }) => table_name)).toEqual([
      "items",
      "items",
    ]);
    const { body } = await api(alice).get("/inventory/items");
    expect(body.map((one: any) => [one.model, one.quantity])).toEqual(Array(3).fill(["New", 2]));
  });

  test("writes an item once, whatever is changed, and shows its contents beside it", async () => {
    const [one] = await twoRacks();
    const own = await browser(bob);
    const fields = { id: one, location: "Hall B", quantity: "3" };
    const shown = await own.submit(BULK, { ...fields, step: "preview" });
    expect(texts(shown.text, ".preview td[data-label=Quantity]")).toEqual(["1 → 3", "1"]);
    const before = (await changes()).length;
    const seen = seenIn(shown.text);
    expect((await own.submit(BULK, { ...fields, seen, step: "apply" })).status).toBe(303);
    expect((await changes()).slice(before)).toHaveLength(2);
    const { body } = await api(alice).get("/inventory/items?sort=ics_id");
    const states = body.map((item: any) => [item.location, item.quantity]);
    expect(states).toEqual([
      ["Hall B", 3],
      ["Hall A", 1],
      ["Hall B", 1],
    ]);
  });

  test("changes all matches of a filter, and shows the preview again when they differ by now", async () => {
    await twoRacks();
    const own = await browser(bob);
    const all = { all: "true", filter: "location=Hall A&page=2&sort=-ics_id" };
    const fields = { ...all, location: "Hall B" };
    const shown = await own.submit(BULK, { ...fields, step: "preview" });
    const seen = seenIn(shown.text);
    expect(elements(shown.text, "input[name=id]")).toEqual([]);
    await anItem({ ics_id: "AAA004", location: "Hall A" });
    const other = await own.submit(BULK, { ...fields, seen, step: "apply" });
    expect(other.status).toBe(422);
    expect(texts(other.text, ".note.warn")[0]).toStartWith(
      "The items or values have changed since the preview",
    );
    expect(await locations()).toEqual(Array(4).fill("Hall A"));
    const now = seenIn(other.text);
    expect((await own.submit(BULK, { ...fields, seen: now, step: "apply" })).status).toBe(303);
    expect(await locations()).toEqual(Array(4).fill("Hall B"));
  });

  test("applies nothing that was not previewed", async () => {
    const [id] = await twoRacks();
    await aStatus({ name: "Used" });
    const own = await browser(bob);
    const fields = { id, location: "Hall B" };
    const seen = seenIn((await own.submit(BULK, { ...fields, step: "preview" })).text);
    const other = await own.submit(BULK, { ...fields, status: "Used", seen, step: "apply" });
    expect(other.status).toBe(422);
    expect((await own.submit(BULK, { ...fields, step: "apply" })).status).toBe(422);
    expect(await locations()).toEqual(Array(3).fill("Hall A"));
  });

  test("prints the labels of the selected items", async () => {
    const [one, two] = await twoRacks();
    const own = await browser(bob);
    const { headers } = await own.submit(BULK, pairs(["id", one], ["id", two], ["labels", "true"]));
    expect((await own.get(headers.get("location")!)).text).toContain("AAA002");
  });

  test("refuses unknown items, and an empty change", async () => {
    const [id] = await twoRacks();
    const own = await browser(bob);
    const wrong = await own.submit(BULK, {
      id,
      location: "Nowhere",
      comment: "Mine",
      step: "preview",
    });
    expect(wrong.status).toBe(422);
    expect(texts(wrong.text, "p.error")).toEqual(['There is no location "Nowhere"']);
    expect(texts(wrong.text, "textarea")).toEqual(["Mine"]);
    const nothing = await own.submit(BULK, { id, location: "", status: "", comment: "" });
    expect(texts(nothing.text, "p.error")).toEqual(["Fill in at least one field"]);
    for (const fields of [{}, { id: "x" }, { all: "true", filter: "colour=red" }]) {
      expect((await own.submit(BULK, fields as any)).status).toBe(422);
    }
    expect((await (await browser(carol)).submit(BULK, { id })).status).toBe(403);
    expect(await locations()).toEqual(["Hall A", "Hall A", "Hall A"]);
  });
});
