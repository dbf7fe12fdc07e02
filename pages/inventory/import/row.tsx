// One row of an import: its outcome, and for a refused row the fields to correct it.
import type { FieldError } from "../../../src/input/errors.ts";
import { ITEM_KINDS } from "../../../src/inventory/attributes/attribute.ts";
import type { ImportFile } from "../../../src/inventory/import/files.ts";
import { COLUMNS, type Verdict } from "../../../src/inventory/import/import.ts";
import { item } from "../../../src/inventory/items/item.ts";
import type { Column } from "../../parts/list.tsx";
import { labelIn } from "../../parts/resource_fields.tsx";
import { Differences } from "../../parts/timeline.tsx";
import { reasonsOf } from "../../texts.ts";
import { viewPath } from "../items/list.tsx";

/** The form that all fields of the rows belong to. */
export const ROWS_FORM = "mend";

type Row = Verdict & { id: number };

export function columnsOf(file: ImportFile): Column<Row>[] {
  const fields = new Map(file.rows.map((row) => [row.line, row.fields]));
  const of = (row: Row, name: string) => String(fields.get(row.line)?.[name] ?? "");
  return [
    { name: "line", label: "Line", class: "number line", fixed: true, cell: ({ line }) => line },
    { name: "verdict", label: "Result", fixed: true, class: "brief", cell: Tag },
    {
      name: "ics_id",
      label: "ICS id",
      class: "mono",
      cell: (row) => <Label row={row} text={of(row, "ics_id")} />,
    },
    {
      name: "serial_number",
      label: "Serial number",
      cell: (row) => of(row, "serial_number") || serialIn(row),
    },
    {
      name: "what",
      label: "Changes",
      fixed: true,
      cell: (row) =>
        row.verdict === "refused" ? (
          <CorrectRow row={row} texts={fields.get(row.line) ?? {}} />
        ) : (
          <Differences table="items" differences={row.changes} />
        ),
    },
  ];
}

const TAGS = {
  refused: { tone: "bad", label: "Refused" },
  new: { tone: "good", label: "New" },
  change: { tone: "warn", label: "Change" },
  same: { tone: "", label: "Unchanged" },
};

function Tag({ verdict }: Row) {
  const { tone, label } = TAGS[verdict];
  return <span class={`tag ${tone}`}>{label}</span>;
}

function Label({ row: { verdict, ics_id }, text }: { row: Row; text: string }) {
  if (verdict === "refused") return text ? <span class="muted">{text}</span> : null;
  if (ics_id === null) return <span class="muted">temporary</span>;
  return verdict === "new" ? <span>{ics_id}</span> : <a href={viewPath(ics_id)}>{ics_id}</a>;
}

function serialIn({ changes }: Row): string {
  return changes.find(({ field }) => field === "serial_number")?.now ?? "";
}

interface RowForm {
  row: Row;
  /** As in the file, or as corrected since. */
  texts: Record<string, unknown>;
}

function CorrectRow({ row, texts }: RowForm) {
  const byField = Map.groupBy(row.errors, ({ field }) => field);
  return (
    <div class="mend">
      {[...byField].map(([name, errors]) =>
        COLUMNS.includes(name) ? (
          <RowField row={row} name={name} errors={errors} value={String(texts[name] ?? "")} />
        ) : (
          <p class="error">{reasonsOf(errors)}</p>
        ),
      )}
      <div class="buttons">
        <button type="submit" form={ROWS_FORM}>
          Save<span class="hidden"> line {row.line}</span>
        </button>
        <button type="submit" form={ROWS_FORM} name="leave" value={row.line} class="quiet">
          Skip<span class="hidden"> line {row.line}</span>
        </button>
      </div>
    </div>
  );
}

interface RowField {
  row: Row;
  name: string;
  errors: FieldError[];
  value: string;
}

const SUGGESTED: readonly string[] = ITEM_KINDS;

function RowField({ row, name, errors, value }: RowField) {
  const id = `line-${row.line}-${name}`;
  const suggested = SUGGESTED.includes(name)
    ? { list: `${name}-names`, "data-suggest": `/inventory/_retrieve_attributes/${name}` }
    : {};
  const common = {
    id,
    name: `${row.line}.${name}`,
    form: ROWS_FORM,
    autocomplete: "off" as const,
    "aria-invalid": true,
    "aria-describedby": `error-${id}`,
    ...suggested,
  };
  return (
    <div class="field">
      <label for={id}>
        {labelIn(item, name)}
        <span class="hidden"> in line {row.line}</span>
      </label>
      {value.includes("\n") ? (
        <textarea rows={2} {...common}>
          {value}
        </textarea>
      ) : (
        <input type="text" value={value} {...common} />
      )}
      <p class="error" id={`error-${id}`}>
        {reasonsOf(errors)}
      </p>
    </div>
  );
}
