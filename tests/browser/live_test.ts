// What others change appears on the pages that are open, and nothing that their users are doing is disturbed.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page, Request } from "playwright-core";
import { itemExport } from "../../src/inventory/items/export.ts";
import type { JobKind } from "../../src/jobs/worker.ts";
import { ALL, axeOf } from "../support/axe.ts";
import { browser } from "../support/browser.ts";
import { aWindow, hasChromium, logIn, type Window } from "../support/chromium.ts";
import { waitUntil } from "../support/event_stream.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { JSON_ONLY, working } from "../support/jobs.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  bob,
  carol,
  dave,
  type Person,
  serve,
  service,
  visit,
} from "../support/mod.ts";
import { anInactiveTrigger } from "../support/triggers.ts";

setDefaultTimeout(180_000);

const NETWORK = "/network/networks/view/Bench";
const HOST = "/network/hosts/view/pc-01";

async function aBench(): Promise<number> {
  await aScope({ name: "Laboratory", first_vlan: 100, last_vlan: 199, supernet: "10.8.0.0/16" });
  await aNetwork({ scope: "Laboratory", vlan_name: "Bench", vlan_id: 100, address: "10.8.0.0/24" });
  const { id } = await aHost({ name: "pc-01", description: "Old" });
  await anInterface({ host: "pc-01", network: "Bench", ip: "10.8.0.2" });
  return id;
}

/** Watches a page from its start: marks last two seconds, which a busy machine may sleep through. */
function watch(): void {
  const seen = { marked: [] as string[], messages: [] as any[] };
  Object.assign(window, { seen });
  new MutationObserver((all) => {
    for (const { target, addedNodes } of all) {
      for (const node of [target, ...addedNodes]) {
        if (!(node instanceof Element)) continue;
        const units = [...node.querySelectorAll("[data-fresh]")];
        if (node.matches("[data-fresh]")) units.push(node);
        seen.marked.push(...units.map((unit) => unit.textContent?.trim() ?? ""));
      }
    }
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["data-fresh"] });
  new BroadcastChannel("live").onmessage = ({ data }) => seen.messages.push(data);
}

/** The pauses of a page are a quarter as long. */
function hurry(): void {
  const { setTimeout } = window;
  const hurried = (work: () => void, pause = 0, ...more: unknown[]) =>
    setTimeout(work, pause > 5_000 ? pause : pause / 4, ...more);
  Object.assign(window, { setTimeout: hurried });
}

/** The clock of the page is fast by this much. */
function shiftClock(shift: number): void {
  const { now } = Date;
  Date.now = () => now() + shift;
}

interface Tabs extends Window {
  context: BrowserContext;
  /** The requests for the stream. */
  streams: Page[];
  /** The requests for jobs. */
  asked: string[];
  open(path: string, before?: (page: Page) => Promise<void>): Promise<Page>;
}

async function tabsOf(
  person: Person,
  { baseURL, isHurried = true }: { baseURL?: string; isHurried?: boolean } = {},
): Promise<Tabs> {
  const window = await aWindow(baseURL === undefined ? {} : { baseURL });
  await logIn(window, person);
  const context = window.page.context();
  await context.addInitScript(watch);
  if (isHurried) await context.addInitScript(hurry);
  const streams: Page[] = [];
  const asked: string[] = [];
  context.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === "/live") streams.push(request.frame().page());
    if (pathname.startsWith("/status/")) asked.push(pathname);
  });
  const open: Tabs["open"] = async (path, before = async () => {}) => {
    const page = window.page.url() === "about:blank" ? window.page : await context.newPage();
    await before(page);
    await page.goto(path);
    await page.waitForFunction(() => document.adoptedStyleSheets.length > 0);
    return page;
  };
  return { ...window, context, streams, asked, open };
}

/** The page of a job hears of it again and again while it waits for an answer. */
async function hearWhileAsking(context: BrowserContext, job: Page): Promise<void> {
  await context.route("**/status/*", async (route) => {
    await Bun.sleep(300);
    await route.continue();
  });
  await job.evaluate(async () => {
    const live = document.querySelector<HTMLElement>("[data-live]")?.dataset.live ?? "";
    const channel = new BroadcastChannel("live");
    for (let count = 0; count < 6; count += 1) {
      channel.postMessage({ job: Number(live.replace("jobs:", "")) });
      await new Promise((resolve) => setTimeout(resolve, 800));
    }
  });
}

/** An export that is at 40 % until then. */
function exportUntil(end: Promise<void>): JobKind {
  return {
    name: itemExport.name,
    run: async ({ report }) => {
      report(40, "Half");
      await end;
      return { result: "", message: "All", hosts: [] };
    },
  };
}

async function openStreams(): Promise<number> {
  const { text } = await visit("/metrics");
  return Number(/^cadastre_event_streams (\d+)$/m.exec(text)?.[1]);
}

/** As when another tab comes to the front. */
function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Whether no request is added for more than half a second, soon. */
async function becomesQuiet(asked: string[]): Promise<boolean> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = asked.length;
    await Bun.sleep(600);
    if (asked.length === before) return true;
  }
  return false;
}

/** Until something with this text was marked. */
async function marked(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => (window as any).seen.marked.some((one: string) => one.includes(wanted)),
    text,
  );
}

function told(page: Page, text: string): Promise<void> {
  return page.locator("p.hidden[role=status]").getByText(text).waitFor({ state: "attached" });
}

describe.skipIf(!hasChromium)("while alice looks", () => {
  test("a list, a record, a map and a form show what dave changes, by one stream", async () => {
    const id = await aBench();
    const { open, streams, complaints, close } = await tabsOf(alice);
    const list = await open("/network/hosts");
    const record = await open(HOST);
    const map = await open(NETWORK);
    const log = await open("/changes");
    const steps = await list.evaluate(() => history.length);
    let violations: Awaited<ReturnType<typeof axeOf>> | undefined;
    const form = await open("/network/hosts/edit/pc-01", async (page) => {
      violations = await axeOf(page);
      // A moment beyond the end of the present minute: the times of changes are to the minute.
      await page.addInitScript(shiftClock, 61_000 - (Date.now() % 60_000));
    });
    const variables = form.getByLabel("Variables");
    await variables.fill('{"a": 1}');
    await record.evaluate(() => scrollTo(0, 40));

    await api(dave).patch(`/network/hosts/${id}`, { description: "New" });
    const { body } = await api(dave).post("/network/hosts", {
      name: "pc-02",
      device_type: "Physical",
    });
    await anInterface({ host: "pc-02", network: "Bench", ip: "10.8.0.5" });
    await Promise.all([
      marked(list, "pc-02").then(() => told(list, "by")),
      marked(record, "New").then(() => told(record, "Updated: pc-01, by")),
      marked(map, "10.8.0.5 pc-02"),
      marked(log, "pc-02"),
      form.getByText("dave changed the description just now").waitFor(),
    ]);
    expect(await record.evaluate(() => scrollY)).toBe(40);
    expect(await list.evaluate(() => history.length)).toBe(steps);
    expect(streams.length).toBe(1);
    await Promise.all(
      [list, record, map].map((page) =>
        page.waitForSelector("[data-fresh]", { state: "detached" }),
      ),
    );
    // Only what is new was marked.
    expect(await record.evaluate(() => (window as any).seen.marked)).not.toContain("pc-01");

    expect(await variables.inputValue()).toBe('{"a": 1}');
    expect(await variables.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await violations?.(ALL)).toEqual([]);
    await form.evaluate(shiftClock, 61_000);
    await form.evaluate("sayTimes()");
    await form.getByText(/dave changed the description \d minutes? ago/).waitFor();
    await variables.press("Control+Enter");
    await form.getByText("saved this host").waitFor();
    await form.getByLabel("Variables").press("Control+Enter");
    await form.waitForURL(HOST);
    const { body: saved } = await api(alice).get(`/network/hosts/${id}`);
    expect(saved).toMatchObject({ description: "New", automation_vars: { a: 1 } });

    await api(dave).delete(`/network/hosts/${body.id}`);
    await list.locator(`#row-${body.id}`).waitFor({ state: "detached" });
    expect(complaints.filter((text) => !text.includes(" 412 "))).toEqual([]);
    await close();
  });

  test("what she is doing stays as it is until she wants to see the changes", async () => {
    const id = await aBench();
    const { open, close } = await tabsOf(alice);
    const [list, record] = [await open("/network/hosts"), await open(HOST)];
    const text = record.locator("#describe-description");
    await record.getByTitle("Change").click();
    await text.fill("Typed");
    const box = list.locator(`#row-${id} [name=id]`);
    await box.check();

    await api(dave).patch(`/network/hosts/${id}`, { description: "New" });
    const { body } = await api(dave).post("/network/hosts", {
      name: "pc-02",
      device_type: "Physical",
    });
    const show = (page: Page) => page.locator(".offers").getByRole("button", { name: "Show" });
    await Promise.all([show(list).waitFor(), show(record).waitFor()]);
    expect(await record.locator(".offers").innerText()).toMatch(/^\d changes?\s+Show$/);
    expect(await list.locator(`#row-${body.id}`).count()).toBe(0);
    await Promise.all([show(list).click(), show(record).click()]);
    await Promise.all([marked(list, "pc-02"), marked(record, "New")]);
    expect(await box.isChecked()).toBe(true);
    expect(await text.inputValue()).toBe("Typed");
    expect(await text.isVisible()).toBe(true);

    // Her own change is shown, but not marked.
    const ownIsShown = record.waitForResponse(
      (response) => "hx-live" in response.request().headers(),
    );
    await record.getByRole("button", { name: "Save", exact: true }).click();
    await record.getByText("Saved the description").waitFor();
    await ownIsShown;
    await api(dave).patch(`/network/hosts/${id}`, { is_ioc: true });
    await marked(record, "IOC");
    const all: string[] = await record.evaluate(() => (window as any).seen.marked);
    expect(all.filter((one) => one.startsWith("Typed"))).toEqual([]);

    await api(alice).delete(`/network/hosts/${id}`);
    await record.getByText("alice deleted pc-01").waitFor();
    await close();
  });

  test("a comment that she edits stays open, and is given up only after a question", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await api(alice).post(`/inventory/items/${id}/comments`, { body: "Fan is loud" });
    const { open, close } = await tabsOf(alice);
    const page = await open("/inventory/items/view/AAA001");
    const question = page.locator("dialog#confirm");
    await page.getByRole("link", { name: "Edit this comment" }).click();
    const text = page.getByLabel("Comment", { exact: true });
    await text.fill("Fan was loud");

    const answer = page.waitForResponse(async (response) => {
      const isLive = "hx-live" in response.request().headers();
      return isLive && (await response.text()).includes("SN-7");
    });
    await api(bob).patch(`/inventory/items/${id}`, { serial_number: "SN-7" });
    await answer;
    const show = page.locator(".offers").getByRole("button", { name: "Show" });
    await show.waitFor();
    expect(await question.isVisible()).toBe(false);
    await show.click();
    await question.getByText("Leave without saving?").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await text.inputValue()).toBe("Fan was loud");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".thread .prose").getByText("Fan was loud").waitFor();
    await close();
  });

  test("one tab has the stream; another takes over, and after a restart it goes on", async () => {
    const id = await aBench();
    const server = await serve({});
    const { port } = server;
    const { open, streams, context, close } = await tabsOf(alice, {
      baseURL: server.url.origin,
    });
    const tabs = [await open("/network/hosts"), await open(HOST), await open(HOST)];
    await api(dave).patch(`/network/hosts/${id}`, { description: "One" });
    await Promise.all(tabs.slice(1).map((page) => marked(page, "One")));
    const [leader] = streams;
    expect([streams.length, tabs.includes(leader!)]).toEqual([1, true]);

    await leader?.close();
    await api(dave).patch(`/network/hosts/${id}`, { description: "Two" });
    const rest = context.pages().filter((page) => page.url().includes(HOST));
    await Promise.all(rest.map((page) => marked(page, "Two")));
    expect(streams.length).toBe(2);

    // A tab in the background waits until somebody looks at it.
    const [front, back] = rest as [Page, Page];
    await back.evaluate(setHidden, true);
    await server.stop(true);
    await api(dave).patch(`/network/hosts/${id}`, { description: "Three" });
    const again = await serve({ PORT: String(port) });
    await marked(front, "Three");
    expect(await back.locator(".facts").innerText()).toContain("Two");
    await back.evaluate(setHidden, false);
    await marked(back, "Three");
    await close();
    await again.stop(true);
  });

  test("carol hears nothing of records that are hidden from her", async () => {
    const id = await aBench();
    const hidden = await aHiddenHost();
    const { open, complaints, close } = await tabsOf(carol);
    const list = await open("/network/hosts");
    await api(alice).patch(`/network/hosts/${hidden}`, { description: "Secret" });
    await api(alice).patch(`/network/hosts/${id}`, { name: "pc-09" });
    await marked(list, "pc-09");
    // The part that an earlier message asked for may show the new name before its message arrives.
    const heard = () => list.evaluate(() => JSON.stringify((window as any).seen.messages));
    const messages = await waitUntil(heard, (all) => all.includes("pc-09"));
    expect(messages).not.toContain("canary");
    expect(complaints).toEqual([]);

    // When her session has ended, the page stays as it is.
    const { sql } = await service();
    const refused = list.waitForResponse(
      (response) => response.status() === 401 && new URL(response.url()).pathname === "/live",
    );
    await sql`delete from sessions`;
    await refused;
    expect(await list.locator("#alerts, .offers").allInnerTexts()).toEqual(["", ""]);
    expect(list.url()).toEndWith("/network/hosts");
    await close();
  });

  test("a list that carol has open loses a host that becomes hidden, and gets it back", async () => {
    await aBench();
    const [network] = (await api(alice).get("/network/networks")).body;
    const setSensitive = (sensitive: boolean) =>
      api(alice).patch(`/network/networks/${network.id}`, { sensitive });
    const { open, close } = await tabsOf(carol);
    const list = await open("/network/hosts");
    const link = list.locator("#list").getByRole("link", { name: "pc-01" });
    await link.waitFor();
    await setSensitive(true);
    await link.waitFor({ state: "detached" });
    await setSensitive(false);
    await link.waitFor();
    await close();
  });

  test("a tab that is hidden for three minutes gives the stream up, and catches up when it is shown", async () => {
    const id = await aBench();
    const { open, streams, close } = await tabsOf(alice, { isHurried: false });
    const tab = await open(HOST, (page) => page.clock.install());
    const write = (description: string) => api(dave).patch(`/network/hosts/${id}`, { description });
    await waitUntil(openStreams, (count) => count === 1);
    await tab.evaluate(setHidden, true);
    await tab.clock.fastForward(170_000);
    await write("One");
    await Bun.sleep(300);
    expect(await openStreams()).toBe(1);
    await tab.clock.fastForward(20_000);
    await waitUntil(openStreams, (count) => count === 0);
    await write("Two");
    await tab.evaluate(setHidden, false);
    await waitUntil(openStreams, (count) => count === 1);
    await marked(tab, "Two");
    expect(streams.length).toBe(2);
    await close();
  });

  describe.each([
    ["with the stream, which says when to ask", true],
    ["without the stream, by asking again and again", false],
  ])("the page of a job shows how far it is, and its end: %s", (_, hasStream) => {
    test("by itself", async () => {
      await anItem();
      const { open, asked, context, close } = await tabsOf(alice);
      if (!hasStream) await context.route("**/live?*", (route) => route.fulfill({ status: 204 }));
      // This tab has the stream.
      await open("/network/hosts");
      const job = await open("/inventory/items/_generate_excel_file");
      const heard = () =>
        job.evaluate(() => (window as any).seen.messages.filter((one: any) => one.job).length);
      await job.getByText("Queued Waiting").waitFor();
      if (hasStream) {
        await job.waitForFunction(() => (window as any).seen.messages.some((one: any) => one.isOn));
      }
      if (hasStream) expect(await becomesQuiet(asked)).toBe(true);
      else await context.waitForEvent("request", (one) => one.url().includes("/status/"));
      const before = asked.length;
      const rest = Promise.withResolvers<void>();
      await working(async () => {
        await job.locator("progress[value='40']").waitFor();
        if (hasStream) await hearWhileAsking(context, job);
        rest.resolve();
        await job.getByText("Finished All").waitFor();
      }, [exportUntil(rest.promise)]);
      if (hasStream) expect(asked.length - before).toBeLessThanOrEqual(await heard());
      const last = asked.length;
      await Bun.sleep(500);
      expect(asked.length).toBe(last);
      await close();
    });
  });

  test("the list of jobs shows those that begin, and how far they are", async () => {
    const { open, close } = await tabsOf(alice);
    const list = await open("/admin/jobs");
    await list.getByText("No jobs").waitFor();
    await list.waitForFunction(() => (window as any).seen.messages.some((one: any) => one.isOn));
    await anItem();
    await (await browser(carol)).get("/inventory/items/_generate_excel_file", JSON_ONLY);
    const row = list.getByRole("row").filter({ hasText: "carol" });
    await row.getByText("queued").waitFor();
    const rest = Promise.withResolvers<void>();
    await working(async () => {
      await row.getByText("40 %").waitFor();
      rest.resolve();
      await row.getByText("finished").waitFor();
    }, [exportUntil(rest.promise)]);
    await marked(list, "finished");
    await close();
  });

  test("a job that a trigger starts for a host begins and ends on its page, which does not ask in between", async () => {
    const host = await aBench();
    const { sql } = await service();
    const trigger = await anInactiveTrigger();
    const { open, close } = await tabsOf(alice, { isHurried: false });
    const page = await open(HOST, (one) => one.clock.install());
    await page.waitForFunction(() => (window as any).seen.messages.some((one: any) => one.isOn));
    const [{ id: run }] = await sql`
      insert into trigger_runs (subscription_id, status, started_at, next_at)
      values (${trigger}, 'started', now(), now() + interval '1 hour') returning id`;
    await sql`insert into trigger_results values (${host}, ${trigger}, ${run})`;
    await page.getByText("DHCP is running").waitFor();
    let [asked, answered] = [0, 0];
    const count = (request: Request) => Number(request.url().endsWith(HOST));
    page.on("request", (request) => (asked += count(request)));
    page.on("requestfinished", (request) => (answered += count(request)));
    // What is planned already is asked for once; then for minutes nothing is. An answer that takes a minute would be a sign of a
    // service that is busy.
    for (let minute = 0; minute < 3; minute += 1) {
      await page.clock.fastForward(60_000);
      await Bun.sleep(100);
      await waitUntil(
        () => asked - answered,
        (open) => open === 0,
      );
      await Bun.sleep(100);
    }
    expect(asked).toBeLessThan(2);
    await sql`update trigger_runs set status = 'succeeded', finished_at = now() where id = ${run}`;
    await page.getByText("DHCP updated").waitFor();
    await marked(page, "DHCP updated");
    await close();
  });

  test("without a stream, pages are as they were", async () => {
    await aBench();
    const { open, context, close } = await tabsOf(alice);
    await context.route("**/live?*", (route) => route.fulfill({ status: 204 }));
    const list = await open("/network/hosts");
    await list.getByLabel("Filter hosts").fill("nothing");
    await list.getByText("No matching hosts").waitFor();
    await list.getByLabel("Filter hosts").fill("pc");
    await list.locator("#list").getByRole("link", { name: "pc-01" }).waitFor();
    await close();
  });
});
