// The list that a record was opened from. The address of the record contains the query of the list, so that the links to
// the next and the previous record follow its filters and order.
import type { ListPosition } from "../../src/store/records.ts";
import { attempt } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { withParams } from "../request/url_parameters.ts";

export interface PlaceInList extends ListPosition {
  list: URLSearchParams;
}

/** Undefined if the record was not opened from a list, or is no longer in it. */
export async function placeIn(
  address: string,
  read: (list: URLSearchParams) => Promise<ListPosition | undefined>,
): Promise<PlaceInList | undefined> {
  const list = queryIn(address);
  if (!list) return undefined;
  const tried = await attempt(() => read(list));
  return "done" in tried && tried.done ? { ...tried.done, list } : undefined;
}

/** The address of the list that a record was opened from. */
export function listOf(path: string, address: string): string {
  return withParams(path, queryIn(address) ?? new URLSearchParams(), {});
}

function queryIn(address: string): URLSearchParams | undefined {
  const query = new URL(address, "http://here").searchParams.get("in");
  return query === null ? undefined : new URLSearchParams(query);
}

/** The query of a link to a record, which contains the query of its list. */
export function inList(list: URLSearchParams): string {
  return `?${new URLSearchParams({ in: queryOf(list) })}`;
}

/** Parameters that change how the list is displayed, but not its records. */
function queryOf(list: URLSearchParams): string {
  const shown = { page: null, per_page: null, cols: null, selected: null };
  return withParams("", list, shown).slice(1);
}

interface Props {
  place: PlaceInList | undefined;
  pathOf: (name: string) => string;
}

/** The position of a record in its list, and links to its neighbours. */
export function InList({ place, pathOf }: Props) {
  if (!place) return null;
  const { position, total, previous, next, list } = place;
  return (
    <nav class="in-list" aria-label="In the list">
      {previous && <Neighbour rel="prev" href={pathOf(previous) + inList(list)} />}
      <span>
        {position.toLocaleString("en")} of {total.toLocaleString("en")}
      </span>
      {next && <Neighbour rel="next" href={pathOf(next) + inList(list)} />}
    </nav>
  );
}

const NEIGHBOURS = {
  prev: { label: "Previous", key: "p", icon: "chevron-left" },
  next: { label: "Next", key: "n", icon: "chevron-right" },
} as const;

function Neighbour({ rel, href }: { rel: keyof typeof NEIGHBOURS; href: string }) {
  const { label, key, icon } = NEIGHBOURS[rel];
  return (
    <a class="button quiet square" rel={rel} href={href} data-key={key} title={`${label} (${key})`}>
      <Icon name={icon} /> <span class="hidden">{label}</span>
    </a>
  );
}
