// A browser whose camera shows a QR code, or that has no camera; and a reader of images.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import QRCode from "qrcode";
import { executablePath } from "./chromium.ts";
import { service } from "./service.ts";

const [WIDTH, HEIGHT, DOT] = [640, 480, 10];

export interface Camera {
  page: Page;
  complaints: string[];
  close(): Promise<void>;
}

/** The permission for the camera is always given. */
export async function aCamera(shows: string): Promise<Camera> {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-camera-"));
  const film = join(directory, "film.y4m");
  writeFileSync(film, filmOf(shows));
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      `--use-file-for-fake-video-capture=${film}`,
    ],
  });
  const page = await browser.newPage({ baseURL: (await service()).origin });
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  const close = async () => {
    await browser.close();
    rmSync(directory, { recursive: true });
  };
  return { page, complaints, close };
}

/** The text of the code in an image, by the library of the scan page, on a page of its own. */
export async function readCode(page: Page, png: Buffer): Promise<string | undefined> {
  await page.addScriptTag({ content: readFileSync(require.resolve("jsqr"), "utf8") });
  return page.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const { width, height } = image;
      const context = Object.assign(document.createElement("canvas"), { width, height }).getContext(
        "2d",
      )!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      return (window as any).jsQR(data, width, height)?.data;
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
}

/** Two frames in YUV4MPEG2, which the camera repeats. */
function filmOf(text: string): Buffer {
  const frame = Buffer.concat([Buffer.from("FRAME\n"), brightness(text), colourless()]);
  const header = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420mpeg2\n`;
  return Buffer.concat([Buffer.from(header), frame, frame]);
}

function brightness(text: string): Buffer {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: "M" });
  const picture = Buffer.alloc(WIDTH * HEIGHT, 235);
  const [left, top] = [WIDTH, HEIGHT].map((side) => (side - modules.size * DOT) / 2);
  for (let y = 0; y < modules.size * DOT; y += 1) {
    for (let x = 0; x < modules.size * DOT; x += 1) {
      const isDark = modules.get(Math.floor(y / DOT), Math.floor(x / DOT));
      if (isDark) picture[(top! + y) * WIDTH + left! + x] = 16;
    }
  }
  return picture;
}

function colourless(): Buffer {
  return Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
}
