// Requests of htmx: fragments of pages, and complete pages where it navigates or restores.
import { describe, expect, test } from "bun:test";
import { app } from "../../src/app.ts";
import { browser } from "../support/browser.ts";
import { aHost, alice, anItem, visit } from "../support/mod.ts";

const HTMX = { "hx-request": "true" };
const WHOLE: Array<Record<string, string>> = [
  {},
  { ...HTMX, "hx-boosted": "true" },
  { ...HTMX, "hx-history-restore-request": "true" },
  { "hx-history-restore-request": "true" },
  { ...HTMX, "hx-request-type": "full" },
];
const PART: Array<Record<string, string>> = [
  HTMX,
  { ...HTMX, "hx-request-type": "partial" },
  { ...HTMX, "hx-boosted": "false", "hx-history-restore-request": "false" },
];

const pages = app.routes
  .filter(({ method, path }) => method === "GET" && !/^\/(api|static|health|metrics)/.test(path))
  .map(({ path }) => path)
  .filter((path) => !path.includes("/_") && !path.includes(":") && path !== "/user/logout");

function isWhole(text: string): boolean {
  return text.includes("<html");
}

describe("every page", () => {
  test("is a fragment for htmx, and complete for a navigation", async () => {
    const own = await browser(alice);
    expect(pages.length).toBeGreaterThan(15);
    for (const path of pages) {
      for (const headers of WHOLE) {
        const { status, text } = await own.get(path, { headers });
        if (status !== 200) continue;
        if (text.startsWith("<"))
          expect([path, headers, isWhole(text)]).toEqual([path, headers, true]);
      }
      for (const headers of PART) {
        const { text } = await own.get(path, { headers });
        expect([path, headers, isWhole(text)]).toEqual([path, headers, false]);
      }
    }
  });

  test("of a record is a fragment for htmx, too, and has a Vary header", async () => {
    const own = await browser(alice);
    const [host, item] = [await aHost(), await anItem()];
    for (const path of [
      `/network/hosts/view/${host.name}`,
      `/inventory/items/view/${item.ics_id}`,
    ]) {
      const whole = await own.get(path);
      expect([path, whole.status, isWhole(whole.text)]).toEqual([path, 200, true]);
      const part = await own.get(path, { headers: HTMX });
      expect([path, part.status, isWhole(part.text)]).toEqual([path, 200, false]);
      for (const { headers } of [whole, part]) {
        const vary = headers.get("vary") ?? "";
        for (const name of ["hx-request", "hx-boosted", "hx-history-restore-request"]) {
          expect(vary, path).toContain(name);
        }
      }
    }
  });

  test("without a session leads a navigation to the login, and refuses a fragment", async () => {
    for (const headers of WHOLE) {
      const { status } = await visit("/inventory/items", {
        headers: { ...headers, accept: "text/html" },
      });
      expect([headers, status]).toEqual([headers, "hx-request-type" in headers ? 401 : 303]);
    }
    for (const headers of PART) {
      const { status, headers: answer } = await visit("/inventory/items", { headers });
      expect(status, JSON.stringify(headers)).toBe(401);
      expect(answer.get("hx-redirect"), JSON.stringify(headers)).toStartWith("/user/login?next=");
    }
  });
});
