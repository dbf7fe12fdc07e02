import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, anItem, api, bob, carol } from "../support/mod.ts";

const COMMENT = "/inventory/items/comment";
const VIEW = "/inventory/items/view/AAA001";

async function aComment(body: string, by = bob): Promise<number> {
  const { body: made } = await api(by).post("/inventory/items/AAA001/comments", { body });
  return made.id;
}

describe("the comments of an item", () => {
  test("are added on its page, and shown in order", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const { status, headers } = await own.submit(`${COMMENT}/AAA001`, { body: "Fan is loud" });
    expect(status).toBe(303);
    expect(headers.get("location")).toBe(`${VIEW}#comments`);
    await own.submit(`${COMMENT}/AAA001`, { body: "Replaced it" });
    expect(texts((await own.get(VIEW)).text, ".thread .prose")).toEqual([
      "Fan is loud",
      "Replaced it",
    ]);
    const thread = await own.get(`${COMMENT}/AAA001`);
    expect(texts(thread.text, ".thread .by b")).toEqual(["bob", "bob"]);
    expect((await own.get(`${COMMENT}/AAA999`)).status).toBe(404);
  });

  test("are returned to htmx as the thread, refused ones with their text", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const given = { headers: HTMX };
    const added = await own.submit(`${COMMENT}/AAA001`, { body: "Fan is loud" }, given);
    expect(added.text).toStartWith('<section id="comments"');
    const long = "x".repeat(10_001);
    const refused = await own.submit(`${COMMENT}/AAA001`, { body: long }, given);
    expect(refused.status).toBe(422);
    expect(texts(refused.text, "p.error")).toEqual(["Use 1 to 10000 characters"]);
    expect(texts(refused.text, "textarea")).toEqual([long]);
  });

  test("are text with links", async () => {
    await anItem({ ics_id: "AAA001" });
    const body = "See https://wiki.example/a?b=1&c=2, not javascript:alert(1) <b>x</b>";
    await aComment(body);
    const { text } = await (await browser(carol)).get(VIEW);
    expect(elements(text, ".prose a").map(({ attributes }) => attributes)).toEqual([
      { href: "https://wiki.example/a?b=1&c=2", rel: "noopener noreferrer" },
    ]);
    expect(elements(text, ".prose b")).toEqual([]);
    expect(texts(text, ".prose")[0]).toContain("javascript:alert(1)");
  });

  test("are changed by their authors and admins, with a check for conflicts", async () => {
    await anItem({ ics_id: "AAA001" });
    const id = await aComment("Fan is loud");
    const own = await browser(bob);
    const form = await own.get(`${COMMENT}/edit/${id}`);
    expect(texts(form.text, "textarea")).toEqual(["Fan is loud"]);
    const version = elements(form.text, "input[name=version]")[0]!.attributes.value!;
    await (await browser(alice)).submit(`${COMMENT}/edit/${id}`, { body: "Theirs", version });
    const late = await own.submit(`${COMMENT}/edit/${id}`, { body: "Mine", version });
    expect(late.status).toBe(412);
    expect(texts(late.text, ".note .prose")).toEqual(["Theirs"]);
    expect(texts(late.text, "textarea")).toEqual(["Mine"]);
    const newer = elements(late.text, "input[name=version]")[0]!.attributes.value!;
    const again = await own.submit(`${COMMENT}/edit/${id}`, { body: "Mine", version: newer });
    expect(again.status).toBe(303);
    expect(texts((await own.get(VIEW)).text, ".thread .prose")).toEqual(["Mine"]);
  });

  test("are deleted after confirmation by the author", async () => {
    await anItem({ ics_id: "AAA001" });
    const comment_id = String(await aComment("Fan is loud"));
    const own = await browser(bob);
    const asked = await own.submit(`${COMMENT}/delete`, { comment_id });
    expect(texts(asked.text, "h1")).toEqual(["Delete this comment?"]);
    expect((await own.submit(`${COMMENT}/delete`, { comment_id, confirmed: "true" })).status).toBe(
      303,
    );
    expect(texts((await own.get(VIEW)).text, ".thread .prose")).toEqual([]);
    expect((await own.submit(`${COMMENT}/delete`, { comment_id })).status).toBe(404);
  });

  test("are restored by one click, with scripting and without", async () => {
    await anItem({ ics_id: "AAA001" });
    const own = await browser(bob);
    const remove = async (headers: object) => {
      const comment_id = String(await aComment("Fan is loud"));
      return own.submit(`${COMMENT}/delete`, { comment_id, confirmed: "true" }, { headers } as any);
    };
    const bodies = async () => texts((await own.get(VIEW)).text, ".thread .prose");
    await remove({});
    const plain = await own.get(VIEW);
    const live = await remove(HTMX);
    for (const [kind, { text }] of Object.entries({ plain, live })) {
      expect(texts(text, ".toast p"), kind).toEqual(["Deleted the comment"]);
      expect(texts(text, ".toast button"), kind).toEqual(["Undo"]);
      const before = (await bodies()).length;
      const undone = await own.submit(elements(text, ".toast form")[0]!.attributes.action!, {
        next: VIEW,
      });
      expect(undone.headers.get("location")).toBe(VIEW);
      expect(await bodies()).toHaveLength(before + 1);
    }
    expect(live.text).toStartWith('<section id="comments"');
  });

  test("of others are read-only", async () => {
    await anItem({ ics_id: "AAA001" });
    const id = await aComment("Theirs", alice);
    const own = await browser(bob);
    expect(elements((await own.get(VIEW)).text, ".thread .ways")).toEqual([]);
    const remove = { comment_id: String(id), confirmed: "true" };
    expect((await own.get(`${COMMENT}/edit/${id}`)).status).toBe(403);
    expect((await own.submit(`${COMMENT}/edit/${id}`, { body: "Mine" })).status).toBe(403);
    expect((await own.submit(`${COMMENT}/delete`, remove)).status).toBe(403);
    const reader = await browser(carol);
    expect((await reader.submit(`${COMMENT}/AAA001`, { body: "Mine" })).status).toBe(403);
    expect(texts((await own.get(VIEW)).text, ".thread .prose")).toEqual(["Theirs"]);
  });
});
