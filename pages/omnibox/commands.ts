// The commands of the one box: lists and forms of all resources, and the pages in phrases.md, with the words that people use
// for them.
import { type Allowed, type Caller, may, whoMay } from "../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../src/auth/rights.ts";
import { singular } from "../../src/input/text.ts";
import { EDITORS } from "../../src/network/hosts/view.ts";
import { READERS } from "../../src/user/audit_log.ts";
import { AUDIT, TOKENS } from "../admin/paths.ts";
import { sources } from "../lists/sources.ts";
import { inTitle } from "../texts.ts";
import { PROFILE } from "../user/paths.ts";
import phrases from "./phrases.md" with { type: "text" };

export interface BoxCommand {
  label: string;
  /** Of those that the caller may give. */
  href?: string;
  /** A form with these fields is sent there instead. */
  sends?: { theme: string };
  /** The text says just this. */
  isExact: boolean;
  /** Who may give it, if the caller may not. */
  detail?: string;
}

interface Phrased extends Pick<BoxCommand, "label" | "sends"> {
  href: string;
  allowed?: Allowed;
  /** Other words for it. */
  phrases?: string[];
}

/** In a path: the name of the caller. */
const ME = ":me";

/** The lists whose records are added by a form in the list, or with another record. */
const WITHOUT_FORM = [TOKENS, AUDIT, "/network/interfaces", "/network/domains"];

const OWN = /\bmy\b/i;

/** What people call records besides their noun. */
const OTHER_NOUNS: Readonly<Record<string, string[]>> = {
  host: ["server", "machine", "computer", "virtual machine"],
  item: ["equipment", "asset", "crate", "part", "device"],
  location: ["rack", "room", "building", "place"],
  manufacturer: ["vendor", "supplier", "maker"],
  network: ["subnet", "vlan"],
  "site field": ["custom field"],
};

const OF_LISTS: Phrased[] = [...sources].flatMap(([href, { resource, readers }]) => {
  const { noun, plural, editors } = resource;
  const others = OTHER_NOUNS[noun] ?? [];
  const isInList = WITHOUT_FORM.includes(href) || href.startsWith("/inventory/attributes/");
  const allowed = readers ? { allowed: [...readers] } : {};
  return [
    {
      label: inTitle(plural),
      href,
      phrases: [
        ...["list of", "all", "how many", "number of", "count"].map(
          (words) => `${words} ${plural}`,
        ),
        ...others.map((one) => `how many ${one}`),
      ],
      ...allowed,
    },
    {
      label: `Add ${noun}`,
      href: isInList ? href : `${href}/create`,
      phrases: others.map((one) => `add ${one}`),
      allowed: [...editors],
    },
  ];
});

const WHO: Readonly<Record<string, Allowed>> = {
  inventory: INVENTORY_EDITORS,
  network: EDITORS,
  auditors: READERS,
  admins: ["admin"],
};

const ROW = /^\| (.*?) \| (\/.*?) \| (?:(\w+) )?\|(.*)\|$/gm;

const PAGES: Phrased[] = [...phrases.matchAll(ROW)].map(
  ([, label = "", href = "", who, said = ""]) => ({
    label,
    href,
    phrases: said.split(","),
    allowed: (who && WHO[who]) || "everyone",
  }),
);

const THEMES: Phrased[] = [
  themeOf("dark", ["dark theme", "night mode", "dark"]),
  themeOf("light", ["light theme", "day mode", "bright mode"]),
];

function themeOf(theme: string, phrases: string[]): Phrased {
  const label = `Switch to ${theme} mode`;
  return { label, href: PROFILE, sends: { theme }, phrases: [`${theme} mode`, ...phrases] };
}

// Words -------------------------------------------------------------------------------------------

const SHORTEST = 3;
const ASKING =
  /^\s*(?:how (?:do|can|to)(?: i| we)?|i (?:want|need|would like)(?: to)?|where (?:do|can|is|are)(?: i)?|can i|please|let me|go to|open|show(?: me)?)\s+/i;
const FILLERS = [
  "a",
  "an",
  "the",
  "to",
  "of",
  "in",
  "for",
  "some",
  "me",
  "is",
  "are",
  "on",
  "which",
  "there",
  "do",
  "we",
  "have",
];
const SAME = new Map([
  ...["create", "new", "make", "register", "insert"].map((verb) => [verb, "add"] as const),
  ...["see", "view"].map((verb) => [verb, "list"] as const),
]);

/** In the singular, without fillers, and with one word for each verb. */
function wordsIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => !FILLERS.includes(word))
    .map((word) => SAME.get(word) ?? singular(word));
}

function keyOf(words: string[]): string {
  return [...new Set(words)].toSorted().join(" ");
}

// What a text asks for ----------------------------------------------------------------------------

const ALL = [...OF_LISTS, ...PAGES, ...THEMES].map((command) => {
  const said = [command.label, ...(command.phrases ?? [])].map(wordsIn);
  return { ...command, said, words: said.flat() };
});

const MOST = 5;

/**
 * What the text asks for: exact commands, or else those with words that begin like its words. One that is for others is
 * shown where somebody asks for just that.
 */
export function commandsFor(caller: Caller, text: string): BoxCommand[] {
  const typed = wordsIn(text.replace(ASKING, ""));
  if (typed.length === 0 || text.length < SHORTEST) return [];
  const key = keyOf(typed);
  const found = ALL.flatMap((one): BoxCommand[] => {
    const { allowed = "everyone", said, words, label, href, sends } = one;
    const isExact = said.some((phrase) => keyOf(phrase) === key);
    const isMeant = typed.every((start) => words.some((word) => word.startsWith(start)));
    if (!isExact && !isMeant) return [];
    if (may(caller, allowed))
      return [
        {
          label,
          href: href.replace(ME, encodeURIComponent(caller.username)),
          isExact,
          ...(sends && { sends }),
        },
      ];
    return isExact ? [{ label, isExact, detail: inTitle(whoMay(allowed)) }] : [];
  });
  const exact = found.filter(({ isExact }) => isExact);
  if (exact.length === 0 && OWN.test(text)) return commandsFor(caller, text.replace(OWN, ""));
  const wanted = exact.length > 0 ? exact : found;
  const given = wanted.filter(({ href }) => href !== undefined);
  return uniqueIn(given.length > 0 ? given : wanted).slice(0, MOST);
}

function uniqueIn(commands: BoxCommand[]): BoxCommand[] {
  return [...new Map(commands.map((one) => [`${one.href} ${one.label}`, one])).values()];
}
