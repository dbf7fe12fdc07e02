// Draws the photos and the certificate of the demo data (src/demo/files) from the pages in this folder; it needs Chromium.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const TARGET = join(import.meta.dir, "..", "..", "src", "demo", "files");
const CERTIFICATE = "certificate.html";
const margin = { top: "15mm", right: "14mm", bottom: "15mm", left: "14mm" };

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
for (const name of readdirSync(import.meta.dir).filter((one) => one.endsWith(".html"))) {
  await page.goto(`file://${join(import.meta.dir, name)}`);
  const path = (type: string) => join(TARGET, name.replace("html", type));
  if (name === CERTIFICATE) await page.pdf({ path: path("pdf"), format: "A5", margin });
  else await page.screenshot({ path: path("jpg"), type: "jpeg", quality: 62 });
}
await browser.close();
