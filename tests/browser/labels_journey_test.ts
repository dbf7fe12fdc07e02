import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readCode } from "../support/camera.ts";
import { allChecks } from "../support/checks.ts";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aManufacturer, aModel, anItem, bob, inOrder } from "../support/mod.ts";

setDefaultTimeout(180_000);

/** The sizes of a PDF's pages in millimetres; a point is 1/72 inch, and pages are cut to whole points. */
function sizesOf(pdf: Buffer): number[][] {
  const boxes = pdf.toString("latin1").matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g);
  return [...boxes].map(([, ...sides]) => sides.map((side) => Math.round(millimetres(side, 72))));
}

function millimetres(length: number | string, perInch: number): number {
  return (Number(length) / perInch) * 25.4;
}

const FORMATS = ["brother-tze-12", "avery-5267"];
if (allChecks) FORMATS.push("avery-l7163", "dymo-99012");

describe.skipIf(!hasChromium)("labels in the browser", () => {
  test("can be scanned, on paper and on the narrowest tape", async () => {
    await aManufacturer({ name: "Hewlett Packard Enterprise" });
    await aModel({ name: "ProLiant DL360 Gen10" });
    const words = { manufacturer: "Hewlett Packard Enterprise", model: "ProLiant DL360 Gen10" };
    const items = await inOrder(
      Array.from({ length: 5 }, (_, index) => () => anItem({ ics_id: `AAA00${index}`, ...words })),
    );
    const window = await aWindow({ deviceScaleFactor: 2 });
    const reader = await aWindow({ bypassCSP: true });
    const { page, complaints } = window;
    await logIn(window, bob);
    for (const format of FORMATS) {
      await page.goto(`/inventory/items/labels?format=${format}`);
      const labels = await page.locator(".paper .one").all();
      const read: Array<string | undefined> = [];
      for (const label of labels) {
        read.push(await readCode(reader.page, await label.screenshot()));
      }
      expect([format, read]).toEqual([format, items.map(({ ics_id }) => ics_id)]);
    }
    expect(complaints).toEqual([]);
    await window.close();
    await reader.close();
  });

  test("print in true millimetres, one sheet a page", async () => {
    await inOrder(Array.from({ length: 15 }, () => () => anItem()));
    const window = await aWindow();
    const { page } = window;
    await logIn(window, bob);
    const printed = async (format: string) => {
      await page.goto(`/inventory/items/labels?format=${format}`);
      return sizesOf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
    };
    expect(await printed("avery-l7163")).toEqual(Array(2).fill([210, 297]));
    expect(await printed("avery-5520")).toEqual([[216, 279]]);
    expect(await printed("brother-tze-12")).toEqual(Array(15).fill([50, 12]));
    expect(await printed("dymo-99012")).toEqual(Array(15).fill([89, 36]));
    await page.emulateMedia({ media: "print" });
    const paper = await page.locator(".paper").first().boundingBox();
    const sides = [paper!.x, paper!.y, paper!.width, paper!.height];
    expect(sides.map((side) => Math.round(millimetres(side, 96)))).toEqual([0, 0, 89, 36]);
    await window.close();
  });
});
