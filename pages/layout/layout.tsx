import type { ComponentChildren } from "preact";
import { version } from "../../package.json";
import { type Caller, may } from "../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../src/auth/rights.ts";
import { standardResources } from "../../src/resources.ts";
import { asset, sheetOf } from "../../static/mod.ts";
import { HelpBox } from "../help/ask.tsx";
import { Icon } from "../parts/icon.tsx";
import { Toast } from "../parts/toast.tsx";
import { THEMES, useFrame } from "../request/frame.ts";
import { inTitle } from "../texts.ts";
import { AppLinks } from "./app_links.tsx";
import { Parcels } from "./parcels.tsx";
import { hasBigBox, SearchBox } from "./search_box.tsx";
import { Sections } from "./sections.tsx";

export interface Crumb {
  label: string;
  href?: string;
}

interface Props {
  title: string;
  crumbs?: Crumb[];
  kind?: "login" | "error";
  /** What changes concern it: see records/live.tsx. */
  live?: string | undefined;
  children: ComponentChildren;
}

const ABOUT = "The register of a site's equipment and of the network that it hangs on";

// htmx 4.0.1: extensions are named here and loaded with the script; history is the browser's own.
const HTMX = JSON.stringify({
  extensions: "hx-csp",
  history: "reload",
  mode: "same-origin",
  defaultTimeout: 15_000,
  includeIndicatorCSS: false,
});

/** The frame of every page. */
export function Layout({ title, crumbs = [], kind, live, children }: Props) {
  const frame = useFrame();
  const { nonce, here, pathname, theme, density, caller, notice } = frame;
  return (
    <html lang="en" data-theme={theme} data-density={density}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {!caller && <meta name="description" content={ABOUT} />}
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX} />
        <title>{`${title} · Cadastre`}</title>
        {caller && <meta name="live" content={asset("live.js")} />}
        <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
        <AppLinks />
        <link rel="stylesheet" href={sheetOf(pathname)} />
        <script src={asset("app.js")} nonce={nonce} defer />
      </head>
      <body class={kind}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {caller && <Bar caller={caller} hasBox={hasBigBox(frame)} />}
        {caller && <Sections />}
        {crumbs.length > 0 && <Crumbs crumbs={crumbs} />}
        {kind === "login" && <Parcels />}
        <main id="main" tabindex={-1} class={kind} data-live={live}>
          {children}
        </main>
        <div id="toasts" role="status" aria-live="polite">
          {notice && <Toast {...notice} next={here} />}
        </div>
        <div id="alerts" role="alert" />
        {caller && <Foot />}
        {caller && <HelpBox />}
        <Dialogs />
      </body>
    </html>
  );
}

function Bar({ caller, hasBox }: { caller: Caller; hasBox: boolean }) {
  return (
    <header class="bar">
      <a class="brand" href="/" data-go=".">
        <Icon name="cadastre" />
        <span>Cadastre</span>
      </a>
      {hasBox ? <span class="gap" /> : <SearchBox />}
      {may(caller, INVENTORY_EDITORS) && (
        <a class="button quiet square narrow" href="/inventory/scanner" title="Scan desk">
          <Icon name="scan" />
          <span class="hidden">Scan desk</span>
        </a>
      )}
      <ThemeSwitch />
      <UserMenu caller={caller} />
    </header>
  );
}

const THEME_ICONS = { auto: "device-desktop", light: "sun", dark: "moon" } as const;
const THEME_NAMES = { auto: "automatic", light: "light", dark: "dark" };

function ThemeSwitch() {
  const { theme, here } = useFrame();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  const label = `Theme: ${THEME_NAMES[theme]}`;
  return (
    <form class="theme" method="post" action="/user/profile">
      <input type="hidden" name="next" value={here} />
      <button
        type="submit"
        class="quiet"
        name="theme"
        value={next}
        aria-label={label}
        title={label}
      >
        {THEMES.map((one) => (
          <Icon name={THEME_ICONS[one]} class={`theme-${one}`} />
        ))}
      </button>
    </form>
  );
}

type MenuEntry = [href: string, icon: string, label: string];

function UserMenu({ caller }: { caller: Caller }) {
  return (
    <details class="menu">
      <summary>
        <Icon name="user" />
        <span>{caller.username}</span>
      </summary>
      <ul>
        {entriesFor(caller).map(([href, icon, label]) => (
          <li>
            <a href={href}>
              <Icon name={icon} /> {label}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function entriesFor(caller: Caller): MenuEntry[] {
  const isAdmin = may(caller, ["admin"]);
  const entries: Array<MenuEntry | false> = [
    ["/user/profile", "key", "Profile and tokens"],
    ["/user/watches", "eye", "Watches"],
    isAdmin && ["/admin", "adjustments", "Administration"],
    !isAdmin && may(caller, ["auditor"]) && ["/admin/audit", "history", "Audit log"],
    ...standardResources
      .filter(({ editors }) => may(caller, editors))
      .map(({ plural, path }): MenuEntry => [path, "tag", inTitle(plural)]),
    ["/help", "info-circle", "Help"],
    ["/api/docs", "book", "API reference"],
    ["/user/logout", "logout", "Log out"],
  ];
  return entries.filter((entry) => entry !== false);
}

/** The overview pages, by the first crumb of the pages below them. */
const ROOMS: Readonly<Record<string, string>> = { Inventory: "/inventory", Network: "/network" };

/** Each is a link, but the last one, which is the page itself. */
function Crumbs({ crumbs }: { crumbs: Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ label, href }, at) => {
          const isLast = at === crumbs.length - 1;
          const to = href ?? (isLast ? undefined : ROOMS[label]);
          return (
            <li aria-current={isLast ? "page" : undefined}>
              {to ? <a href={to}>{label}</a> : label}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function Foot() {
  return (
    <footer class="foot">
      <span>Cadastre {version}</span>
      <a href="/help">Help</a>
      <a href="/api/docs">API reference</a>
      <button type="button" class="quiet js-only" data-help>
        Keyboard
      </button>
    </footer>
  );
}

const KEYS: Array<[keys: string, meaning: string]> = [
  ["/ or Ctrl K", "Search"],
  ["g ., g i, g a, g f", "Go to home, items, attributes, favourites"],
  ["g q", "Go to the scan desk"],
  ["g h, g e", "Go to hosts, interfaces"],
  ["g n, g s, g d", "Go to networks, scopes, domains"],
  ["g g", "Go to groups"],
  ["j, k", "Next and previous row"],
  ["Enter or o", "Open the row"],
  ["Space", "Preview the row"],
  ["x", "Select the row"],
  ["b", "Go to the actions on selected rows"],
  ["c, e", "Create, edit"],
  ["n, p", "Next and previous record of the list"],
  ["Ctrl Enter", "Save"],
  ["Ctrl Shift Enter", "Save and add another"],
  ["Esc", "Close or leave the field"],
  ["?", "Show this help"],
];

function Dialogs() {
  return (
    <>
      <dialog id="confirm" aria-labelledby="confirm-title">
        <form method="dialog">
          <h2 id="confirm-title">Are you sure?</h2>
          <p />
          <div class="buttons">
            <button type="submit" class="quiet" value="cancel">
              Cancel
            </button>
            <button type="submit" class="primary" value="ok">
              Continue
            </button>
          </div>
        </form>
      </dialog>
      <dialog id="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keyboard</h2>
        <dl>
          {KEYS.map(([keys, meaning]) => (
            <>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
