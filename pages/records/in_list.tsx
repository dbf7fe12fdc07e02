// The list that a record was opened from: its query stands in the address of the record, so that the way to the next and
// the previous record is right under any filter and order, and is a plain link.
import type { ListPosition } from "../../src/store/records.ts";
import { attempt } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { withParams } from "../request/url_parameters.ts";

export interface PlaceInList extends ListPosition {
  list: URLSearchParams;
}

/** Undefined if it was opened from no list, is not in it any more, or the list is none. */
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

/** The query by which a link to a record carries the list that it stands in. */
export function inList(list: URLSearchParams): string {
  return `?${new URLSearchParams({ in: queryOf(list) })}`;
}

/** Which page was shown of the list, and how, is of no matter to what is in it. */
function queryOf(list: URLSearchParams): string {
  const shown = { page: null, per_page: null, cols: null, selected: null };
  return withParams("", list, shown).slice(1);
}

interface Props {
  place: PlaceInList | undefined;
  pathOf: (name: string) => string;
}

/** The position of a record in its list, and the way to its neighbours. */
export function InList({ place, pathOf }: Props) {
  if (!place) return null;
  const { position, total, previous, next, list } = place;
  return (
    <nav class="in-list" aria-label="In the list">
      {previous && (
        <a
          class="button quiet square"
          rel="prev"
          href={pathOf(previous) + inList(list)}
          data-key="p"
          title="Previous (p)"
        >
          <Icon name="chevron-left" /> <span class="hidden">Previous</span>
        </a>
      )}
      <span>
        {position.toLocaleString("en")} of {total.toLocaleString("en")}
      </span>
      {next && (
        <a
          class="button quiet square"
          rel="next"
          href={pathOf(next) + inList(list)}
          data-key="n"
          title="Next (n)"
        >
          <Icon name="chevron-right" /> <span class="hidden">Next</span>
        </a>
      )}
    </nav>
  );
}
