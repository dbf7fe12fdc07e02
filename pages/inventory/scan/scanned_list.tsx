// The list on the scan desk: what is given, what was scanned, and what will come of it.
import type { FieldError } from "../../../src/input/errors.ts";
import {
  changesOf,
  type Desk,
  errorOf,
  type GivenValues,
  labelOf,
  type ScannedItem,
  type ScanRow,
  type ScanVerdict,
  verdictOf,
} from "../../../src/inventory/scan/scan_desk.ts";
import { Icon } from "../../parts/icon.tsx";

export interface Shown {
  log: string[];
  desk: Desk;
  key: string;
  faults: FieldError[];
  isFull: boolean;
  mayApply: boolean;
}

/** What htmx puts in the place of the one before; the fields of the form stay where they are. */
export function Scanned(shown: Shown) {
  const { log, desk, key } = shown;
  const { said, isError } = saidOf(shown);
  return (
    <section id="scanned" class="region" aria-label="The list" data-count={log.length}>
      <input type="hidden" name="scans" value={log.join("\n")} form="desk" />
      <input type="hidden" name="key" value={key} form="desk" />
      <p class={isError ? "said bad" : "said"} role="status">
        {said}
      </p>
      <Givens desk={desk} />
      {desk.shown && <Fetched item={desk.shown} />}
      {desk.rows.length > 0 && <Rows {...shown} />}
      {log.length > 0 && <Buttons {...shown} />}
    </section>
  );
}

function saidOf({ desk, faults, isFull }: Shown): Pick<Desk, "said" | "isError"> {
  const general = faults.find(({ field }) => !desk.rows.some(({ key }) => key === field));
  if (general) return { said: general.message, isError: true };
  if (faults.length > 0) {
    return { said: "Nothing was applied: some rows need a look", isError: true };
  }
  return isFull ? { said: "The list is full: apply it before you scan on", isError: true } : desk;
}

const MODES = { update: "Changing items", register: "Registering new items" };

function Givens({ desk }: { desk: Desk }) {
  const given = Object.entries(desk.given);
  return (
    <ul class="chips" aria-label="Given to what is scanned">
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

function Fetched({ item }: { item: ScannedItem }) {
  const { id, ics_id, ...facts } = item;
  return (
    <div class="note" id={`fetched-${id}`}>
      <h2>
        <a href={pathOf(item)}>{ics_id}</a>
      </h2>
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) => (
          <>
            <dt>{labelFor(name)}</dt>
            <dd>{value ?? "–"}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}

function Rows({ desk, faults }: Shown) {
  const rows = desk.rows.map((row, place) => ({ row, place })).toReversed();
  return (
    <table class="list">
      <caption class="hidden">Scanned, the newest first</caption>
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
        {rows.map(({ row, place }) => (
          <Line
            row={row}
            place={place}
            refusal={faults.find(({ field }) => field === row.key)?.message}
          />
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

function Line({
  row,
  place,
  refusal,
}: {
  row: ScanRow;
  place: number;
  refusal: string | undefined;
}) {
  const [state, looks] = STATES[row.is];
  const fault = refusal ?? errorOf(row);
  return (
    <tr id={`scan-${place}`}>
      <td data-label="Item">
        {row.is === "found" ? (
          <a class="open mono" href={pathOf(row.item)}>
            {labelOf(row)}
          </a>
        ) : (
          <b class="mono">{labelOf(row) ?? (row.is === "new" ? "New id" : row.key)}</b>
        )}{" "}
        <span class="muted">{serialOf(row)}</span>
      </td>
      <td data-label="State">
        <span class={looks}>{state}</span> {row.isDouble && <span class="tag warn">duplicate</span>}
      </td>
      <td data-label="Outcome">
        {fault ? <span class="fault">{fault}</span> : <Outcome row={row} />}
      </td>
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

function Outcome({ row }: { row: ScanRow }) {
  const changes: GivenValues = row.is === "unknown" ? {} : changesOf(row);
  const parts = [
    ...(row.is === "found" && row.label ? [`new id instead of ${row.item.ics_id}`] : []),
    ...Object.entries(changes).map(([name, value]) => `${name} ${value}`),
  ];
  if (parts.length > 0) return <>{parts.join(", ")}</>;
  return <span class="muted">{row.is === "new" ? "Registered as it is" : "Nothing changes"}</span>;
}

function Buttons({ desk, log, key, mayApply, faults }: Shown) {
  const bad = new Set(faults.map(({ field }) => field));
  const count = (wanted: ScanVerdict) =>
    desk.rows.filter((row) => verdictOf(row) === wanted).length;
  const [fresh, changed, faulty] = [count("register"), count("change"), count("fault")];
  const isGood = fresh + changed > 0;
  const isAll = isGood && faulty === 0 && bad.size === 0;
  return (
    <form id="apply" class="apply" method="post" action="/inventory/scanner">
      <input type="hidden" name="scans" value={log.join("\n")} />
      <input type="hidden" name="key" value={key} />
      <p class="tally-text">{preview({ fresh, changed, faulty: Math.max(faulty, bad.size) })}</p>
      <div class="buttons">
        {mayApply && isGood && (
          <button
            type="submit"
            class={isAll ? "primary" : undefined}
            name="action"
            value={isAll ? "apply" : "apply_good"}
          >
            <Icon name="check" /> {isAll ? "Apply" : "Apply the good ones"}
          </button>
        )}
        <button type="submit" form="desk" name="back" value="true">
          Take back the last scan
        </button>
        <button type="submit" class="quiet" form="desk" name="scan" value="CSE:action:Clear all">
          Clear
        </button>
      </div>
    </form>
  );
}

interface Counts {
  fresh: number;
  changed: number;
  faulty: number;
}

/** How much of what, before anything is written. */
function preview({ fresh, changed, faulty }: Counts): string {
  const parts = [
    ...(fresh > 0 ? [`${items(fresh)} to register`] : []),
    ...(changed > 0 ? [`${items(changed)} to change`] : []),
    ...(faulty > 0 ? [`${faulty} to look at`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : "Nothing to apply yet";
}

export function items(count: number): string {
  return `${count} ${count === 1 ? "item" : "items"}`;
}

function serialOf(row: ScanRow): string {
  if (row.is === "unknown") return "";
  return (row.is === "found" ? row.item.serial_number : row.serial_number) ?? "";
}

function pathOf({ ics_id }: ScannedItem): string {
  return `/inventory/items/view/${ics_id}`;
}

function labelFor(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
