// The documents as pages, what is found in them, and what each "?" explains.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { documents } from "../../src/help/documents.ts";
import { findHelp } from "../../src/help/find.ts";
import { PLACES, passageOf } from "../../src/help/topics.ts";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, aNetwork, carol, dave, stranger } from "../support/mod.ts";

const FOR_DEVELOPERS = ["styles"];
const NAMES = documents().map(({ name }) => name);

describe("the documents", () => {
  test("are all in the index, except those for developers", async () => {
    const files = readdirSync(join(import.meta.dir, "../../docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => name.replace(".md", ""));
    const { text } = await (await browser(carol)).get("/help");
    const linked = elements(text, ".card a").map(({ attributes }) =>
      attributes.href?.replace("/help/", ""),
    );
    expect(linked.toSorted()).toEqual(
      files.filter((name) => !FOR_DEVELOPERS.includes(name)).toSorted(),
    );
  });

  test("are read only by those who are logged in", async () => {
    const { status, headers } = await (await browser(stranger)).get("/help/glossary");
    expect([status, headers.get("location")]).toEqual([303, "/user/login?next=%2Fhelp%2Fglossary"]);
  });

  test.each(NAMES)("%s has links that lead to a place that exists", async (name) => {
    const visitor = await browser(carol);
    const { text, status } = await visitor.get(`/help/${name}`);
    expect(status).toBe(200);
    for (const { attributes } of elements(text, ".reference a")) {
      const { href = "" } = attributes;
      const [path = "", id] = href.split("#");
      if (/^https?:/.test(path)) continue;
      const target = path === "" ? text : (await visitor.get(path)).text;
      expect(path === "" || path.startsWith("/help/"), href).toBe(true);
      if (id) expect(elements(target, `[id="${id}"]`), href).toHaveLength(1);
    }
  });
});

describe("the search of the help", () => {
  test.each([
    ["sensitive network", "/help/glossary#sensitive-network"],
    ["SCOPE", "/help/glossary#scope"],
    ["break-glass", "/help/glossary#break-glass-account"],
    ["proven backups", "/help/operating#proven-backups"],
    ["webhook retries", "/help/events#webhooks"],
  ])("for %s finds %s first", async (text, path) => {
    const { text: html } = await (await browser(carol)).get(`/help?q=${encodeURIComponent(text)}`);
    expect(elements(html, ".document h2 a")[0]?.attributes.href).toBe(path);
  });

  test("shows the words where they stand", async () => {
    const { text } = await (await browser(carol)).get("/help?q=OnRootMismatch");
    expect(texts(text, ".document p")).toEqual([
      '1 passage about "OnRootMismatch"',
      expect.stringContaining("OnRootMismatch"),
    ]);
  });

  test("says when there is nothing, and finds only what has all words", async () => {
    const { text } = await (await browser(carol)).get("/help?q=scope+xyzzy");
    expect(texts(text, ".document p")).toEqual(['Nothing about "scope xyzzy". Try fewer words.']);
  });

  test("returns at most four, the same each time, and none for no words", () => {
    expect(findHelp("network")).toHaveLength(4);
    expect(findHelp("network")).toEqual(findHelp("network"));
    expect(findHelp(" (*) ")).toEqual([]);
  });

  test("does not read on in a long text", () => {
    expect(findHelp(`scope ${"x ".repeat(1_000_000)}`)).toEqual(
      findHelp(`scope ${"x ".repeat(97)}`),
    );
  });
});

describe("a ?", () => {
  test.each(Object.entries(PLACES))("about %s leads to a passage", (_, [document, id]) => {
    expect(passageOf(document, id)?.nodes.length).toBeGreaterThan(0);
  });

  test("is on every page of admins", async () => {
    const admin = await browser(alice);
    const { text } = await admin.get("/admin");
    const paths = elements(text, ".overview h2 a").map(({ attributes }) => attributes.href!);
    expect(paths).toContain("/admin/users");
    for (const path of ["/admin", ...paths.filter((one) => one !== "/network/device_types")]) {
      expect(elements((await admin.get(path)).text, ".head a.ask"), path).toHaveLength(1);
    }
  });

  test("explains the words of a form", async () => {
    await aNetwork({ vlan_name: "Bench" });
    const { text } = await (await browser(alice)).get("/network/networks/edit/Bench");
    const asked = elements(text, "main a.ask").map(({ attributes }) => attributes.href);
    expect(asked).toContain("/help/glossary#admin-only-network");
    expect(asked).toContain("/help/glossary#sensitive-network");
  });

  test("explains the head of a column", async () => {
    await aNetwork({ vlan_name: "Bench" });
    const { text } = await (await browser(dave)).get("/network/networks?cols=vlan_name&cols=scope");
    expect(elements(text, "th a.ask")[0]?.attributes.href).toBe("/help/glossary#scope");
  });

  test("opens the passage in place, with a way to the whole document", async () => {
    const visitor = await browser(carol);
    const { text } = await visitor.get("/help/glossary?section=scope", { headers: HTMX });
    expect(texts(text, "h2")).toEqual(["Scope"]);
    expect(elements(text, "a.button")[0]?.attributes.href).toBe("/help/glossary#scope");
    expect(text).not.toContain("<html");
  });

  test.each(["/help/nothing", "/help/glossary?section=nothing", "/help/styles"])(
    "%s does not exist",
    async (path) => {
      const { status } = await (await browser(carol)).get(path, { headers: HTMX });
      expect(status).toBe(404);
    },
  );
});

describe("an empty list", () => {
  test.each([
    ["/network/networks", "/network/networks/create", alice],
    ["/inventory/items", "/inventory/items/create", alice],
    ["/admin/webhooks", "/admin/webhooks/create", alice],
    ["/admin/triggers", "/admin/triggers/create/awx", alice],
    ["/admin/tokens", "/user/profile", alice],
    ["/inventory/attributes/location", "#new-name", alice],
  ])("%s leads to %s", async (path, first, person) => {
    const { text } = await (await browser(person)).get(path);
    expect(elements(text, ".empty a").map(({ attributes }) => attributes.href)).toContain(first);
  });

  test.each([
    ["/network/networks", "Admins add them"],
    ["/inventory/items", "Users in the group inventory and admins add them"],
    ["/inventory/attributes/location", "Users in the group inventory and admins add them"],
    ["/network/hosts", "Users in the group network and admins add them"],
  ])("%s says to those who only read: %s", async (path, sentence) => {
    const { text } = await (await browser(carol)).get(path);
    expect(texts(text, ".empty p")).toContain(sentence);
  });
});
