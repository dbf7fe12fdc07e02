import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { corner, formats, perPaper } from "../../src/inventory/labels/formats.ts";
import { type Browser, browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, aModel, anItem, bob, carol, inOrder, service } from "../support/mod.ts";

const PATH = "/inventory/items/labels";

async function labelled(own: Browser, query: string) {
  const { status, text } = await own.get(`${PATH}?${query}`);
  const codes = elements(text, ".paper svg.qr").map(({ attributes }) => attributes["aria-label"]);
  return { status, text, ids: codes.map((code) => code!.replace("QR code of ", "")) };
}

/** In one statement, because there are many. */
async function manyItems(count: number): Promise<void> {
  const { sql } = await service();
  await sql`
    insert into items (ics_id, serial_number)
    select 'A' || chr(65 + n / 1000) || 'A' || lpad((n % 1000)::text, 3, '0'), 'S' || n
    from generate_series(0, ${count - 1}::int) n`;
}

describe("GET /inventory/items/labels", () => {
  test("shows a code and the texts of each item that the filters find", async () => {
    await aLocation({ name: "Hall A" });
    await anItem({ serial_number: "S1", ics_id: "AAA001", location: "Hall A" });
    await anItem({ serial_number: "S2", ics_id: "AAA002", location: "Hall A" });
    await anItem({ serial_number: "S3", ics_id: "AAA003" });
    const own = await browser(carol);
    expect((await labelled(own, "location=Hall%20A")).ids).toEqual(["AAA001", "AAA002"]);
    expect((await labelled(own, "location=Hall%20A&sort=-ics_id")).ids).toEqual([
      "AAA002",
      "AAA001",
    ]);
    expect((await labelled(own, "ics_id=AAA003&ics_id=AAA001&page=7&cols=host")).ids).toEqual([
      "AAA001",
      "AAA003",
    ]);
    const { text } = await labelled(own, "q=S2");
    expect(texts(text, ".paper text")).toEqual(["AAA002", "S2"]);
  });

  test("starts at the chosen position and continues on the next sheet", async () => {
    const made = await inOrder(Array.from({ length: 15 }, () => () => anItem()));
    const own = await browser(bob);
    const { text, ids } = await labelled(own, "format=avery-l7162&start=3");
    expect(ids).toEqual(made.map(({ ics_id }) => ics_id));
    const papers = elements(text, ".paper").map(({ attributes }) => attributes);
    expect(papers).toHaveLength(2);
    expect(papers[0]).toMatchObject({ width: "210mm", height: "297mm", viewbox: "0 0 210 297" });
    const places = elements(text, ".one").map(({ attributes: { x, y } }) => [Number(x), Number(y)]);
    expect(places[0]![0]).toBeCloseTo(4.65);
    expect(places[0]![1]).toBeCloseTo(46.8);
    expect(places[14]![1]).toBeCloseTo(12.9);
  });

  test("prints 500 at most, and says so beyond", async () => {
    await manyItems(500);
    const own = await browser(bob);
    expect((await labelled(own, "format=avery-5267")).ids).toHaveLength(500);
    await anItem();
    const beyond = await labelled(own, "");
    expect([beyond.status, beyond.ids]).toEqual([422, []]);
    expect(texts(beyond.text, ".note.bad")).toEqual([
      "The list has 501 items; filter it to print at most 500 labels at once",
    ]);
  });

  test("says what is wrong with an option, and with a filter", async () => {
    await anItem();
    const own = await browser(bob);
    const strange = await labelled(own, "format=papyrus");
    expect([strange.status, strange.ids]).toEqual([422, []]);
    expect(texts(strange.text, ".note.bad")).toEqual(["Choose one of the paper formats below"]);
    for (const start of ["0", "17", "x", "-1", "1e1"]) {
      const { status, text } = await labelled(own, `format=avery-l7162&start=${start}`);
      expect([start, status]).toEqual([start, 422]);
      expect(texts(text, ".note.bad"), start).toEqual(["Start at a position from 1 to 16"]);
    }
    expect((await labelled(own, "colour=red")).status).toBe(422);
    expect(texts((await labelled(own, "ics_id=XXX999")).text, ".empty p")[0]).toBe(
      "No matching items to print",
    );
  });
});

describe("each format", () => {
  test("shows a long model in full, on several lines", async () => {
    const model = "Fast digitizer with 16 channels and mezzanine SIS8325-KU-EXTENDED-TEMPERATURE";
    await aModel({ name: model });
    await anItem({ ics_id: "AAA001", serial_number: "S1", model });
    const own = await browser(carol);
    for (const { name } of formats) {
      const { text } = await labelled(own, `format=${name}`);
      const [id, serial, ...lines] = texts(text, ".paper text");
      expect([name, id, serial]).toEqual([name, "AAA001", "S1"]);
      expect(lines.join("").replaceAll(/\s/g, ""), name).toBe(model.replaceAll(" ", ""));
    }
  });

  test.each(formats.map((format) => [format.name, format] as const))(
    "%s fits its sheet, and its sheet has a page of its size",
    (_name, format) => {
      const { paper, label } = format;
      const last = corner(format, perPaper(format) - 1);
      expect(last.x + label.width).toBeLessThanOrEqual(paper.width + 0.01);
      expect(last.y + label.height).toBeLessThanOrEqual(paper.height + 0.01);
      expect(format.pitch.across).toBeGreaterThanOrEqual(label.width);
      expect(format.pitch.down).toBeGreaterThanOrEqual(label.height);
      const sheet = readFileSync(new URL("../../static/print.css", import.meta.url), "utf8");
      expect(sheet).toContain(
        `@page ${paper.name} {\n    size: ${paper.width}mm ${paper.height}mm;\n    margin: 0;`,
      );
      expect(sheet).toContain(`.paper.${paper.name} {\n    page: ${paper.name};`);
    },
  );
});
