// Rules for all pages.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aLocation,
  alice,
  anItem,
  aStatus,
  carol,
  inOrder,
  stranger,
  visit,
} from "../support/mod.ts";

const PAGES = [
  "/",
  "/?q=hall",
  "/user/profile",
  "/inventory/attributes/action",
  "/inventory/attributes/location",
  "/inventory/attributes/location?selected=1",
  "/inventory/attributes/manufacturer",
  "/inventory/attributes/favorites",
  "/api/docs",
  "/nowhere",
];

/** How the help writes keys. */
const NAMES: Record<string, string> = { " ": "Space", Escape: "Esc" };

describe("every page", () => {
  test("is well formed: one h1, a title, unique ids, a label for every field, a header for every table", async () => {
    await aLocation({ name: "Hall A" });
    await aStatus();
    const own = await browser(alice);
    for (const path of PAGES.map((one) => one.replace("selected=1", ""))) {
      const { text } = await own.get(path);
      expect([path, texts(text, "h1").length]).toEqual([path, 1]);
      expect(texts(text, "title")[0], path).toEndWith(" · Cadastre");
      const ids = elements(text, "[id]").map(({ attributes }) => attributes.id);
      expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []]);
      const labelled = new Set(
        elements(text, "label[for]").map(({ attributes }) => attributes.for),
      );
      const fields = elements(text, "input:not([type=hidden]), select, textarea");
      const inLabels = elements(text, "label input").length;
      const bare = fields.filter(
        ({ attributes }) => !attributes["aria-label"] && !labelled.has(attributes.id),
      );
      expect([path, bare.length - inLabels]).toEqual([path, 0]);
      expect(elements(text, "table").length, path).toBe(elements(text, "thead").length);
    }
  });

  test("offers a search for the name in its address, where no record has it", async () => {
    const own = await browser(alice);
    for (const start of ["/network/hosts/view/", "/inventory/attributes/location/"]) {
      const { text } = await own.get(`${start}Hall%20%3CB`);
      expect(texts(text, ".buttons a")).toEqual(["Home", 'Search for "Hall &lt;B"']);
      const [, search] = elements(text, ".buttons a");
      expect(search?.attributes.href).toBe("/?q=Hall+%3CB");
    }
    expect(texts((await own.get("/nowhere")).text, ".buttons a")).toEqual(["Home"]);
    const odd = await own.get("/network/hosts/view/%ff");
    expect(odd.status).toBeLessThan(500);
  });

  test("explains every key that it answers", async () => {
    const own = await browser(alice);
    const items = await inOrder([() => anItem(), () => anItem(), () => anItem()]);
    const list = await own.get("/inventory/items");
    const record = await own.get(`/inventory/items/view/${items[1].ics_id}?in=`);
    const text = list.text + record.text;
    const named = texts(text, "#keys kbd").flatMap((keys) => keys.split(/, | or /));
    const { text: script } = await visit(elements(text, "script[src]")[0]!.attributes.src!);
    const plain = [...script.matchAll(/key === "(.+?)"/g)].map(([, key = ""]) => key);
    expect(plain).toEqual(expect.arrayContaining(["?", "/", "j", "k", "x", " ", "Enter"]));
    const inControls = elements(text, "[data-key]").map((one) => one.attributes["data-key"]!);
    expect(inControls).toEqual(expect.arrayContaining(["c", "e", "n", "p"]));
    const goes = elements(text, "[data-go]").map((one) => `g ${one.attributes["data-go"]}`);
    const shown = (key: string) => NAMES[key] ?? key;
    const missing = [...plain.filter((key) => key !== "g"), ...inControls, ...goes]
      .map(shown)
      .filter((key) => !named.some((one) => one === key || one.endsWith(` ${key}`)));
    expect(missing).toEqual([]);
  });

  test("links only to existing pages", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(alice);
    const hrefs = new Set<string>();
    for (const path of [...PAGES, `/inventory/attributes/location?selected=${id}`]) {
      const { text } = await own.get(path);
      for (const { attributes } of elements(text, "a[href], link[href], script[src], use[href]")) {
        hrefs.add((attributes.href ?? attributes.src ?? "").split("#")[0]!);
      }
    }
    hrefs.delete("");
    hrefs.delete("/user/logout");
    for (const href of hrefs) expect([href, (await own.get(href)).status]).toEqual([href, 200]);
  });

  test("runs only its own files: a strict policy with a new nonce each time", async () => {
    const own = await browser(alice);
    const nonces = new Set<string>();
    for (const path of PAGES) {
      const { headers, text } = await own.get(path);
      const policy = headers.get("content-security-policy")!;
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("require-trusted-types-for 'script'");
      expect(policy, path).not.toContain("unsafe");
      expect(elements(text, "[style], [onclick], style"), path).toEqual([]);
      const [, nonce = ""] = /'nonce-([^']+)'/.exec(policy) ?? [];
      expect(nonces.has(nonce), path).toBe(false);
      nonces.add(nonce);
      const scripts = elements(text, "script");
      expect(
        scripts.every(({ attributes }) => attributes.src && attributes.nonce === nonce),
        path,
      ).toBe(true);
      const living = elements(text, "[hx-get], [hx-post]");
      expect(
        living.every(({ attributes }) => attributes["hx-nonce"] === nonce),
        path,
      ).toBe(true);
    }
  });

  test("that does not exist says so, in the frame for users who are logged in", async () => {
    const own = await browser(carol);
    const { status, text, headers } = await own.get("/nowhere");
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(texts(text, "main .code")).toEqual(["404"]);
    expect(elements(text, "header.bar")).toHaveLength(1);
    const nobody = await (await browser(stranger)).get("/nowhere");
    expect(nobody.status).toBe(404);
    expect(elements(nobody.text, "header.bar")).toHaveLength(0);
  });

  test("is compressed for clients that accept it", async () => {
    const { cookie } = await browser(carol);
    const accepting = (encoding: string) =>
      visit("/inventory/attributes/action", {
        headers: { cookie, accept: "text/html", "accept-encoding": encoding },
        decompress: false,
      } as RequestInit);
    expect((await accepting("gzip, br")).headers.get("content-encoding")).toBe("gzip");
    expect((await accepting("gzip, zstd")).headers.get("content-encoding")).toBe("zstd");
    expect((await accepting("gzip;q=0.5, zstd;q=0")).headers.get("content-encoding")).toBe("gzip");
    expect((await accepting("identity")).headers.get("content-encoding")).toBeNull();
  });
});

describe("GET /", () => {
  test("finds attributes by a part of their name, and opens an exact one", async () => {
    await aLocation({ name: "Hall A", description: "The big one" });
    await aLocation({ name: "Hall B" });
    const own = await browser(carol);
    const { text } = await own.get("/?q=hal");
    expect(texts(text, ".hits a")).toEqual(["Hall A", "Hall B"]);
    const exact = await own.get("/?q=hall+a");
    expect(exact.status).toBe(303);
    expect(exact.headers.get("location")).toBe("/inventory/attributes/location/Hall%20A");
    expect(texts((await own.get("/?q=%25")).text, "main [role=status]")).toEqual(["No matches"]);
  });

  test("lists recent changes with their users", async () => {
    await aLocation({ name: "Hall A" });
    const { text } = await (await browser(carol)).get("/");
    expect(texts(text, ".timeline li")[0]).toMatch(
      /^(just now|\d+ minutes? ago) alice added location Hall A$/,
    );
  });
});
