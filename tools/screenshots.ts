// npm run screenshots [-- NAME…]: takes pictures of the main pages with the demo data, for docs/screenshots.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

const ROOT = join(import.meta.dir, "..");
const TARGET = join(ROOT, "docs", "screenshots");
const ADMIN = "alice";
const PASSWORD = "ten pages make a tour";

/** The address of each page, or of a list whose first record is shown. */
const PAGES: Record<string, string | { firstOf: string }> = {
  home: "/",
  items: "/inventory/items",
  item: { firstOf: "/inventory/items" },
  scan: "/inventory/scanner",
  hosts: "/network/hosts",
  host: { firstOf: "/network/hosts" },
  networks: "/network/networks",
  network: { firstOf: "/network/networks" },
  changes: "/changes",
  admin: "/admin",
};

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 375, height: 740 };
const VIEWS = [
  { suffix: "", viewport: DESKTOP, colorScheme: "light" },
  { suffix: "-dark", viewport: DESKTOP, colorScheme: "dark" },
  // With isMobile, scrollbars lie over the page and take no space.
  { suffix: "-phone", viewport: PHONE, colorScheme: "light", isMobile: true },
] as const;

const directory = await mkdtemp(join(tmpdir(), "cadastre-screenshots-"));
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  DATABASE_URL: "",
  DATA_DIR: directory,
  HOST: "127.0.0.1",
  PORT: String(port),
  LOG_LEVEL: "error",
};

try {
  const seeding = cadastre(["seed", "--password-stdin"], new Blob([`${PASSWORD}\n`]));
  if ((await seeding.exited) !== 0) throw new Error("The demo data could not be made");
  const serving = cadastre(["serve"]);
  try {
    await takeAll(process.argv.slice(2));
  } finally {
    serving.kill("SIGTERM");
    await serving.exited;
  }
} finally {
  await rm(directory, { recursive: true });
}

function cadastre(args: string[], stdin: Blob = new Blob()) {
  const stdio = { stdin, stdout: "ignore", stderr: "inherit" } as const;
  return Bun.spawn([process.execPath, "src/main.ts", ...args], { cwd: ROOT, env, ...stdio });
}

async function takeAll(names: string[]): Promise<void> {
  await ready();
  await mkdir(TARGET, { recursive: true });
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox"],
    // Pages leave space for it.
    ignoreDefaultArgs: ["--hide-scrollbars"],
  });
  for (const { suffix, ...view } of VIEWS) {
    const context = await browser.newContext({ baseURL: origin, ...view });
    await logIn(context);
    const page = await context.newPage();
    for (const name of names.length > 0 ? names : Object.keys(PAGES)) {
      await show(page, name);
      await page.screenshot({ path: join(TARGET, `${name}${suffix}.png`) });
    }
    await context.close();
  }
  await browser.close();
}

async function show(page: Page, name: string): Promise<void> {
  const where = PAGES[name];
  if (!where) throw new Error(`There is no page ${name}: ${Object.keys(PAGES).join(", ")}`);
  if (typeof where === "string") await page.goto(where);
  else {
    await page.goto(where.firstOf);
    await page.locator("table.list tbody a").first().click();
  }
  await page.waitForLoadState("networkidle");
}

async function logIn(context: BrowserContext): Promise<void> {
  const answer = await context.request.post("/user/login", {
    form: { username: ADMIN, password: PASSWORD },
    headers: { "sec-fetch-site": "same-origin" },
    maxRedirects: 0,
  });
  if (answer.status() !== 303) throw new Error(`${ADMIN} could not log in: ${answer.status()}`);
}

async function ready(): Promise<void> {
  const due = performance.now() + 60_000;
  while (performance.now() < due) {
    const isReady = await fetch(`${origin}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await Bun.sleep(50);
  }
  throw new Error("The service does not start");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
