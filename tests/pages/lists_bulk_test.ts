import { describe, expect, test } from "bun:test";
import { browser, undoIn } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { changes } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import { aHost, aLocation, alice, anItem, api, aStatus, bob, carol, dave } from "../support/mod.ts";
import { aProtectedHost } from "../support/protected.ts";
import { undoing } from "../support/undo.ts";

const CHANGE = "/lists/change";
const DELETE = "/lists/delete";
const LOCATIONS = "/inventory/attributes/location";

type Pairs = Array<[string, string]>;

/** Form fields, some of them repeated. */
function pairs(...given: Pairs): Record<string, string> {
  return given as any;
}

function seenIn(html: string): string {
  return elements(html, "input[name=seen]")[0]!.attributes.value!;
}

async function threeLocations() {
  await aLocation({ name: "Building A" });
  const [one, two] = [await aLocation({ name: "Hall 1" }), await aLocation({ name: "Hall 2" })];
  return { one: String(one.id), two: String(two.id) };
}

async function parents() {
  const { body } = await api(carol).get("/inventory/locations?sort=name");
  return body.map(({ parent }: { parent: string | null }) => parent);
}

describe("a list whose records are selected", () => {
  test("has checkboxes and buttons for those who may change it", async () => {
    await threeLocations();
    const buttons = async (path: string, by: typeof alice) =>
      texts((await (await browser(by)).get(path)).text, "#bulk button");
    expect(await buttons(LOCATIONS, alice)).toEqual(["Change selected", "Delete unused"]);
    expect(await buttons(LOCATIONS, bob)).toEqual(["Change selected"]);
    expect(await buttons(LOCATIONS, carol)).toEqual([]);
    expect(await buttons("/network/device_types", alice)).toEqual(["Delete unused"]);
  });

  test("is previewed, then changed as one change set, which undo reverts", async () => {
    const { one, two } = await threeLocations();
    const own = await browser(bob);
    const chosen: Pairs = [
      ["list", LOCATIONS],
      ["filter", "sort=name&page=2"],
      ["id", one],
      ["id", two],
    ];
    const asked = await own.submit(CHANGE, pairs(...chosen));
    expect(texts(asked.text, ".lead")[0]).toBe(
      "2 locations selected. Blank fields are not changed.",
    );
    expect(elements(asked.text, "[name=name]")).toEqual([]);
    const values: Pairs = [
      ["parent", "building a"],
      ["description", ""],
    ];
    const before = (await changes()).length;
    const shown = await own.submit(CHANGE, pairs(...chosen, ...values, ["step", "preview"]));
    expect(texts(shown.text, ".preview li")).toEqual(["2 locations to change"]);
    expect(texts(shown.text, ".preview td[data-label=Parent]")).toEqual(
      Array(2).fill("Building A"),
    );
    expect(await changes()).toHaveLength(before);
    const applied: Pairs = [...chosen, ...values, ["step", "apply"], ["seen", seenIn(shown.text)]];
    const done = await own.submit(CHANGE, pairs(...applied));
    expect(done.status).toBe(303);
    expect(done.headers.get("location")).toBe(`${LOCATIONS}?sort=name&page=2`);
    const set = undoIn(done);
    expect(await parents()).toEqual([null, "Building A", "Building A"]);
    expect((await changes()).map(({ change_set }) => change_set).slice(-2)).toEqual([set, set]);
    expect((await undoing(set)).status).toBe(201);
    expect(await parents()).toEqual([null, null, null]);
  });

  test("is not changed with other values than those of the preview", async () => {
    const { one } = await threeLocations();
    const own = await browser(bob);
    const chosen: Pairs = [
      ["list", LOCATIONS],
      ["id", one],
      ["step", "apply"],
      ["seen", "x"],
    ];
    const { status, text } = await own.submit(CHANGE, pairs(...chosen, ["description", "New"]));
    expect([status, texts(text, ".note[role=alert]").length]).toEqual([422, 1]);
    expect((await api(bob).get(`/inventory/locations/${one}`)).body.description).toBeNull();
  });

  test("names the record that breaks a rule, and changes none", async () => {
    const { one, two } = await threeLocations();
    const own = await browser(bob);
    const chosen: Pairs = [
      ["list", LOCATIONS],
      ["id", one],
      ["id", two],
      ["step", "preview"],
    ];
    const { status, text } = await own.submit(CHANGE, pairs(...chosen, ["parent", "Hall 2"]));
    expect(status).toBe(422);
    expect(texts(text, "#error-field-parent")[0]).toStartWith(
      "Hall 2: A location cannot be inside",
    );
    const unknown = await own.submit(CHANGE, pairs(...chosen, ["parent", "Nowhere"]));
    expect(texts(unknown.text, "#error-field-parent")[0]).not.toContain("Hall");
    const blank = await own.submit(CHANGE, pairs(...chosen));
    expect([blank.status, texts(blank.text, "main [role=alert]")]).toEqual([
      422,
      ["Fill in at least one field"],
    ]);
  });

  test("is changed as a whole by its filter", async () => {
    for (const name of ["Spare 1", "Spare 2", "Lost"]) await aStatus({ name });
    const own = await browser(bob);
    const list = "/inventory/attributes/status";
    const chosen: Pairs = [
      ["list", list],
      ["all", "true"],
      ["filter", "q=Spare&page=2&sort=-name"],
    ];
    const shown = await own.submit(
      CHANGE,
      pairs(...chosen, ["colour", "teal"], ["step", "preview"]),
    );
    const ids = elements(shown.text, "input[name=id]").map(({ attributes }) => attributes.value!);
    expect(ids).toHaveLength(2);
    expect(texts(shown.text, "#field-colour option")[0]).toBe("No change");
    const given = ids.map((id): [string, string] => ["id", id]);
    const seen: Pairs = [
      ["step", "apply"],
      ["seen", seenIn(shown.text)],
      ["colour", "teal"],
    ];
    expect((await own.submit(CHANGE, pairs(["list", list], ...given, ...seen))).status).toBe(303);
    const { body } = await api(carol).get("/inventory/statuses?sort=name");
    expect(body.map(({ colour }: { colour: string }) => colour)).toEqual([null, "teal", "teal"]);
  });

  test("keeps the records that are in use and deletes the others", async () => {
    const { one, two } = await threeLocations();
    await anItem({ location: "Hall 1" });
    const own = await browser(alice);
    const chosen: Pairs = [
      ["list", LOCATIONS],
      ["id", one],
      ["id", two],
    ];
    const shown = await own.submit(DELETE, pairs(...chosen));
    expect(texts(shown.text, ".preview li")).toEqual([
      "1 location to delete: Hall 2",
      "Hall 1: This location is in use by 1 item",
    ]);
    expect(await parents()).toHaveLength(3);
    const applied: Pairs = [...chosen, ["step", "apply"], ["seen", seenIn(shown.text)]];
    expect((await own.submit(DELETE, pairs(...applied))).status).toBe(303);
    expect(await parents()).toHaveLength(2);
    expect((await (await browser(bob)).submit(DELETE, pairs(...chosen))).status).toBe(403);
  });

  test("changes hosts that the caller sees, and discloses no others", async () => {
    const hidden = await aHiddenHost();
    const hosts = [await aHost({ name: "ws-01" }), await aHost({ name: "ws-02" })];
    const ids = [hidden, ...hosts.map(({ id }) => id)].map((id): [string, string] => [
      "id",
      `${id}`,
    ]);
    const chosen: Pairs = [["list", "/network/hosts"], ...ids];
    const values: Pairs = [
      ["device_type", "vme"],
      ["is_ioc", "true"],
      ["description", ""],
    ];
    const own = await browser(dave);
    const shown = await own.submit(CHANGE, pairs(...chosen, ...values, ["step", "preview"]));
    expect(shown.text).not.toContain("canary");
    expect(texts(shown.text, ".lead")[0]).toStartWith("2 hosts selected");
    expect(texts(shown.text, ".preview li")).toEqual(["2 hosts to change"]);
    const applied: Pairs = [...chosen, ...values, ["step", "apply"], ["seen", seenIn(shown.text)]];
    expect((await own.submit(CHANGE, pairs(...applied))).status).toBe(303);
    const { body } = await api(alice).get("/network/hosts?sort=name");
    expect(body.map((one: any) => [one.name, one.is_ioc])).toEqual([
      ["canary", false],
      ["ws-01", true],
      ["ws-02", true],
    ]);
    expect((await (await browser(bob)).submit(CHANGE, pairs(...chosen))).status).toBe(403);
  });

  test("keeps hosts unchanged that only admins may change", async () => {
    const { core } = await aProtectedHost("admin_only");
    const chosen: Pairs = [
      ["list", "/network/hosts"],
      ["id", String(core)],
      ["description", "x"],
    ];
    const shown = await (await browser(alice)).submit(
      CHANGE,
      pairs(...chosen, ["step", "preview"]),
    );
    expect(texts(shown.text, ".preview li")).toEqual(["1 host to change"]);
    const own = await browser(dave);
    const seen: Pairs = [
      ["step", "apply"],
      ["seen", seenIn(shown.text)],
    ];
    expect((await own.submit(CHANGE, pairs(...chosen, ...seen))).status).toBe(403);
    expect((await api(alice).get(`/network/hosts/${core}`)).body.description).not.toBe("x");
  });

  test("is refused for lists without bulk changes", async () => {
    const own = await browser(alice);
    for (const list of ["/inventory/items", "/network/domains", "/nowhere", ""]) {
      expect((await own.submit(CHANGE, pairs(["list", list], ["id", "1"]))).status).toBe(422);
    }
    expect((await own.submit(DELETE, pairs(["list", "/network/hosts"]))).status).toBe(422);
    expect((await own.submit(CHANGE, pairs(["list", LOCATIONS]))).status).toBe(422);
  });
});
