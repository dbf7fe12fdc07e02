// The ways in which a person uses the pages: by mouse with and without scripting, and by keyboard alone.
import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import type { Person } from "./cast.ts";
import { allChecks } from "./checks.ts";
import { aWindow, logIn, type Window } from "./chromium.ts";

const ALL_WAYS = ["by keyboard alone", "without scripting", "with scripting"] as const;
/** The keyboard uses the scripts, too. Tests of the pages send forms without them; here that is for all checks. */
export const WAYS = allChecks ? ALL_WAYS : ALL_WAYS.slice(0, 1);
/** For a journey of links and simple forms, which the script does not change for a mouse. */
export const OTHER_WAYS = WAYS.slice(0, 2);
/** For a journey that nobody makes by keyboard alone. */
export const MOUSE_WAYS = allChecks ? ALL_WAYS.slice(1) : ALL_WAYS.slice(2);
export type Way = (typeof ALL_WAYS)[number];

export interface Journey extends Window {
  page: Page;
  way: Way;
  hasScript: boolean;
  isByKeyboard: boolean;
  /** Clicks a link, a button or a checkbox, or presses the key for it. */
  press(control: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Chooses an option of a select by its label. */
  choose(select: Locator, option: string): Promise<void>;
  /** Answers the question before a deletion: in a dialog, or on a page without scripting. */
  confirm(verb: string): Promise<void>;
  /** Presses a key for those who know it, or the control that it stands for. */
  shortcut(key: string, control: Locator): Promise<void>;
  /** Presses a link to a file; returns its text. */
  download(link: Locator): Promise<string>;
  /** Checks that the browser reported no errors, except for refused requests with one of these statuses. */
  end(...refusals: number[]): Promise<void>;
}

export async function aJourney(
  way: Way,
  person: Person,
  options: Parameters<typeof aWindow>[0] = {},
): Promise<Journey> {
  const hasScript = way !== "without scripting";
  const isByKeyboard = way === "by keyboard alone";
  const window = await aWindow({ javaScriptEnabled: hasScript, ...options });
  await logIn(window, person);
  const { page } = window;
  const hands = isByKeyboard ? keyboardOf(page) : mouse;
  return {
    ...window,
    ...hands,
    way,
    hasScript,
    isByKeyboard,
    confirm: (verb) => hands.press(page.getByRole("button", { name: verb, exact: true })),
    shortcut: async (key, control) => {
      if (!isByKeyboard) return hands.press(control);
      // The script that knows the keys runs before the page is loaded.
      await page.waitForLoadState();
      await page.keyboard.press(key);
    },
    download: async (link) => {
      const [file] = await Promise.all([page.waitForEvent("download"), hands.press(link)]);
      return Bun.file(await file.path()).text();
    },
    end: async (...refusals) => {
      const isExpected = (text: string) => refusals.some((status) => text.includes(` ${status} `));
      expect(window.complaints.filter((text) => !isExpected(text))).toEqual([]);
      await window.close();
    },
  };
}

type Hands = Pick<Journey, "press" | "write" | "choose">;

const mouse: Hands = {
  press: (control) => control.click(),
  write: (field, text) => field.fill(text),
  choose: async (select, option) => {
    await select.selectOption({ label: option });
  },
};

function keyboardOf(page: Page): Hands {
  return {
    press: async (control) => {
      const isBox = (await control.getAttribute("type")) === "checkbox";
      await tabTo(page, control);
      await page.keyboard.press(isBox ? "Space" : "Enter");
    },
    write: async (field, text) => {
      await tabTo(page, field);
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
    },
    choose: async (select, option) => {
      await tabTo(page, select);
      await page.keyboard.type(option);
    },
  };
}

/** More than the stops of any page. */
const MOST_STOPS = 250;

/** Moves the focus by Tab and Shift+Tab, and checks at each stop that one sees where it is. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    const { isThere, key, problem } = await control.evaluate(lookAtFocus);
    expect([new URL(page.url()).pathname, problem]).toEqual([new URL(page.url()).pathname, ""]);
    if (isThere) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${control}`);
}

/** Runs in the page: whether the element has the focus, otherwise the key towards it; what hides the focus. */
function lookAtFocus(wanted: Element) {
  const focused = document.activeElement ?? document.body;
  const isBefore = wanted.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING;
  const isSkip = focused.matches(".skip") && document.querySelector("main")?.contains(wanted);
  const isPage = focused.matches("body, main");
  return {
    isThere: focused === wanted,
    key: isSkip ? "Enter" : isBefore && !isPage ? "Shift+Tab" : "Tab",
    problem: isPage || isSeen() ? "" : focused.outerHTML.slice(0, 200),
  };

  function isSeen(): boolean {
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    // A drawing marks its parts, and the browser marks the parts of a date field.
    const isPart = focused instanceof SVGElement || !focused.matches(":focus");
    const hasRing = isPart || (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1);
    return hasRing && [...focused.getClientRects()].some(isUncovered);
  }

  function isUncovered({ x, y, width, height }: DOMRect): boolean {
    const found = document.elementFromPoint(x + width / 2, y + height / 2);
    return found !== null && (focused.contains(found) || found.contains(focused));
  }
}
