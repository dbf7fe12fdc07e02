// Work that cannot be interrupted is limited, however much is sent.
import { describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { MOST_ELEMENTS, MOST_MARKS, MOST_MARKS_IN_ALL } from "../../src/input/limits.ts";
import { browser } from "../support/browser.ts";
import { elements } from "../support/html.ts";
import { aGroup, alice, api, bob, service, tokenOf } from "../support/mod.ts";

setDefaultTimeout(120_000);

const TOO_MANY = "Use at most 100,000 combining marks";

/** Without too many combining marks in a row. */
function marked(marks: number): string {
  return `a${"\u0301".repeat(MOST_MARKS)}`.repeat(Math.ceil(marks / MOST_MARKS));
}

/** The most marks in a text that was composed meanwhile. */
async function mostComposed(work: () => Promise<unknown>): Promise<number> {
  const spy = spyOn(String.prototype, "normalize");
  await work();
  const texts = spy.mock.contexts.map(String);
  spy.mockRestore();
  return Math.max(0, ...texts.map((text) => text.match(/\p{M}/gu)?.length ?? 0));
}

describe("combining marks", () => {
  test("are limited in one text, in many texts, and in names", async () => {
    const text = marked(MOST_MARKS_IN_ALL + 1);
    const each = Array.from({ length: 12 }, (_, at) => `${at}${marked(MOST_MARKS_IN_ALL / 10)}`);
    const bodies = [
      [{ name: "a1", vars: { text } }, "vars"],
      [{ name: "a1", vars: each }, "vars"],
      [{ name: "a1", vars: Object.fromEntries(each.map((one) => [one, 1])) }, "vars"],
      [{ name: "a1", [text]: 1 }, "body"],
    ] as const;
    const composed = await mostComposed(async () => {
      for (const [body, field] of bodies) {
        const answer = await api(alice).post("/network/groups", body);
        expect([answer.status, answer.body.errors]).toEqual([422, [{ field, message: TOO_MANY }]]);
      }
    });
    expect(composed).toBeLessThanOrEqual(MOST_MARKS_IN_ALL);
  });

  test("are limited in a form, and in a row", async () => {
    const text = marked(MOST_MARKS_IN_ALL + 1);
    const { origin } = await service();
    const own = await browser(alice);
    const form = new FormData();
    form.append("name", text);
    const composed = await mostComposed(async () => {
      const answer = await fetch(`${origin}/network/groups/create`, {
        method: "POST",
        body: form,
        headers: { cookie: own.cookie, "sec-fetch-site": "same-origin" },
      });
      expect([answer.status, await answer.text()]).toEqual([
        422,
        expect.stringContaining(TOO_MANY),
      ]);
      const rows = await fetch(`${origin}/api/v1/inventory/items/import?dry_run=true`, {
        method: "POST",
        body: JSON.stringify({ serial_number: text }),
        headers: {
          authorization: `Bearer ${await tokenOf(bob)}`,
          "content-type": "application/x-ndjson",
        },
      });
      expect(await rows.text()).toContain(TOO_MANY);
    });
    expect(composed).toBeLessThanOrEqual(MOST_MARKS_IN_ALL);
  });

  test("are accepted up to the limit", async () => {
    const text = marked(MOST_MARKS_IN_ALL);
    const answer = await api(alice).post("/network/groups?dry_run=true", {
      name: "birds",
      type: "static",
      vars: { text: text.slice(0, MOST_MARKS_IN_ALL) },
    });
    expect(answer.status).toBe(201);
  });
});

describe("a refused form", () => {
  test.each([
    ["/network/hosts/create", ["items", "automation_groups"]],
    ["/network/groups/create", ["children"]],
    ["/network/groups/edit/birds", ["children", "children_before"]],
  ])("%s shows the submitted values", async (path, names) => {
    await aGroup({ name: "birds" });
    const own = await browser(alice);
    const { origin } = await service();
    const sent = new URLSearchParams();
    for (const name of names) {
      for (let at = 1; at <= MOST_ELEMENTS + 5; at += 1) sent.append(name, `no ${at}`);
    }
    const answer = await fetch(origin + path, {
      method: "POST",
      body: sent,
      headers: { cookie: own.cookie, "sec-fetch-site": "same-origin" },
    });
    const html = await answer.text();
    expect(answer.status).toBe(422);
    for (const name of names) {
      const values = elements(html, `input[name=${name}]`).map(
        ({ attributes }) => attributes.value,
      );
      expect(values.filter(Boolean).length, name).toBe(MOST_ELEMENTS);
      expect(values.filter(Boolean).at(-1), name).toBe(`no ${MOST_ELEMENTS}`);
    }
    expect(html).toContain("Only the first 1,000 of 1,005 are shown");
  });
});
