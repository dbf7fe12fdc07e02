import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import { alice, anItem, api, aStatus, bob, carol, inOrder } from "../support/mod.ts";

const LIST = "/inventory/items";

async function opened(own: Awaited<ReturnType<typeof browser>>, list: string, ics_id: string) {
  const { text } = await own.get(list);
  const links = elements(text, "a.open").map(({ attributes }) => attributes.href!);
  const link = links.find((href) => href.includes(`/view/${ics_id}?`))!;
  return (await own.get(link)).text;
}

function wayOn(text: string) {
  const href = (rel: string) => elements(text, `a[rel=${rel}]`)[0]?.attributes.href;
  return { at: texts(text, "nav.in-list > span")[0], prev: href("prev"), next: href("next") };
}

describe("an item that was opened from a list", () => {
  test("links to the next and the previous one of the list, by its filters and order", async () => {
    await aStatus({ name: "Used" });
    await inOrder(
      ["AAA001", "AAA004", "AAA002", "AAA003"].map(
        (ics_id) => () => anItem({ ics_id, status: "Used" }),
      ),
    );
    await anItem({ ics_id: "AAA005" });
    const own = await browser(carol);
    const text = await opened(
      own,
      `${LIST}?status=used&sort=-ics_id&per_page=3&cols=host`,
      "AAA003",
    );
    const list = `in=${encodeURIComponent("status=used&sort=-ics_id")}`;
    expect(wayOn(text)).toEqual({
      at: "2 of 4",
      prev: `${LIST}/view/AAA004?${list}`,
      next: `${LIST}/view/AAA002?${list}`,
    });
    expect(elements(text, ".crumbs a").at(-1)!.attributes.href).toBe(
      `${LIST}?status=used&sort=-ics_id`,
    );
    const last = (await own.get(`${LIST}/view/AAA001?${list}`)).text;
    expect(wayOn(last)).toEqual({
      at: "4 of 4",
      prev: `${LIST}/view/AAA002?${list}`,
      next: undefined,
    });
    const whole = await opened(own, LIST, "AAA004");
    expect(wayOn(whole)).toEqual({
      at: "4 of 5",
      prev: `${LIST}/view/AAA003?in=`,
      next: `${LIST}/view/AAA005?in=`,
    });
  });

  test("has no such links without a list, outside of the list, or for an invalid one", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const own = await browser(carol);
    for (const query of [
      "",
      "?in=quantity%3D9",
      "?in=nonsense%3D1",
      "?in=sort%3D%27",
      "?in=%25%25",
    ]) {
      const { status, text } = await own.get(`${LIST}/view/AAA001${query}`);
      expect([query, status, wayOn(text).at]).toEqual([query, 200, undefined]);
    }
    const other = await own.get(`${LIST}/view/${id}?in=q%3DAAA`);
    expect(other.headers.get("location")).toBe(`${LIST}/view/AAA001?in=q%3DAAA`);
  });

  test("is not found by a hidden host", async () => {
    const host_id = await aHiddenHost();
    await anItem({ ics_id: "AAA001", host_id });
    const query = `${LIST}/view/AAA001?in=host%3Dcanary`;
    expect(wayOn((await (await browser(bob)).get(query)).text).at).toBeUndefined();
    expect(wayOn((await (await browser(alice)).get(query)).text).at).toBe("1 of 1");
  });
});

describe("GET /inventory/items/view/(ics_id) for htmx", () => {
  test("returns only the facts, with a link to the page, as a preview in the list", async () => {
    const host_id = await aHiddenHost();
    const { id: item_id } = await anItem({ ics_id: "AAA001", serial_number: "S-1", host_id });
    await api(bob).post("/inventory/macs", { address: "024242000001", item_id });
    const { text } = await (await browser(bob)).get(`${LIST}/view/AAA001?in=`, { headers: HTMX });
    expect(texts(text, "h2")).toEqual(["AAA001"]);
    expect(texts(text, "dl.facts dd").slice(0, 2)).toEqual(["S-1", "02:42:42:00:00:01"]);
    expect(elements(text, "a.button")[0]!.attributes.href).toBe(`${LIST}/view/AAA001?in=`);
    expect(elements(text, "html, dl.facts form")).toEqual([]);
    expect(text).not.toContain("canary");
  });
});
