import type { ComponentChildren } from "preact";
import { version } from "../../package.json";
import { type Caller, may } from "../../src/auth/auth.ts";
import { standardResources } from "../../src/resources.ts";
import { asset, sheetOf } from "../../static/mod.ts";
import { Icon } from "../parts/icon.tsx";
import { precompiled, precompiledBy } from "../parts/precompiled_markup.ts";
import { Toast } from "../parts/toast.tsx";
import { type Frame, THEMES, type Theme, useFrame, useNonce } from "../request/frame.ts";
import { inTitle } from "../texts.ts";
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
  const { here, pathname, theme, density, caller, notice } = frame;
  const look = { theme, density, kind, isLive: live !== undefined, isKnown: caller !== undefined };
  return Document({ ...look, sheet: sheetOf(pathname) })({
    title: `${title} · Cadastre`,
    live: live ?? "",
    bar: caller && Bar(hasBigBox(frame))({ theme: ThemeSwitch(), menu: UserMenu({ caller }) }),
    sections: caller && Sections(),
    crumbs: crumbs.length > 0 && Crumbs({ crumbs }),
    parcels: kind === "login" && Parcels({}),
    children,
    notice: notice && <Toast {...notice} next={here} />,
    foot: caller && Foot({}),
    dialogs: Dialogs({}),
  });
}

interface DocumentLook extends Pick<Frame, "theme" | "density"> {
  kind: Props["kind"];
  isLive: boolean;
  isKnown: boolean;
  sheet: string;
}

interface DocumentParts extends Record<string, ComponentChildren> {
  title: string;
  live: string;
}

const Document = precompiledBy<DocumentLook, DocumentParts>(
  ({ theme, density, kind, isLive, isKnown, sheet }, parts) => (
    <html lang="en" data-theme={theme} data-density={density}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX} />
        <title>{parts.title}</title>
        {isKnown && <meta name="live" content={asset("live.js")} />}
        <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={sheet} />
        <script src={asset("app.js")} nonce={useNonce()} defer />
      </head>
      <body class={kind}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {parts.bar}
        {parts.sections}
        {parts.crumbs}
        {parts.parcels}
        <main id="main" tabindex={-1} class={kind} data-live={isLive ? parts.live : undefined}>
          {parts.children}
        </main>
        <div id="toasts" role="status" aria-live="polite">
          {parts.notice}
        </div>
        <div id="alerts" role="alert" />
        {parts.foot}
        {parts.dialogs}
      </body>
    </html>
  ),
);

const Bar = precompiledBy<boolean, Record<"theme" | "menu", ComponentChildren>>(
  (hasBox, { theme, menu }) => (
    <header class="bar">
      <a class="brand" href="/" data-go=".">
        <Icon name="cadastre" />
        <span>Cadastre</span>
      </a>
      {hasBox ? <span class="gap" /> : <SearchBox />}
      {theme}
      {menu}
    </header>
  ),
);

const THEME_ICONS = { auto: "device-desktop", light: "sun", dark: "moon" } as const;
const THEME_NAMES = { auto: "automatic", light: "light", dark: "dark" };

function ThemeSwitch() {
  const { theme, here } = useFrame();
  return ThemeForm(theme)({ here });
}

const ThemeForm = precompiledBy<Theme, { here: string }>((theme, { here }) => {
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
});

type MenuEntry = [href: string, icon: string, label: string];

function UserMenu({ caller }: { caller: Caller }) {
  return Menu(entriesFor(caller))({ username: caller.username });
}

function entriesFor(caller: Caller): MenuEntry[] {
  const isAdmin = may(caller, ["admin"]);
  const entries: Array<MenuEntry | false> = [
    ["/user/profile", "key", "Profile and tokens"],
    ["/user/watches", "eye", "Watches"],
    ["/changes", "history", "Changes"],
    isAdmin && ["/admin", "adjustments", "Administration"],
    !isAdmin && may(caller, ["auditor"]) && ["/admin/audit", "history", "Audit log"],
    ...standardResources
      .filter(({ editors }) => may(caller, editors))
      .map(({ plural, path }): MenuEntry => [path, "tag", inTitle(plural)]),
    ["/api/docs", "book", "API reference"],
    ["/user/logout", "logout", "Log out"],
  ];
  return entries.filter((entry) => entry !== false);
}

const Menu = precompiledBy<MenuEntry[], { username: string }>((entries, { username }) => (
  <details class="menu">
    <summary>
      <Icon name="user" />
      <span>{username}</span>
    </summary>
    <ul>
      {entries.map(([href, icon, label]) => (
        <li>
          <a href={href}>
            <Icon name={icon} /> {label}
          </a>
        </li>
      ))}
    </ul>
  </details>
));

/** The overview pages, by the first crumb of the pages below them. */
const ROOMS: Readonly<Record<string, string>> = { Inventory: "/inventory", Network: "/network" };

/** Each is a link, but the last one, which is the page itself. */
function Crumbs({ crumbs }: { crumbs: Crumb[] }) {
  return CrumbList({
    items: crumbs.map(({ label, href }, at) => {
      const isLast = at === crumbs.length - 1;
      const to = href ?? (isLast ? undefined : ROOMS[label]);
      return CrumbItem({ isLast, isLink: Boolean(to) })({ label, to: to ?? "" });
    }),
  });
}

const CrumbList = precompiled<{ items: ComponentChildren }>(({ items }) => (
  <nav class="crumbs" aria-label="Breadcrumb">
    <ol>{items}</ol>
  </nav>
));

interface CrumbLook {
  isLast: boolean;
  isLink: boolean;
}

const CrumbItem = precompiledBy<CrumbLook, { label: string; to: string }>(
  ({ isLast, isLink }, { label, to }) => (
    <li aria-current={isLast ? "page" : undefined}>{isLink ? <a href={to}>{label}</a> : label}</li>
  ),
);

const Foot = precompiled(() => (
  <footer class="foot">
    <span>Cadastre {version}</span>
    <a href="/api/docs">API reference</a>
    <button type="button" class="quiet js-only" data-help>
      Keyboard
    </button>
  </footer>
));

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

const Dialogs = precompiled(() => (
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
));
