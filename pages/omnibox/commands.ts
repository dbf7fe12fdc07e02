// The commands of the one box: lists and forms of all resources, and the pages below with the phrases that people use for
// them.
import { type Allowed, type Caller, may, whoMay } from "../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../src/auth/rights.ts";
import { singular } from "../../src/input/text.ts";
import { EDITORS } from "../../src/network/hosts/view.ts";
import { READERS } from "../../src/user/audit_log.ts";
import { AUDIT, JOBS, SERVICE_ACCOUNTS, SIGN_IN, SYSTEM, TOKENS, USERS } from "../admin/paths.ts";
import { TRIGGERS, WEBHOOKS } from "../events/paths.ts";
import { sources } from "../lists/sources.ts";
import { inTitle } from "../texts.ts";
import { LOGOUT, PROFILE } from "../user/paths.ts";

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

const ADMINS = ["admin"] as const;
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
      phrases: [`list of ${plural}`, `all ${plural}`, `how many ${plural}`, `number of ${plural}`],
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

const PAGES: Phrased[] = [
  pageOf(
    "Import items",
    "/inventory/items/import",
    ["upload items", "import excel", "import csv", "import spreadsheet"],
    INVENTORY_EDITORS,
  ),
  pageOf("Import hosts", "/network/hosts/import", ["upload hosts", "import interfaces"], EDITORS),
  pageOf("Export items", "/inventory/items", [
    "download items",
    "items as excel",
    "export excel",
    "export csv",
    "export",
  ]),
  pageOf("Export hosts", "/network/hosts", [
    "download hosts",
    "hosts as excel",
    "export excel",
    "export csv",
    "export",
  ]),
  pageOf(
    "Scan desk",
    "/inventory/scanner",
    ["scan", "scanner", "scan items", "scan qr code", "barcode"],
    INVENTORY_EDITORS,
  ),
  pageOf("Print labels", "/inventory/items/labels", [
    "labels",
    "print qr codes",
    "qr codes of items",
    "stickers",
  ]),
  pageOf("My changes", `/changes?user=${ME}`, ["my work", "my history", "what did i change"]),
  pageOf("Items that I changed last", `/inventory/items?user=${ME}`, ["my items"]),
  pageOf("Hosts that I changed last", `/network/hosts?user=${ME}`, ["my hosts"]),
  pageOf("Items without a photo or document", "/inventory/items?q=-has:file", [
    "items without photo",
    "items without file",
  ]),
  pageOf(
    "Add network: it proposes a free VLAN and block",
    "/network/networks/create",
    ["free vlan", "next vlan", "free block", "free network", "free subnet"],
    ADMINS,
  ),
  pageOf("Newest items", "/inventory/items?sort=-created_at", ["recent items", "latest items"]),
  pageOf("Newest hosts", "/network/hosts?sort=-created_at", ["recent hosts", "latest hosts"]),
  pageOf("Items with a temporary id", "/inventory/items?q=ics_id:ZZ*", [
    "items without label",
    "temporary items",
  ]),
  pageOf("Nearly full networks", "/#full-title", ["full networks", "networks that fill up"]),
  pageOf("Favourites", "/inventory/attributes/favorites", [
    "favorites",
    "bookmarks",
    "stars",
    "print favourites",
  ]),
  pageOf("Tags", "/tags", ["keywords"]),
  pageOf("Changes", "/changes", [
    "history",
    "timeline",
    "recent changes",
    "last changes",
    "latest changes",
    "undo",
    "what is new",
  ]),
  pageOf("Deletions", "/changes?action=delete", [
    "deleted",
    "recycle bin",
    "trash",
    "restore a record",
    "undelete",
    "deleted records",
    "what was deleted",
  ]),
  pageOf("Deleted items", "/changes?kind=items&action=delete"),
  pageOf("Deleted hosts", "/changes?kind=hosts&action=delete"),
  pageOf("Watches", "/user/watches", ["notifications", "mail me", "subscriptions", "alerts"]),
  pageOf("Profile and tokens", PROFILE, [
    "profile",
    "my account",
    "preferences",
    "change email",
    "my settings",
    "my tokens",
  ]),
  pageOf("Your rights, and who is an admin", `${PROFILE}#rights-title`, [
    "who is admin",
    "who are the admins",
    "admins",
    "contact admin",
    "ask an administrator",
    "what can i do",
    "what may i do",
    "my rights",
    "my groups",
  ]),
  pageOf("Change password", `${PROFILE}#password-title`, [
    "password",
    "forgot password",
    "new password",
    "reset password",
  ]),
  pageOf("New token", `${PROFILE}#make-title`, [
    "generate token",
    "api token",
    "api key",
    "access token",
    "bearer token",
    "token",
  ]),
  pageOf("Passkeys", `${PROFILE}#passkeys-title`, [
    "passkey",
    "two factor",
    "2fa",
    "mfa",
    "security key",
    "fingerprint",
  ]),
  pageOf("Sessions", `${PROFILE}#sessions-title`, [
    "where am i logged in",
    "my sessions",
    "devices",
    "log out everywhere",
  ]),
  pageOf("Help", "/help", ["manual", "documentation", "docs", "handbook", "documents"]),
  pageOf("API reference", "/api/docs", ["api", "openapi", "swagger", "api documentation", "rest"]),
  pageOf("Log out", LOGOUT, ["logout", "sign out", "log off", "quit", "exit"]),
  pageOf("Home", "/", ["start", "dashboard", "start page", "overview"]),
  pageOf("Inventory", "/inventory", ["equipment", "assets"]),
  pageOf("Network", "/network", ["ipam"]),
  pageOf("First steps", "/#steps-title", ["getting started", "setup"], ADMINS),
  pageOf("Administration", "/admin", ["admin", "settings", "configuration"], ADMINS),
  pageOf(
    "Users",
    USERS,
    ["accounts", "people", "user groups", "permissions", "rights", "roles"],
    ADMINS,
  ),
  pageOf("Add user", `${USERS}/create`, ["add account", "add person", "invite user"], ADMINS),
  pageOf(
    "Service accounts",
    SERVICE_ACCOUNTS,
    ["robots", "technical users", "machine accounts"],
    ADMINS,
  ),
  pageOf("Tokens of all users", TOKENS, ["all tokens", "revoke token"], ADMINS),
  pageOf(
    "Sign-in",
    SIGN_IN,
    ["ldap", "active directory", "sso", "oidc", "single sign on", "login providers"],
    ADMINS,
  ),
  pageOf("Audit log", AUDIT, ["audit", "logins", "refusals", "failed logins"], READERS),
  pageOf("Webhooks", WEBHOOKS, ["failed deliveries", "callbacks"], ADMINS),
  pageOf("Add webhook", `${WEBHOOKS}/create`, [], ADMINS),
  pageOf("Triggers", TRIGGERS, ["awx", "jenkins", "gitlab", "automation"], ADMINS),
  pageOf("Add trigger", `${TRIGGERS}/create`, [], ADMINS),
  pageOf("Jobs", JOBS, ["background jobs", "exports"], ADMINS),
  pageOf(
    "System",
    SYSTEM,
    [
      "backup",
      "backups",
      "make backup",
      "restore backup",
      "version",
      "doctor",
      "health",
      "database",
      "status of the system",
    ],
    ADMINS,
  ),
];

/** A page with other words for it, and who may open it. */
function pageOf(label: string, href: string, phrases: string[] = [], allowed?: Allowed): Phrased {
  return { label, href, phrases, ...(allowed && { allowed }) };
}

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
