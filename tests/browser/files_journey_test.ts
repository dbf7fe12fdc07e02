// Photos and documents, from the phone to the record.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { aCamera } from "../support/camera.ts";
import { aWindow, excessWidth, hasChromium, logIn } from "../support/chromium.ts";
import { aPdf } from "../support/files.ts";
import { anItem, api, bob } from "../support/mod.ts";

setDefaultTimeout(180_000);

/** A photo of a camera that is held upright: the picture lies on its side, and its metadata say so. */
async function aPhoto(page: Page): Promise<Buffer> {
  const plain = Buffer.from(
    await page.evaluate(() => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 3000, height: 2000 });
      const context = canvas.getContext("2d")!;
      context.fillStyle = "red";
      context.fillRect(0, 0, 1500, 2000);
      return canvas.toDataURL("image/jpeg").split(",")[1]!;
    }),
    "base64",
  );
  const rotated = "ffe100224578696600004d4d002a000000080001011200030000000100060000000000000000";
  return Buffer.concat([plain.subarray(0, 2), Buffer.from(rotated, "hex"), plain.subarray(2)]);
}

/** Scripts of parts of a page come with the first click; no person chooses files as fast as a test. */
async function loadScripts(page: Page): Promise<void> {
  await page.locator("h1").click();
  await page.evaluate(
    () => import(document.querySelector<HTMLElement>("[data-script]")!.dataset.script!),
  );
}

describe.skipIf(!hasChromium)("bob photographs", () => {
  test("what he scans, in three taps, and scans on", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const camera = await aCamera("AAA001");
    const { page, complaints } = camera;
    await page.setViewportSize({ width: 390, height: 800 });
    await logIn(camera, bob);
    await page.goto("/inventory/scanner");
    await page.getByRole("button", { name: "Camera" }).click();
    await page.locator("#scanned td a.open").waitFor();
    const photo = await aPhoto(page);
    await loadScripts(page);
    const chooser = page.waitForEvent("filechooser");
    await page.getByText("Photograph").click();
    expect(await page.locator(".photograph [name=file]").getAttribute("capture")).toBe(
      "environment",
    );
    await (await chooser).setFiles({ name: "IMG_1.jpg", mimeType: "image/jpeg", buffer: photo });
    await page.locator("#toasts").getByText("Added the file").waitFor();
    const files = (await api(bob).get(`/inventory/items/${id}/files`)).body;
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject({ name: "IMG_1.jpg", type: "image/jpeg", is_picture: true });
    const size = await page.evaluate(async (path) => {
      const image = new Image();
      image.src = path;
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    }, `/files/items/${id}/${files[0].id}/content`);
    expect(size).toEqual([1365, 2048]);
    expect(await page.locator("#camera").isVisible()).toBe(true);
    await page.locator("#scan").fill("AAA001");
    await page.keyboard.press("Enter");
    await page.locator('#scanned[data-count="2"]').waitFor();
    expect(await excessWidth(page)).toBeLessThanOrEqual(0);
    await page.evaluate(() => {
      const stream = document.querySelector("video")!.srcObject as MediaStream;
      for (const track of stream.getTracks()) track.stop();
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.waitForFunction(() => {
      const stream = document.querySelector("video")!.srcObject as MediaStream | null;
      return stream?.getTracks().every(({ readyState }) => readyState === "live");
    });
    expect(complaints).toEqual([]);
    await camera.close();
  });

  test("several at once, drags one to the front, and sees the picture everywhere", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto("/inventory/items/view/AAA001");
    const photo = await aPhoto(page);
    const chooser = page.waitForEvent("filechooser");
    await page.getByLabel("Add photos or documents").click();
    await (await chooser).setFiles([
      { name: "plate.jpg", mimeType: "image/jpeg", buffer: photo },
      { name: "certificate.pdf", mimeType: "application/pdf", buffer: aPdf() },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("L1 brown\nL2 black") },
    ]);
    const entries = page.locator("#files li");
    await entries.nth(2).waitFor();
    await page.getByText("L1 brown").waitFor();
    await entries.nth(2).dragTo(entries.nth(0));
    await page.locator("#files li:first-child", { hasText: "notes.txt" }).waitFor();
    const listed = (await api(bob).get(`/inventory/items/${id}/files`)).body;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual([
      ...["notes.txt", "plate.jpg", "certificate.pdf"],
    ]);
    await page.goto("/inventory/items");
    const picture = page.locator("td.picture img");
    await picture.waitFor();
    const [width, natural] = await picture.evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      return [image.width, image.naturalHeight];
    });
    expect([width, natural]).toEqual([28, 160]);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("nothing that is damaged: the sentence stays, and what came before is kept", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    const window = await aWindow();
    const { page } = window;
    await logIn(window, bob);
    await page.goto("/inventory/items/view/AAA001");
    await loadScripts(page);
    await page.getByLabel("Add photos or documents").setInputFiles([
      { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") },
      { name: "b.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4 cut") },
      { name: "c.txt", mimeType: "text/plain", buffer: Buffer.from("c") },
    ]);
    await page.locator("#files [role=alert]").getByText("damaged").waitFor();
    expect((await api(bob).get(`/inventory/items/${id}/files`)).body).toHaveLength(1);
    await window.close();
  });
});
