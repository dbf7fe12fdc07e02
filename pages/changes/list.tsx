// The list of changes, and its filters.
import type { ComponentChildren } from "preact";
import { SYSTEM_USER } from "../../src/history/filters.ts";
import type { StoredSet } from "../../src/history/sets.ts";
import { ACTIONS, changePath, VERBS } from "../../src/history/words.ts";
import { publicId } from "../../src/input/change_ids.ts";
import { resources } from "../../src/resources.ts";
import { PageHead } from "../layout/page_head.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { ApiCall } from "../parts/api_call.tsx";
import { Icon } from "../parts/icon.tsx";
import { FilterChip, Fold } from "../parts/list.tsx";
import { useFilterForm, useMove } from "../parts/list_table.tsx";
import { Options } from "../parts/select.tsx";
import { Differences } from "../parts/timeline.tsx";
import { RecordLink } from "../records/links.tsx";
import { ANY } from "../records/live.tsx";
import { momentInWords, Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { withParams } from "../request/url_parameters.ts";
import { inTitle } from "../texts.ts";
import { Sentence } from "./sentence.tsx";

export const CHANGES = "/changes";

export interface ChangeListProps {
  /** The filters alone. */
  params: URLSearchParams;
  sets: StoredSet[];
  /** Where the next page begins. */
  before: number | undefined;
  /** Whether this is not the first page. */
  isLater: boolean;
  undoable: Set<number>;
  /** Errors in the filters. */
  errors: string[];
}

interface ChangesPageProps extends ChangeListProps {
  users: string[];
  api: string;
}

export function ChangesPage({ users, api, ...shown }: ChangesPageProps) {
  const { params } = shown;
  return (
    <>
      <PageHead title="Changes" lead="What was added, changed and deleted, and by whom" />
      <ChangeFilters params={params} users={users} />
      <ChangeList {...shown} />
      <ApiCall address={api} />
    </>
  );
}

/** Filters that the form has no inputs for until an address names them. */
const RECORD_FILTERS = [
  { name: "query", label: "Query" },
  { name: "scope", label: "Scope" },
  { name: "group", label: "Group" },
];

const DONE = ACTIONS.map((value) => ({ value, label: inTitle(VERBS[value]) }));

function ChangeFilters({ params, users }: Pick<ChangesPageProps, "params" | "users">) {
  const live = useFilterForm(CHANGES, 300);
  const value = (name: string) => params.get(name) ?? "";
  const people = [...users, SYSTEM_USER].map((name) => ({ value: name, label: name }));
  const kinds = resources.map(({ name, plural }) => ({ value: name, label: inTitle(plural) }));
  return (
    <search aria-label="In this list">
      <form id="filters" class="filters" method="get" action={CHANGES} {...live}>
        <input
          type="search"
          name="q"
          value={value("q")}
          aria-label="Text in the changes"
          placeholder="Text in the changes"
          autocomplete="off"
        />
        <Fold count={foldedIn(params).length}>
          <Choice name="user" label="Everybody" value={value("user")} options={people} />
          <Choice name="kind" label="All kinds" value={value("kind")} options={kinds} />
          <Choice name="action" label="Any change" value={value("action")} options={DONE} />
          <Text name="record" label="Record" value={value("record")} />
          {RECORD_FILTERS.flatMap((of) =>
            params.getAll(of.name).map((text) => <Text {...of} value={text} />),
          )}
          <Day name="from" label="From" value={value("from")} />
          <Day name="to" label="To" value={value("to")} />
        </Fold>
        <button type="submit" class="no-js-only">
          Filter
        </button>
      </form>
    </search>
  );
}

interface FilterProps {
  name: string;
  label: string;
  value: string;
  options: Array<{ value: string; label: string }>;
}

const TITLES: Record<string, string> = {
  user: "Person",
  kind: "Kind of record",
  action: "What was done",
};

function Choice({ name, label, value, options }: FilterProps) {
  return (
    <select name={name} aria-label={TITLES[name]}>
      <option value="">{label}</option>
      <Options options={options} value={value} />
    </select>
  );
}

function Text({ name, label, value }: Omit<FilterProps, "options">) {
  return (
    <input
      type="text"
      name={name}
      value={value}
      aria-label={label}
      placeholder={label}
      autocomplete="off"
    />
  );
}

/** A date input for a day; other values of the filter, such as now-7d, need a text input. */
function Day({ name, label, value }: Omit<FilterProps, "options">) {
  const isDay = value === "" || /^\d{4}-\d{2}-\d{2}$/.test(value);
  return (
    <span class="day">
      <label for={`filter-${name}`}>{label}</label>
      {isDay ? (
        <input type="date" id={`filter-${name}`} name={name} value={value} />
      ) : (
        <input type="text" id={`filter-${name}`} name={name} value={value} />
      )}
    </span>
  );
}

export function ChangeList(props: ChangeListProps) {
  const { sets, errors, params, before, isLater } = props;
  return (
    <div id="list" class="region" data-live={isLater ? undefined : ANY}>
      {errors.map((error) => (
        <p class="note bad" role="alert">
          {error}
        </p>
      ))}
      <FoldedChips params={params} />
      <div class="tally">
        <p role="status">{errors.length === 0 && tallyOf(props)}</p>
        {params.size > 0 && (
          <a class="button quiet clear" href={CHANGES}>
            <Icon name="x" /> Clear filters
          </a>
        )}
        <div class="ways">
          {sets.length > 0 && (
            <a class="button quiet" href={withParams(`${CHANGES}/export.csv`, params, {})}>
              <Icon name="download" /> CSV
            </a>
          )}
        </div>
      </div>
      {sets.length > 0 && <Table {...props} />}
      {sets.length === 0 && errors.length === 0 && <Nothing {...props} />}
      {(before !== undefined || isLater) && <Pages {...props} />}
    </div>
  );
}

/** What is set in the inputs that narrow screens fold. */
function FoldedChips({ params }: Pick<ChangeListProps, "params">) {
  const folded = foldedIn(params);
  if (folded.length === 0) return null;
  const chip = (name: string) => {
    const link = { href: withParams(CHANGES, params, { [name]: null }) };
    return <FilterChip name={name} label={name} values={params.getAll(name)} link={link} />;
  };
  return <ul class="chips narrow">{folded.map(chip)}</ul>;
}

function foldedIn(params: URLSearchParams): string[] {
  return [...new Set(params.keys())].filter((name) => name !== "q");
}

function tallyOf({ sets, before, isLater }: ChangeListProps): string {
  const many = `${sets.length} ${sets.length === 1 ? "change" : "changes"}`;
  if (isLater) return `${many}, older ones`;
  return before === undefined ? many : `The latest ${many}`;
}

function Table({ sets, undoable }: ChangeListProps) {
  return (
    <table class="list log">
      <caption>Changes</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">
            <span class="hidden">Undo</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sets.map((set) => (
          <tr tabindex={-1}>
            <td class="time">
              <a class="open" href={changePath(set.id)}>
                <Time at={set.at} />
              </a>
            </td>
            <td class="who">
              {set.user ? (
                <RecordLink table="users" name={set.user} />
              ) : (
                <span class="muted">system</span>
              )}
            </td>
            <td class="what">
              <What set={set} />
            </td>
            <td class="tight">{undoable.has(set.id) && <Undo set={set} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function What({ set }: { set: StoredSet }): ComponentChildren {
  const [only] = set.total === 1 && set.kind === "update" ? set.events : [];
  const isShort = only !== undefined && only.differences.length <= MOST_DIFFERENCES;
  return (
    <div>
      {set.undoes !== null && (
        <>
          Undid <a href={changePath(set.undoes)}>an earlier change</a>:{" "}
        </>
      )}
      <Sentence set={set} withFields={!isShort} />
      {set.undone_by !== null && (
        <>
          {" "}
          <a class="tag" href={changePath(set.undone_by)}>
            Undone
          </a>
        </>
      )}
      {isShort && <Differences table={only.table_name} differences={only.differences} />}
    </div>
  );
}

/** Fields shown of one record; the page of the change set has all of them. */
const MOST_DIFFERENCES = 3;

function Undo({ set }: { set: StoredSet }) {
  const { here } = useFrame();
  return (
    <form method="post" action={changePath(set.id)}>
      <input type="hidden" name="next" value={here} />
      <button type="submit" class="quiet" aria-label={undoLabel(set)}>
        <Icon name="history" /> Undo
      </button>
    </form>
  );
}

function undoLabel({ at, user }: StoredSet): string {
  return `Undo the change of ${momentInWords(at)} by ${user ?? SYSTEM_USER}`;
}

function Nothing({ params, before }: ChangeListProps) {
  return (
    <div class="empty">
      <EmptyPicture icon="history" />
      <p>{nothingIn(params, before)}</p>
      {params.size === 0 && before === undefined && (
        <p class="muted">
          Each record that somebody adds, changes or deletes is listed here, with its undo. Begin on
          the <a href="/">home page</a>.
        </p>
      )}
      {params.size > 0 && (
        <a class="button" href={CHANGES}>
          Clear filters
        </a>
      )}
    </div>
  );
}

function nothingIn(params: URLSearchParams, before: number | undefined): string {
  if (before !== undefined) return "No match among the latest changes; there are older ones";
  return params.size > 0 ? "No changes match" : "Nothing has changed yet";
}

function Pages({ params, before, isLater }: ChangeListProps) {
  const move = useMove();
  return (
    <nav class="pages" aria-label="Pages">
      {isLater && (
        <a rel="first" {...move(withParams(CHANGES, params, {}))}>
          <Icon name="chevron-left" /> Latest
        </a>
      )}
      {before !== undefined && (
        <a rel="next" {...move(withParams(CHANGES, params, { before: publicId(before) }))}>
          Older <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  );
}
