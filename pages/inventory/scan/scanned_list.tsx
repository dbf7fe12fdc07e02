// The list on the scan desk: the scanned values, the scanned items, and the outcome of each.
import type { FieldError } from "../../../src/input/errors.ts";
import { type LeavingItem, leavingWords } from "../../../src/inventory/items/tree.ts";
import { NOTHING_TO_APPLY } from "../../../src/inventory/scan/apply.ts";
import {
  changedValues,
  type Desk,
  errorOf,
  type GivenValues,
  type ScannedItem,
  type ScanRow,
  type ScanVerdict,
  scanLabel,
  verdictOf,
} from "../../../src/inventory/scan/scan_desk.ts";
import { asset } from "../../../static/mod.ts";
import { Photograph } from "../../files/section.tsx";
import { countOf } from "../../parts/count.ts";
import { nameInWords } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { inPlainWords, ROWS_WITH_ERRORS, reasonsOf } from "../../texts.ts";

export interface ScannedProps {
  log: string[];
  desk: Desk;
  key: string;
  errors: FieldError[];
  isFull: boolean;
  mayApply: boolean;
  /** How many items would move along: see countInside(). */
  inside: number;
  leaving: LeavingItem[];
}

/** The part that htmx replaces; the scan form stays in place. */
export function Scanned(shown: ScannedProps) {
  const { log, desk, key, mayApply } = shown;
  const { said, isError } = messageOf(shown);
  return (
    <section
      id="scanned"
      class="region"
      aria-label="Scanned items"
      data-count={log.length}
      data-script={mayApply ? asset("files.js") : undefined}
    >
      <input type="hidden" name="scans" value={log.join("\n")} form="desk" />
      <input type="hidden" name="key" value={key} form="desk" />
      <p class={isError ? "said bad" : "said"} role="status">
        {said}
      </p>
      <DeskValues desk={desk} />
      {desk.fetched && <FetchedItem item={desk.fetched} mayApply={mayApply} />}
      {desk.rows.length > 0 && <Rows {...shown} />}
      {log.length > 0 && <Buttons {...shown} />}
    </section>
  );
}

function messageOf({ desk, errors, isFull }: ScannedProps): Pick<Desk, "said" | "isError"> {
  const general = errors.find(({ field }) => !desk.rows.some(({ key }) => key === field));
  if (general) return { said: inPlainWords(general.message), isError: true };
  if (errors.length > 0) {
    return { said: ROWS_WITH_ERRORS, isError: true };
  }
  return isFull ? { said: "The list is full: apply it before scanning more", isError: true } : desk;
}

const MODES = { update: "Mode: change items", register: "Mode: add new items" };

function DeskValues({ desk }: { desk: Desk }) {
  const given = Object.entries(desk.given);
  return (
    <ul class="chips" aria-label="Values for scanned items">
      <li>
        <b>{MODES[desk.mode]}</b>
      </li>
      {given.map(([name, value]) => (
        <li>
          {name} <b>{value}</b>
        </li>
      ))}
    </ul>
  );
}

function FetchedItem({ item, mayApply }: { item: ScannedItem; mayApply: boolean }) {
  const { id, ics_id, ...facts } = item;
  return (
    <div class="note" id={`fetched-${id}`}>
      <h2>
        <a href={pathOf(item)}>{ics_id}</a>
      </h2>
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) => (
          <>
            <dt>{nameInWords(name)}</dt>
            <dd>{value ?? "–"}</dd>
          </>
        ))}
      </dl>
      {mayApply && <Photograph item={item} />}
    </div>
  );
}

function Rows({ desk, errors, leaving, mayApply }: ScannedProps) {
  const rows = desk.rows
    .map((row, place) => {
      const left = leaving.find(({ ics_id }) => ics_id === row.key);
      const away = left && leavingWords(left, !desk.keepsParents);
      const refusal = reasonsOf(errors.filter(({ field }) => field === row.key));
      return { row, place, error: refusal || errorOf(row), outcome: outcomeOf(row, away) };
    })
    .toReversed();
  return (
    <table class="list">
      <caption class="hidden">Scanned items, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col">State</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="tight">
            <span class="hidden">Remove</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((line) => (
          <Line {...line} mayApply={mayApply} />
        ))}
      </tbody>
    </table>
  );
}

const STATES = {
  found: ["found", "tag good"],
  new: ["new", "tag"],
  unknown: ["unknown", "tag bad"],
} as const;

interface LineProps {
  row: ScanRow;
  place: number;
  /** Why the row cannot be applied. */
  error: string | undefined;
  outcome: string;
  mayApply: boolean;
}

function Line({ row, place, error, outcome, mayApply }: LineProps) {
  const [state, looks] = STATES[row.is];
  return (
    <tr id={`scan-${place}`}>
      <td data-label="Item">
        {row.is === "found" ? (
          <a class="open mono" href={pathOf(row.item)}>
            {scanLabel(row)}
          </a>
        ) : (
          <b class="mono">{scanLabel(row) ?? (row.is === "new" ? "New id" : row.key)}</b>
        )}{" "}
        <span class="muted">{serialOf(row)}</span>
        {mayApply && row.is === "found" && <Photograph item={row.item} />}
      </td>
      <td data-label="State">
        <span class={looks}>{state}</span> {row.isDouble && <span class="tag warn">duplicate</span>}
      </td>
      <td data-label="Outcome">{error ? <span class="row-error">{error}</span> : outcome}</td>
      <td class="tight">
        <button
          type="submit"
          class="quiet square"
          form="desk"
          name="scan"
          value={`CSE:remove:${row.key}`}
          aria-label={`Remove ${row.key}`}
        >
          <Icon name="x" />
        </button>
      </td>
    </tr>
  );
}

function outcomeOf(row: ScanRow, away?: string): string {
  const changes: GivenValues = row.is === "unknown" ? {} : changedValues(row);
  const parts = [
    ...(row.is === "found" && row.label ? [`replaces ${row.item.ics_id}`] : []),
    ...Object.entries(changes).map(([name, value]) => `${name} ${value}${wasIn(row, name)}`),
    ...(away ? [away] : []),
  ];
  if (parts.length > 0) return parts.join(", ");
  if (row.is === "new") return "Added without values";
  return row.given.location ? `Already there: ${row.given.location}` : "No change";
}

/** The value that the item has until the list is applied. */
function wasIn(row: ScanRow, name: string): string {
  const was = row.is === "found" && new Map<string, unknown>(Object.entries(row.item)).get(name);
  return was ? ` (was ${was})` : "";
}

function Buttons({ desk, log, key, inside, leaving, mayApply, errors }: ScannedProps) {
  const bad = new Set(errors.map(({ field }) => field));
  const count = (wanted: ScanVerdict) =>
    desk.rows.filter((row) => verdictOf(row) === wanted).length;
  const [fresh, changed, faulty] = [count("register"), count("change"), count("fault")];
  const isGood = fresh + changed > 0;
  const isAll = isGood && faulty === 0 && bad.size === 0;
  const [first, ...others] = leaving;
  const [it, parent] = others.length === 0 ? ["it", first?.parent] : ["them", "their parents"];
  // A code, so that the list of scans carries the choice.
  const choice = desk.keepsParents ? "leave" : "keep";
  return (
    <form id="apply" class="apply" method="post" action="/inventory/scanner">
      <input type="hidden" name="scans" value={log.join("\n")} />
      <input type="hidden" name="key" value={key} />
      <p class="tally-text">
        {preview({ fresh, changed, inside, faulty: Math.max(faulty, bad.size) })}
      </p>
      <div class="buttons">
        {mayApply && isGood && (
          <button
            type="submit"
            class={isAll ? "primary" : undefined}
            name="action"
            value={isAll ? "apply" : "apply_good"}
          >
            <Icon name="check" /> {isAll ? "Apply" : "Apply valid rows"}
          </button>
        )}
        {first && (
          <button type="submit" form="desk" name="scan" value={`CSE:parents:${choice}`}>
            {choice === "keep" ? `Leave ${it} in ${parent}` : `Take ${it} out of ${parent}`}
          </button>
        )}
        <button type="submit" form="desk" name="back" value="true">
          Undo last scan
        </button>
        <button type="submit" class="quiet" form="desk" name="scan" value="CSE:action:Clear all">
          Clear
        </button>
      </div>
    </form>
  );
}

interface VerdictCounts {
  fresh: number;
  changed: number;
  /** How many more change because they are inside of those. */
  inside: number;
  faulty: number;
}

/** The counts before anything is written. */
function preview({ fresh, changed, inside, faulty }: VerdictCounts): string {
  const parts = [
    ...(fresh > 0 ? [`${countOf(fresh, "item")} to add`] : []),
    ...(changed > 0 ? [`${countOf(changed + inside, "item")} to change`] : []),
    ...(inside > 0 ? [`${inside} of them inside others`] : []),
    ...(faulty > 0 ? [`${faulty} to check`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : NOTHING_TO_APPLY;
}

function serialOf(row: ScanRow): string {
  if (row.is === "unknown") return "";
  return (row.is === "found" ? row.item.serial_number : row.serial_number) ?? "";
}

function pathOf({ ics_id }: ScannedItem): string {
  return `/inventory/items/view/${ics_id}`;
}
