// The documents as pages, what is found in them, and what each "?" explains.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { documents } from "../../src/help/documents.ts";
import { findHelp } from "../../src/help/find.ts";
import { PLACES, passageOf } from "../../src/help/topics.ts";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, aNetwork, bob, carol, dave, type Person, stranger } from "../support/mod.ts";

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
    expect(linked.filter((path) => !path?.includes("#")).toSorted()).toEqual(
      files.filter((name) => !FOR_DEVELOPERS.includes(name)).toSorted(),
    );
  });

  test("begin with the how-tos, by whom they are for, each with a few steps", async () => {
    const visitor = await browser(carol);
    const { text } = await visitor.get("/help");
    expect(texts(text, ".card h2").slice(0, 4)).toEqual([
      "For everyone",
      "For technicians",
      "For network people",
      "For administrators",
    ]);
    const [first] = elements(text, ".card a");
    expect(first?.attributes.href).toBe("/help/guide#find-something");
    const guide = documents().find(({ name }) => name === "guide")!;
    for (const { title, level, nodes } of guide.sections.filter((one) => one.level === 3)) {
      const steps = nodes.flatMap((one) =>
        typeof one === "string" ? [] : (one.props.children ?? []),
      );
      expect([title, level, steps.length > 0 && steps.length <= 6]).toEqual([title, 3, true]);
    }
  });

  test("lead into the product, but to no other site", async () => {
    const { text } = await (await browser(carol)).get("/help/guide");
    const hrefs = elements(text, ".document a").map(({ attributes }) => attributes.href!);
    expect(hrefs).toContain("/inventory/scanner");
    expect(hrefs.filter((href) => !/^[/#](?!\/)/.test(href))).toEqual([]);
  });

  test("have no words of the code", async () => {
    const { status, text } = await (await browser(carol)).get("/help/glossary");
    expect(status).toBe(200);
    expect(text).toContain("sensitive network");
    for (const word of ["In the code", "key set", "in code"]) expect(text).not.toContain(word);
  });

  test("are read only by those who are logged in", async () => {
    const { status, headers } = await (await browser(stranger)).get("/help/glossary");
    expect([status, headers.get("location")]).toEqual([303, "/user/login?next=%2Fhelp%2Fglossary"]);
  });

  test.each(NAMES)("%s has links that lead to a place that exists", async (name) => {
    const visitor = await browser(alice);
    const { text, status } = await visitor.get(`/help/${name}`);
    expect(status).toBe(200);
    for (const { attributes } of elements(text, ".reference a")) {
      const { href = "" } = attributes;
      const [path = "", id] = href.split("#");
      if (/^https?:/.test(path)) continue;
      const { status: found, text: target } =
        path === "" ? { status, text } : await visitor.get(path);
      expect(found, href).toBe(200);
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
    ["my labels", "/help/guide#attach-a-label-to-an-item"],
    ["how do i restore a backup", "/help/guide#make-a-backup-and-restore-it"],
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

  test("says when there is nothing", async () => {
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

  test.each(["/network/domains", "/inventory/attributes/status", "/inventory/scanner"])(
    "is beside the title of %s",
    async (path) => {
      const { text } = await (await browser(carol)).get(path);
      expect(elements(text, ".head a.ask")).toHaveLength(1);
    },
  );

  test("is on every page of admins", async () => {
    const admin = await browser(alice);
    const { text } = await admin.get("/admin");
    const paths = elements(text, ".overview h2 a").map(({ attributes }) => attributes.href!);
    expect(paths).toContain("/admin/users");
    for (const path of ["/admin", ...paths]) {
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

describe("a part of a page without records", () => {
  test("says what comes there: files of a record, to those who may add them", async () => {
    await aNetwork({ vlan_name: "Bench" });
    const said = async (by: Person) =>
      texts(
        (await (await browser(by)).get("/network/networks/view/Bench")).text,
        "#files > p.muted",
      );
    expect(await said(alice)).toEqual([
      "No files yet, such as a photo, a certificate or a drawing",
    ]);
    expect(await said(carol)).toEqual([]);
  });

  test("leads from a user without tokens to the accounts of programs", async () => {
    const { text } = await (await browser(alice)).get("/admin/users/view/bob");
    expect(elements(text, "section p.muted a").map(({ attributes }) => attributes.href)).toContain(
      "/admin/service-accounts",
    );
  });
});

describe("an empty list", () => {
  test.each([
    ["/network/networks", "/network/networks/create", alice],
    ["/inventory/items", "/inventory/items/create", alice],
    ["/admin/webhooks", "/admin/webhooks/create", alice],
    ["/admin/triggers", "/admin/triggers/create/awx", alice],
    ["/admin/tokens", "/user/profile", alice],
    ["/inventory/attributes/location", "#new-name", alice],
    ["/network/domains", "/network/domains/create", alice],
    ["/network/scopes", "/network/scopes/create", alice],
    ["/admin/jobs", "/inventory/items", alice],
    ["/changes", "/", bob],
    ["/inventory/items/labels", "/inventory/items", carol],
  ])("%s leads to %s", async (path, first, person) => {
    const { text } = await (await browser(person)).get(path);
    expect(elements(text, ".empty a").map(({ attributes }) => attributes.href)).toContain(first);
  });

  test.each([
    ["/network/networks", "Admins add them"],
    ["/inventory/items", "Users in the group inventory and admins add them"],
    ["/inventory/attributes/location", "Users in the group inventory and admins add them"],
    ["/network/hosts", "Users in the group network and admins add them"],
    ["/network/domains", "Admins add them"],
  ])("%s says to those who only read: %s", async (path, sentence) => {
    const { text } = await (await browser(carol)).get(path);
    expect(texts(text, ".empty p").join("\n")).toContain(sentence);
  });
});
