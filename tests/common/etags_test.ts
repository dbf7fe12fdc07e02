import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { aLocation, alice, api, audrey, bob, carol, idOf, namesOf } from "../support/mod.ts";

const PATH = "/inventory/locations";

async function tagOf(path: string): Promise<string> {
  const { headers } = await api(bob).get(path);
  return headers.get("etag") ?? "none";
}

function unlessKnown(tag: string) {
  return { headers: { "if-none-match": tag } };
}

function ifStill(tag: string) {
  return { headers: { "if-match": tag } };
}

describe("If-None-Match", () => {
  test("returns 304 without a body while a record is unchanged", async () => {
    const { id } = await aLocation();
    const tag = await tagOf(`${PATH}/${id}`);
    expect(tag).toMatch(/^"[^"]+"$/);
    const { status, text, headers } = await api(bob).get(`${PATH}/${id}`, unlessKnown(tag));
    expect(status).toBe(304);
    expect(text).toBe("");
    expect(headers.get("etag")).toBe(tag);
  });

  test("returns the record after it has changed", async () => {
    const { id } = await aLocation();
    const tag = await tagOf(`${PATH}/${id}`);
    await api(bob).patch(`${PATH}/${id}`, { name: "Hall" });
    const { status, body, headers } = await api(bob).get(`${PATH}/${id}`, unlessKnown(tag));
    expect(status).toBe(200);
    expect(body.name).toBe("Hall");
    expect(headers.get("etag")).not.toBe(tag);
  });

  test("accepts several tags, weak ones and a star", async () => {
    const { id } = await aLocation();
    const tag = await tagOf(`${PATH}/${id}`);
    for (const tags of [`"other", ${tag}`, `W/${tag}`, "*"]) {
      expect((await api(bob).get(`${PATH}/${id}`, unlessKnown(tags))).status).toBe(304);
    }
    for (const tags of ['"other"', "", "nonsense", tag.slice(0, -2)]) {
      expect((await api(bob).get(`${PATH}/${id}`, unlessKnown(tags))).status).toBe(200);
    }
  });

  test("returns 304 for a list until one of its records or their number changes", async () => {
    const { id } = await aLocation();
    const first = await tagOf(PATH);
    expect((await api(bob).get(PATH, unlessKnown(first))).status).toBe(304);
    await api(bob).patch(`${PATH}/${id}`, { description: "New" });
    const second = await tagOf(PATH);
    expect((await api(bob).get(PATH, unlessKnown(first))).status).toBe(200);
    await aLocation();
    expect((await api(bob).get(PATH, unlessKnown(second))).status).toBe(200);
  });

  test("differs for two pages and two filters of a list", async () => {
    await aLocation();
    const tag = await tagOf(PATH);
    expect((await api(bob).get(`${PATH}?page=2`, unlessKnown(tag))).status).toBe(200);
    expect((await api(bob).get(`${PATH}?name=nothing`, unlessKnown(tag))).status).toBe(200);
  });

  test("does not match the tag of a user who sees more", async () => {
    for (const path of ["/user/users", `/user/users/${await idOf(bob)}`]) {
      const { headers } = await api(audrey).get(path);
      const { status, body } = await api(carol).get(path, unlessKnown(headers.get("etag")!));
      expect(status, path).toBe(200);
      expect(JSON.stringify(body), path).not.toContain("inventory");
    }
  });

  test("is evaluated after authentication", async () => {
    const { id } = await aLocation();
    const { status } = await api({ token: "nonsense" }).get(`${PATH}/${id}`, unlessKnown("*"));
    expect(status).toBe(401);
    expect((await api(bob).get(`${PATH}/2147483647`, unlessKnown("*"))).status).toBe(404);
  });

  test("private responses may only be cached by the client", async () => {
    await aLocation();
    const { headers } = await api(bob).get(PATH);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("vary")?.toLowerCase()).toContain("authorization");
  });
});

describe("If-Match", () => {
  test("allows a change while the record is unchanged", async () => {
    const { id } = await aLocation();
    const tag = await tagOf(`${PATH}/${id}`);
    const { status } = await api(bob).patch(`${PATH}/${id}`, { name: "Hall" }, ifStill(tag));
    expect(status).toBe(200);
  });

  test("matches the tags that a create and a change return", async () => {
    const made = await api(bob).post(PATH, { name: "Hall 1" });
    const path = `${PATH}/${made.body.id}`;
    const first = ifStill(made.headers.get("etag")!);
    const changed = await api(bob).patch(path, { name: "Hall 2" }, first);
    expect(changed.status).toBe(200);
    const second = ifStill(changed.headers.get("etag")!);
    expect((await api(bob).patch(path, { name: "Hall 3" }, second)).status).toBe(200);
    expect(await tagOf(path)).not.toBe(changed.headers.get("etag")!);
  });

  test("stops a change of a record that has changed, and changes nothing", async () => {
    const { id } = await aLocation({ name: "Hall 1" });
    const tag = await tagOf(`${PATH}/${id}`);
    await api(alice).patch(`${PATH}/${id}`, { description: "Changed" });
    const { status, body } = await api(bob).patch(
      `${PATH}/${id}`,
      { name: "Hall 2" },
      ifStill(tag),
    );
    expect(status).toBe(412);
    expect(body.message).toContain("read it again");
    expect((await api(bob).get(`${PATH}/${id}`)).body.name).toBe("Hall 1");
  });

  test("stops a deletion as well", async () => {
    const { id } = await aLocation();
    const tag = await tagOf(`${PATH}/${id}`);
    await api(bob).patch(`${PATH}/${id}`, { name: "Hall" });
    expect((await api(alice).delete(`${PATH}/${id}`, ifStill(tag))).status).toBe(412);
    const now = ifStill(await tagOf(`${PATH}/${id}`));
    expect((await api(alice).delete(`${PATH}/${id}`, now)).status).toBe(204);
  });

  test("a star matches any existing record, and nothing that does not exist", async () => {
    const { id } = await aLocation();
    expect((await api(bob).patch(`${PATH}/${id}`, { name: "Hall" }, ifStill("*"))).status).toBe(
      200,
    );
    const missing = await api(bob).patch(`${PATH}/2147483647`, { name: "Hall" }, ifStill("*"));
    expect(missing.status).toBe(404);
  });

  test("a foreign tag matches nothing", async () => {
    const { id } = await aLocation();
    for (const tag of ['"other"', '"v99"', "nonsense", '""']) {
      const { status } = await api(bob).patch(`${PATH}/${id}`, { name: "Hall" }, ifStill(tag));
      expect([tag, status]).toEqual([tag, 412]);
    }
  });

  test("of twenty changes based on one version one succeeds", async () => {
    const { id } = await aLocation({ name: "Hall" });
    const tag = ifStill(await tagOf(`${PATH}/${id}`));
    const answers = await concurrently(20, (number) =>
      api(bob).patch(`${PATH}/${id}`, { description: `Number ${number}` }, tag),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array(19).fill(412)]);
  });

  test("without it, concurrent changes of different fields are both kept", async () => {
    const { id } = await aLocation({ name: "Hall 1" });
    await Promise.all([
      api(alice).patch(`${PATH}/${id}`, { name: "Hall 2" }),
      api(bob).patch(`${PATH}/${id}`, { description: "Changed" }),
    ]);
    const { body } = await api(bob).get(PATH);
    expect(namesOf(body)).toEqual(["Hall 2"]);
    expect(body[0].description).toBe("Changed");
  });

  test("protects users, too", async () => {
    const path = `/user/users/${await idOf(carol)}`;
    const { headers } = await api(alice).get(path);
    const tag = ifStill(headers.get("etag")!);
    expect((await api(alice).patch(path, { groups: ["network"] }, tag)).status).toBe(200);
    expect((await api(alice).patch(path, { groups: [] }, tag)).status).toBe(412);
    expect((await api(alice).delete(path, tag)).status).toBe(412);
  });
});
