import { describe, expect, test } from "bun:test";
import { alice, anItem, api, bob, carol, dave } from "../support/mod.ts";

const ITEMS = "/inventory/items";

async function aComment(fields = { body: "Dusty" }) {
  const item = await anItem({ ics_id: "AAA001" });
  const { status, body } = await api(bob).post(`${ITEMS}/${item.id}/comments`, fields);
  return { item, status, comment: body };
}

describe("the comments of an item", () => {
  test("are listed in the order of creation, and their texts are part of the item", async () => {
    const { item, status, comment } = await aComment();
    expect(status).toBe(201);
    expect(comment).toMatchObject({ item: "AAA001", body: "Dusty", user: "bob" });
    await api(alice).post(`${ITEMS}/aaa001/comments`, { body: "Cleaned\nand dried" });
    const { body, headers } = await api(carol).get(`${ITEMS}/${item.id}/comments`);
    expect(body.map((one: { body: string }) => one.body)).toEqual(["Dusty", "Cleaned\nand dried"]);
    expect(headers.get("x-total-count")).toBe("2");
    expect((await api(carol).get(`${ITEMS}/${item.id}`)).body.comments).toEqual([
      "Dusty",
      "Cleaned\nand dried",
    ]);
    expect((await api(carol).get(`${ITEMS}/AAA002/comments`)).status).toBe(404);
    expect((await api(bob).post(`${ITEMS}/AAA002/comments`, { body: "x" })).status).toBe(404);
  });

  test("must not be blank or too long", async () => {
    const { item } = await aComment();
    for (const body of ["", "  ", "x".repeat(10_001), 5, null]) {
      expect((await api(bob).post(`${ITEMS}/${item.id}/comments`, { body })).status).toBe(422);
    }
    expect((await api(carol).post(`${ITEMS}/${item.id}/comments`, { body: "x" })).status).toBe(403);
  });

  test("are changed and deleted by their author and by admins", async () => {
    const { comment } = await aComment();
    const path = `${ITEMS}/comments/${comment.id}`;
    expect((await api(carol).delete(path)).status).toBe(403);
    expect((await api(dave).delete(path)).status).toBe(403);
    expect((await api(bob).patch(path, { body: "Clean" })).body.body).toBe("Clean");
    expect((await api(alice).patch(path, { body: "Very clean" })).body).toMatchObject({
      user: "bob",
    });
    expect((await api(bob).delete(path)).status).toBe(204);
    expect((await api(bob).delete(path)).status).toBe(404);
    expect((await api(alice).delete(`${ITEMS}/comments/999`)).status).toBe(404);
  });
});
