import { chromium } from "playwright-core";
const [,, width, scheme, ...paths] = process.argv;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox","--disable-gpu"] });
const context = await browser.newContext({ baseURL: "http://127.0.0.1:4650", viewport: { width: Number(width), height: width === "375" ? 812 : 800 }, colorScheme: scheme as any });
const a = await context.request.post("/user/login", { form: { username: "alice", password: "correct-horse-battery" }, headers: { "sec-fetch-site": "same-origin" }, maxRedirects: 0 });
console.log(a.status());
const page = await context.newPage();
page.on("console", m => m.type()==="error" && console.log(m.text()));
page.on("pageerror", m => console.log(m.message));
for (const [i, path] of paths.entries()) {
  await page.goto(path);
  if (i===0) {}
  const w = await page.evaluate(() => document.documentElement.scrollWidth);
  console.log(path, w);
  await page.screenshot({ path: `/tmp/leads-shots/${width}-${scheme}-${i}.png`, fullPage: width === "375" });
}
await browser.close();
