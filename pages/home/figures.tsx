// The figures of the site: each number and each bar is a link to the list that it counts.
import type { ComponentChildren } from "preact";
import type { NetworkGrowth } from "../../src/network/networks/growth.ts";
import { addressCount } from "../parts/usage.tsx";
import { dayInWords } from "../records/time.tsx";
import { Columns, type Portion, ShareBar, Sparkline, StackedBar } from "./charts.tsx";
import type { Dashboard } from "./dashboard.ts";
import { trendInWords } from "./words.ts";

const ITEMS = "/inventory/items";
const HOSTS = "/network/hosts";
const NETWORKS = "/network/networks";
const CHANGES = "/changes";

export function Figures(shown: Dashboard) {
  const { items, hosts } = shown;
  // Of a new site, a trend would only say when its data was entered.
  const isNew = !items.daily[0] && !hosts.daily[0];
  return (
    <div class="figures">
      <Items {...shown} isNew={isNew} />
      <Hosts {...shown} isNew={isNew} />
      <Addresses {...shown} isNew={isNew} />
      <Changes {...shown} />
    </div>
  );
}

interface FigureProps {
  id: string;
  title: string;
  total: string;
  href: string;
  /** The total on each day, if there is one. */
  daily?: number[] | undefined;
  note?: ComponentChildren;
  children: ComponentChildren;
}

function Figure({ id, title, total, href, daily, note, children }: FigureProps) {
  const [first = 0, last = 0] = daily ? [daily[0], daily.at(-1)] : [];
  const trend = daily && trendInWords(last - first, daily.length);
  return (
    <section class="card figure" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <a class="total" id={`${id}-total`} href={href} aria-labelledby={`${id} ${id}-total`}>
          {total}
        </a>
        <p class="trend muted">{trend ?? note}</p>
        {daily && <Sparkline values={daily} title={courseOf(title, daily)} />}
      </header>
      {children}
    </section>
  );
}

function courseOf(title: string, daily: number[]): string {
  return `${title} over ${daily.length} days: from ${inFull(daily[0])} to ${inFull(daily.at(-1))}`;
}

/** Further names are summed up. */
const MOST_NAMES = 6;

type DashboardOfSite = Dashboard & { isNew: boolean };

function Items({ items, isNew }: DashboardOfSite) {
  const { statuses, without, daily } = items;
  const names = statuses.slice(0, MOST_NAMES);
  const rest = statuses.slice(MOST_NAMES);
  const portions: Portion[] = names.map(({ name, colour, count }, at) => ({
    label: name,
    count,
    href: listOf(ITEMS, { status: name }),
    class: colour ? `part-chosen ${colour}` : `part-${at + 1}`,
  }));
  if (rest.length > 0) {
    portions.push({ ...othersOf(ITEMS, "status", names, rest), class: "part-others" });
  }
  if (without > 0) {
    const href = listOf(ITEMS, { status__isnull: "true" });
    portions.push({ label: "Without a status", count: without, href, class: "part-none" });
  }
  return (
    <Figure
      id="items"
      title="Items"
      total={inFull(daily.at(-1))}
      href={ITEMS}
      daily={isNew ? undefined : daily}
    >
      {portions.length > 0 && <StackedBar portions={portions} />}
      <ul class="parts">
        {portions.map(({ label, count, href, class: part }) => (
          <li>
            <svg viewBox="0 0 1 1" aria-hidden="true">
              <rect class={part} width={1} height={1} />
            </svg>
            <a href={href}>{label}</a> <span class="number">{inFull(count)}</span>
          </li>
        ))}
      </ul>
    </Figure>
  );
}

function Hosts({ hosts, isNew }: DashboardOfSite) {
  const { deviceTypes, daily } = hosts;
  const names = deviceTypes.slice(0, MOST_NAMES);
  const rest = deviceTypes.slice(MOST_NAMES);
  const most = names[0]?.count ?? 1;
  const rows = names.map(({ name, count }) => ({
    label: name,
    count,
    href: listOf(HOSTS, { device_type: name }),
  }));
  if (rest.length > 0) rows.push(othersOf(HOSTS, "device_type", names, rest));
  return (
    <Figure
      id="hosts"
      title="Hosts"
      total={inFull(daily.at(-1))}
      href={HOSTS}
      daily={isNew ? undefined : daily}
    >
      <ul class="bars">
        {rows.map(({ label, count, href }) => (
          <Bar {...{ label, href, share: count / most, text: inFull(count) }} />
        ))}
      </ul>
    </Figure>
  );
}

/** The remaining rows as one, which links to all of them. */
function othersOf(
  path: string,
  field: string,
  names: Array<{ name: string }>,
  rest: Array<{ count: number }>,
) {
  const params = new URLSearchParams(names.map(({ name }) => [`${field}__ne`, name]));
  params.set(`${field}__isnull`, "false");
  const count = rest.reduce((sum, one) => sum + one.count, 0);
  return { label: "Others", count, href: `${path}?${params}` };
}

interface BarProps {
  label: string;
  href: string;
  share: number;
  text: string;
  kind?: string;
}

function Bar({ label, href, share, text, kind }: BarProps) {
  return (
    <li>
      <a href={href}>
        <span>{label}</span> <ShareBar share={share} {...(kind && { class: kind })} />{" "}
        <span class="number">{text}</span>
      </a>
    </li>
  );
}

const MOST_SCOPES = 6;
const NEARLY_FULL = 0.8;

function Addresses({ networks, used, isNew }: DashboardOfSite) {
  const scopes = byScope(networks);
  const shown = scopes.slice(0, MOST_SCOPES);
  const isMixed = scopes.some(({ isIpv4 }) => !isIpv4);
  const size = scopes.reduce((sum, one) => (one.isIpv4 ? sum + one.size : sum), 0);
  const daily = used.map((count) => size - count);
  return (
    <Figure
      id="addresses"
      title={isMixed ? "IPv4 addresses free" : "Addresses free"}
      total={inFull(daily.at(-1))}
      href={NETWORKS}
      daily={isNew ? undefined : daily}
    >
      <ul class="bars">
        {shown.map(({ scope, size, used }) => (
          <Bar
            label={scope}
            href={listOf(NETWORKS, { scope })}
            share={used / size}
            text={`${addressCount(BigInt(size - used))} free`}
            kind={used > NEARLY_FULL * size ? "part-full" : "part-1"}
          />
        ))}
      </ul>
      {scopes.length > shown.length && (
        <p>
          <a href="/network/scopes">All {scopes.length} scopes</a>
        </p>
      )}
    </Figure>
  );
}

interface ScopeUse {
  scope: string;
  isIpv4: boolean;
  size: number;
  used: number;
}

/** The fullest first. */
function byScope(networks: NetworkGrowth[]): ScopeUse[] {
  const scopes = Array.from(
    Map.groupBy(networks, ({ scope }) => scope),
    ([scope, its]) => ({
      scope,
      isIpv4: its.every(({ is_ipv4 }) => is_ipv4),
      size: its.reduce((sum, { size }) => sum + size, 0),
      used: its.reduce((sum, { used }) => sum + used, 0),
    }),
  );
  return scopes.toSorted((one, other) => other.used / other.size - one.used / one.size);
}

function Changes({ days, changes }: Dashboard) {
  const total = changes.reduce((sum, count) => sum + count, 0);
  const most = Math.max(0, ...changes);
  const busiest = days[changes.indexOf(most)] ?? "";
  const title = `Changes a day over ${days.length} days`;
  return (
    <Figure
      id="changes"
      title="Changes"
      total={inFull(total)}
      href={listOf(CHANGES, { from: days[0] ?? "", to: days.at(-1) ?? "" })}
      note={`in ${days.length} days, ${inFull(changes.at(-1))} today`}
    >
      <figure aria-label={title}>
        <Columns days={days} counts={changes} hrefOf={dayOfChanges} />
        <figcaption>
          <span>{dayInWords(days[0] ?? "")}</span>
          {most > 0 && (
            <span>
              most on <a href={dayOfChanges(busiest)}>{dayInWords(busiest)}</a>: {inFull(most)}
            </span>
          )}
          <span>today</span>
        </figcaption>
      </figure>
      <ChangesTable days={days} changes={changes} />
    </Figure>
  );
}

/** The columns of the chart as rows, for keyboards and screen readers. */
function ChangesTable({ days, changes }: Pick<Dashboard, "days" | "changes">) {
  const rows = days.map((day, at) => ({ day, count: changes[at] ?? 0 }));
  return (
    <details>
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" class="number">
              Changes
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(({ count }) => count > 0)
            .toReversed()
            .map(({ day, count }) => (
              <tr>
                <td>
                  <a href={dayOfChanges(day)}>{dayInWords(day)}</a>
                </td>
                <td class="number">{inFull(count)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
}

function dayOfChanges(day: string): string {
  return listOf(CHANGES, { from: day, to: day });
}

function listOf(path: string, filters: Record<string, string>): string {
  return `${path}?${new URLSearchParams(filters)}`;
}

function inFull(count = 0): string {
  return count.toLocaleString("en");
}
