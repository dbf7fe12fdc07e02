// The files that browsers load with a page.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements } from "../support/html.ts";
import { alice, visit } from "../support/mod.ts";

const KIB = 1024;
/** It has a script of its own. */
const DESK = "/inventory/scanner";
/** One page for each sheet. */
const PAGES = [
  ...["/", "/admin", "/inventory/items", DESK, "/network/hosts"],
  ...["/network/networks", "/user/profile", "/nowhere"],
];

async function sizeOf(path: string): Promise<number> {
  const headers = { "accept-encoding": "br" };
  const { headers: got, bytes } = await packed(path, headers);
  expect([path, got.get("content-encoding")]).toEqual([path, "br"]);
  return bytes;
}

async function packed(path: string, headers: Record<string, string>) {
  const answer = await visit(path, { headers, decompress: false } as RequestInit);
  return { headers: answer.headers, bytes: Number(answer.headers.get("content-length")) };
}

describe("what a page loads when it is idle", () => {
  test("is a script of at most 5 KiB, on pages for people who are logged in", async () => {
    const own = await browser(alice);
    const { text } = await own.get("/network/hosts");
    const [live] = elements(text, "meta[name=live]").map((one) => one.attributes.content!);
    expect(await sizeOf(live!)).toBeLessThanOrEqual(5 * KIB);
    expect((await visit("/user/login")).text).not.toContain('name="live"');
  });
});

describe("a first visit", () => {
  test("loads one sheet of at most 8 KiB, and scripts of at most 20 KiB together, the scan desk of 22", async () => {
    const own = await browser(alice);
    for (const path of PAGES) {
      const { text } = await own.get(path);
      const sheets = elements(text, "link[rel=stylesheet]").map((one) => one.attributes.href!);
      expect([path, sheets.length]).toEqual([path, 1]);
      expect(await sizeOf(sheets[0]!), path).toBeLessThanOrEqual(8 * KIB);
      const scripts = elements(text, "script[src]").map((one) => one.attributes.src!);
      const sizes = await Promise.all(scripts.map(sizeOf));
      expect(
        sizes.reduce((sum, size) => sum + size, 0),
        path,
      ).toBeLessThanOrEqual((path === DESK ? 22 : 20) * KIB);
    }
  });
});
