// What pages and searches show of files: the picture in lists, heads and labels, the order, the one box.
import { expect, test } from "bun:test";
import { deleteExpired } from "../../src/jobs/housekeeping.ts";
import { browser } from "../support/browser.ts";
import { aJpeg, aPdf, aPng } from "../support/files.ts";
import { alice, anItem, api, bob, carol, service, tokenOf } from "../support/mod.ts";

async function sent(item: number | string, parts: Record<string, string | File>) {
  const { origin } = await service();
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) form.append(name, part);
  const answer = await fetch(`${origin}/api/v1/inventory/items/${item}/files`, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${await tokenOf(bob)}` },
  });
  return { status: answer.status, body: await answer.json() };
}

function fileOf(bytes: Buffer, name = "photo.png"): File {
  return new File([new Uint8Array(bytes)], name);
}

test("the picture of a record is in lists, in the head of its page and on labels, small where there is a small one", async () => {
  const { id, ics_id } = await anItem();
  const { body } = await sent(id, { file: fileOf(aPng()), small: fileOf(aJpeg()) });
  const page = await browser(carol);
  const small = `/files/items/${id}/${body.id}/small`;
  for (const path of [
    "/inventory/items",
    `/inventory/items/view/${ics_id}`,
    `/inventory/items/labels?ics_id=${ics_id}&also=picture`,
  ]) {
    expect([path, (await page.get(path)).text.includes(`"${small}"`)]).toEqual([path, true]);
  }
  const shown = async (path: string) => {
    const { status, headers } = await page.get(path);
    return [status, headers.get("content-type")];
  };
  expect(await shown(small)).toEqual([200, "image/jpeg"]);
  const { body: other } = await sent(id, { file: fileOf(aPng(1)) });
  expect(await shown(`/files/items/${id}/${other.id}/small`)).toEqual([200, "image/png"]);
  expect((await shown(`/files/items/${id + 1}/${other.id}/small`))[0]).toBe(404);
});

test("a small picture is a small JPEG beside a picture, and nothing else", async () => {
  const { id } = await anItem();
  const large = aJpeg();
  large.writeUInt16BE(161, large.indexOf(Buffer.from("ffc2", "hex")) + 5);
  for (const [what, parts] of Object.entries({
    "another type": { file: fileOf(aPng()), small: fileOf(aPng(1)) },
    "too many pixels": { file: fileOf(aPng()), small: fileOf(large) },
    "beside a document": { file: fileOf(aPdf()), small: fileOf(aJpeg()) },
    "a text": { file: fileOf(aPng()), small: "x" },
    empty: { file: fileOf(aPng()), small: fileOf(Buffer.alloc(0)) },
  })) {
    const { status, body } = await sent(id, parts);
    expect([what, status, body.errors?.[0].field]).toEqual([what, 422, "small"]);
  }
  expect((await api(bob).get(`/inventory/items/${id}/files`)).body).toEqual([]);
});

test("the bytes of a small picture stay and go with its file", async () => {
  const { sql } = await service();
  const { id } = await anItem();
  const { body } = await sent(id, { file: fileOf(aPng()), small: fileOf(aJpeg()) });
  const unused = () => sql`select from file_blobs where unused_since is not null`;
  expect(await unused()).toHaveLength(0);
  const gone = await api(bob).delete(`/inventory/items/${id}/files/${body.id}`);
  expect(await unused()).toHaveLength(2);
  await api(bob).post(`/changes/${gone.headers.get("change-set")}/undo`, {});
  expect(await unused()).toHaveLength(0);
  // Another file has the small one as its own bytes.
  const { body: twin } = await sent(id, { file: fileOf(aJpeg(), "twin.jpg") });
  await api(bob).delete(`/inventory/items/${id}/files/${body.id}`);
  await sql`update file_blobs set unused_since = now() - interval '31 days' where unused_since is not null`;
  await deleteExpired({ auditDays: 30 });
  expect((await sql`select sha256 from file_blobs`).map((one: { sha256: string }) => one)).toEqual([
    { sha256: twin.sha256 },
  ]);
});

test("a text shows its first lines, and a PDF its number of pages", async () => {
  const { id } = await anItem();
  const text = `Wiring\r\n\r\n L1 brown\nL2 ${"x".repeat(300)}\nL3 grey`;
  const { body: note } = await sent(id, { file: fileOf(Buffer.from(text), "notes.txt") });
  expect(note.summary).toBe(`Wiring\nL1 brown\nL2 ${"x".repeat(300)}`.slice(0, 200));
  const pages = aPdf("/A 1 >> endobj 2 0 obj << /Type /Page >> endobj 3 0 obj << /Type/Page ");
  const { body: pdf } = await sent(id, { file: fileOf(pages, "two.pdf") });
  expect(pdf.summary).toBe("2 pages");
  expect((await sent(id, { file: fileOf(aPng()) })).body.summary).toBeNull();
});

test("files are put in another order, one move at a time, whoever moves them", async () => {
  const { id } = await anItem();
  const made: number[] = [];
  for (let at = 0; at < 4; at += 1) made.push((await sent(id, { file: fileOf(aPng(at)) })).body.id);
  const [first, second, third, last] = made;
  const page = await browser(bob);
  const order = async () =>
    (await api(bob).get(`/inventory/items/${id}/files`)).body.map((one: { id: number }) => one.id);
  const move = (file: number | undefined, place: number) =>
    page.submit(`/files/items/${id}/${file}`, { place: String(place) });
  await move(last, 0);
  expect(await order()).toEqual([last, first, second, third]);
  await move(first, 2);
  expect(await order()).toEqual([last, second, first, third]);
  // Between the same two again and again: their positions are spread when there is no room.
  for (let time = 0; time < 24; time += 1) {
    const now = await order();
    await move(now[2], 1);
    expect(await order()).toEqual([now[0], now[2], now[1], now[3]]);
  }
  await Promise.all(made.map((file, at) => move(file, at)));
  expect((await order()).toSorted()).toEqual(made.toSorted());
  const reader = await browser(carol);
  const refused = await reader.submit(`/files/items/${id}/${last}`, { place: "3" });
  expect(refused.status).toBe(403);
});

test("the one box finds records by the names and captions of their files, and a filter by their number", async () => {
  const { id, ics_id } = await anItem();
  await anItem();
  await sent(id, { file: fileOf(aPdf(), "Calibration 2026.pdf"), caption: "Signed by METAS" });
  const page = await browser(carol);
  for (const typed of ["calibration", "metas", "2026 signed", "librat"]) {
    const { text } = await page.get(`/?q=${encodeURIComponent(typed)}`);
    expect([typed, text.includes("Signed by METAS, Calibration 2026.pdf")]).toEqual([typed, true]);
    expect(text).toContain(ics_id);
  }
  const { body } = await api(alice).get("/inventory/items?files__gte=1");
  expect(body.map((one: { ics_id: string }) => one.ics_id)).toEqual([ics_id]);
  const { body: sorted } = await api(alice).get("/inventory/items?sort=-files");
  expect(sorted[0].ics_id).toBe(ics_id);
});
