import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, alice, aStatus, bob, carol } from "../support/mod.ts";

const PATH = "/inventory/_update_favorites/Location";
const JSON_ONLY = { headers: { accept: "application/json" } };

describe("POST /inventory/_update_favorites/(kind)", () => {
  test("adds and removes a favourite of the caller's own, readers included", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(carol);
    const first = await own.submit(PATH, { id: String(id) }, JSON_ONLY);
    expect(first.body).toEqual({ data: { kind: "location", id, favorite: true } });
    const again = await own.submit(PATH, { id: String(id) }, JSON_ONLY);
    expect(again.body.data.favorite).toBe(false);
  });

  test("is idempotent", async () => {
    const { id } = await aLocation();
    const own = await browser(carol);
    const wish = (checked: string) => own.submit(PATH, { id: String(id), checked }, JSON_ONLY);
    const many = await Promise.all(Array.from({ length: 8 }, () => wish("true")));
    expect(many.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(many.every(({ body }) => body.data.favorite)).toBe(true);
    expect(
      (await own.get("/inventory/_retrieve_attributes_favorites", JSON_ONLY)).body.data,
    ).toHaveLength(1);
    expect((await wish("false")).body.data.favorite).toBe(false);
    expect((await wish("false")).body.data.favorite).toBe(false);
  });

  test("returns the replacing button to htmx, and a redirect to a form", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const own = await browser(carol);
    const { text } = await own.submit(PATH, { id: String(id) }, { headers: HTMX });
    expect(elements(text, "button")[0]!.attributes).toMatchObject({
      "aria-pressed": "true",
      "aria-label": "Favourite Hall A",
    });
    const next = "/inventory/attributes/location?page=2";
    const sent = await own.submit(PATH, { id: String(id), next });
    expect(sent.status).toBe(303);
    expect(sent.headers.get("location")).toBe(next);
  });

  test("refuses an unknown attribute", async () => {
    const own = await browser(carol);
    expect((await own.submit(PATH, { id: "999" }, JSON_ONLY)).status).toBe(404);
    expect((await own.submit(PATH, { id: "1e3" }, JSON_ONLY)).status).toBe(422);
    expect((await own.submit(PATH, {}, JSON_ONLY)).status).toBe(422);
    const { id } = await aLocation();
    expect((await own.submit(PATH, { id: String(id), checked: "maybe" }, JSON_ONLY)).status).toBe(
      422,
    );
    expect(
      (await own.submit("/inventory/_update_favorites/gadget", { id: "1" }, JSON_ONLY)).status,
    ).toBe(404);
  });
});

describe("GET /inventory/attributes/favorites", () => {
  test("is a sheet of the codes of the caller's favourites, by kind", async () => {
    const [hall, status] = [await aLocation({ name: "Hall A" }), await aStatus({ name: "Broken" })];
    const own = await browser(bob);
    await own.submit("/inventory/_update_favorites/status", { id: String(status.id) });
    await own.submit(PATH, { id: String(hall.id) });
    const { text } = await own.get("/inventory/attributes/favorites");
    expect(texts(text, "figure.label b")).toEqual(["Hall A", "Broken"]);
    expect(
      elements(text, "figure.label svg.qr").map(({ attributes }) => attributes["aria-label"]),
    ).toEqual(["QR code of CSE:location:Hall A", "QR code of CSE:status:Broken"]);
    const { body } = await own.get("/inventory/_retrieve_attributes_favorites", JSON_ONLY);
    expect(body.data).toMatchObject([
      { kind: "location", id: hall.id, name: "Hall A" },
      { kind: "status", id: status.id, name: "Broken" },
    ]);
    expect(
      texts(
        (await (await browser(alice)).get("/inventory/attributes/favorites")).text,
        ".empty p",
      )[0],
    ).toBe("No favourites yet");
  });
});
