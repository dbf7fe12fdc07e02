import { expect, test } from "bun:test";
import { importJobs } from "../../src/import/jobs.ts";
import { itemImporter } from "../../src/inventory/import/import.ts";
import { type Browser, browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { working } from "../support/jobs.ts";
import { aLocation, anItem, api, bob } from "../support/mod.ts";
import { uploaded } from "../support/upload.ts";

const JOBS = importJobs([itemImporter]);

function summary(html: string) {
  return texts(html, ".imports p")[0];
}

/** Follows the progress, as the page does, until the preview or the result is there. */
async function followed(own: Browser, path: string): Promise<string> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { text } = await own.get(path, { headers: HTMX });
    if (elements(text, "progress").length === 0) return text;
    await Bun.sleep(50);
  }
  throw new Error("The job did not end");
}

function sent(html: string, action: string): Record<string, string> {
  const fields = elements(html, ".imports input[type=hidden]");
  const hidden = fields.map(({ attributes: { name, value } }) => [name!, value!]);
  return { ...Object.fromEntries(hidden), action };
}

test("a long file is checked and applied by jobs, with their progress, as one change", async () => {
  await aLocation({ name: "Hall A" });
  await anItem({ ics_id: "AAA001", serial_number: "SN" });
  const own = await browser(bob);
  const rows = Array.from({ length: 1_200 }, (_, at) => `;SN-${at};Hall A`);
  const path = await uploaded(
    own,
    `ICS id;Serial number;Location\nAAA001;SN;Nowhere\n${rows.join("\n")}`,
  );
  const waiting = await own.get(path);
  expect(texts(waiting.text, "#import .note p")).toEqual(["Checking 1,201 rows…"]);
  expect(elements(waiting.text, "#import progress")).toHaveLength(1);
  // What a script puts into a page is not left out: it would load the page again under the hands of the user.
  expect(waiting.text).toContain("<noscript>");
  const part = await own.get(path, { headers: HTMX });
  expect(elements(part.text, "progress")).toHaveLength(1);
  expect(part.text).not.toContain("<noscript>");
  await working(async () => {
    const preview = await followed(own, path);
    expect(summary(preview)).toBe("1,200 new, 1 refused");
    const applied = await own.submit(path, sent(preview, "good"));
    expect(applied.status).toBe(303);
    const done = await followed(own, path);
    expect(texts(done, ".done p")[0]).toStartWith("Added 1,200 items.");
    expect(summary(done)).toBe("1 refused");
    const [undo] = elements(done, ".done form");
    expect((await own.submit(undo!.attributes.action!, {})).status).toBe(303);
    expect((await api(bob).get("/inventory/items")).body).toHaveLength(1);
  }, JOBS);
}, 120_000);

test("a long file that others have overtaken is not applied, and shows what has changed", async () => {
  const own = await browser(bob);
  const rows = Array.from({ length: 1_001 }, (_, at) => `SN-${at};Hall A`);
  const path = await uploaded(own, `Serial number;Location\n${rows.join("\n")}`);
  await working(async () => {
    const refused = await followed(own, path);
    expect(summary(refused)).toBe("1,001 refused");
    await aLocation({ name: "Hall A" });
    const again = await own.submit(path, { action: "check" });
    expect(again.status).toBe(303);
    const preview = await followed(own, path);
    expect(summary(preview)).toBe("1,001 new");
    await api(bob).post("/inventory/items", { ics_id: "AAA001", serial_number: "SN-7" });
    await own.submit(path, sent(preview, "all"));
    const told = await followed(own, path);
    expect(texts(told, ".note.bad")[0]).toContain("Records have changed since the preview");
    expect(summary(told)).toBe("1,001 new");
    expect((await api(bob).get("/inventory/items")).body).toHaveLength(1);
  }, JOBS);
}, 120_000);
