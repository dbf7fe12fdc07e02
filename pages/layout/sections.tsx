// The menu of every page: the sections in their areas. Narrow screens show all areas and the sections of one.
import { Icon } from "../parts/icon.tsx";
import { useFrame } from "../request/frame.ts";

interface MenuSection {
  label: string;
  href: string;
  /** The pages that belong to it, besides its own, by how their paths begin. */
  under?: string;
  /** The key after g. */
  go: string;
}

interface MenuArea {
  label: string;
  icon: string;
  /** The page that the name of the area opens. */
  href: string;
  under: string;
  sections: MenuSection[];
}

const AREAS: MenuArea[] = [
  {
    label: "Inventory",
    icon: "box",
    href: "/inventory",
    under: "/inventory",
    sections: [
      { label: "Items", href: "/inventory/items", under: "/inventory/items/", go: "i" },
      {
        label: "Attributes",
        href: "/inventory/attributes/location",
        under: "/inventory/attributes/",
        go: "a",
      },
      { label: "Favourites", href: "/inventory/attributes/favorites", go: "f" },
      { label: "Scan desk", href: "/inventory/scanner", go: "q" },
    ],
  },
  {
    label: "Network",
    icon: "network",
    href: "/network",
    under: "/network",
    sections: [
      { label: "Hosts", href: "/network/hosts", under: "/network/hosts/", go: "h" },
      {
        label: "Interfaces",
        href: "/network/interfaces",
        under: "/network/interfaces/",
        go: "e",
      },
      { label: "Networks", href: "/network/networks", under: "/network/networks/", go: "n" },
      { label: "Scopes", href: "/network/scopes", under: "/network/scopes/", go: "s" },
      { label: "Domains", href: "/network/domains", under: "/network/domains/", go: "d" },
      { label: "Groups", href: "/network/groups", under: "/network/groups/", go: "g" },
    ],
  },
  { label: "Changes", icon: "history", href: "/changes", under: "/changes", sections: [] },
];

interface PlaceInMenu {
  /** The area that the page is in. */
  area: string | undefined;
  /** The link that is the current one. */
  current: string | undefined;
}

export function Sections() {
  const { area: here, current } = placeOf(useFrame().pathname);
  return (
    <nav class="sections" aria-label="Sections">
      {AREAS.map(({ label, icon, href, sections }) => (
        <div class={href === here ? "area here" : "area"}>
          <a href={href} aria-current={href === current ? "page" : undefined}>
            <Icon name={icon} /> {label}
          </a>
          {sections.length > 0 && (
            <div>
              {sections.map((section) => (
                <a
                  href={section.href}
                  data-go={section.go}
                  aria-current={section.href === current ? "page" : undefined}
                >
                  {section.label}
                </a>
              ))}
            </div>
          )}
        </div>
      ))}
    </nav>
  );
}

function placeOf(pathname: string): PlaceInMenu {
  const area = AREAS.find(({ under }) => pathname === under || pathname.startsWith(`${under}/`));
  const section = currentIn(
    AREAS.flatMap(({ sections }) => sections),
    pathname,
  );
  const isOverview = pathname === area?.href;
  return { area: area?.href, current: section?.href ?? (isOverview ? area?.href : undefined) };
}

function currentIn(sections: MenuSection[], pathname: string): MenuSection | undefined {
  return (
    sections.find(({ href }) => href === pathname) ??
    sections.find(({ under }) => under && pathname.startsWith(under))
  );
}
