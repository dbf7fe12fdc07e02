// One row of an import: its outcome, and for a refused row the fields to correct it.
import type { ImportFile } from "../../src/import/files.ts";
import type { RowVerdict } from "../../src/import/verdicts.ts";
import type { FieldError } from "../../src/input/errors.ts";
import type { Column } from "../parts/list.tsx";
import { Differences } from "../parts/timeline.tsx";
import { reasonsOf } from "../texts.ts";
import type { ImportPageRow, ImportPages, ImportSubject } from "./kind.ts";

/** The form that all fields of the rows belong to. */
export const ROWS_FORM = "mend";

/** `added` has the names of the records that the file would add. */
export function previewColumns<Verdict extends RowVerdict>(
  of: ImportPages<Verdict>,
  file: ImportFile,
  added: ReadonlySet<string>,
): Column<ImportPageRow<Verdict>>[] {
  const fields = new Map(file.rows.map((row) => [row.line, row.fields]));
  return [
    { name: "line", label: "Line", class: "number line", fixed: true, cell: ({ line }) => line },
    { name: "verdict", label: "Result", fixed: true, class: "brief", cell: Tag },
    ...of.columnsOf(file),
    {
      name: "what",
      label: "Changes",
      fixed: true,
      cell: (row) =>
        row.verdict === "refused" ? (
          <CorrectRow of={of} row={row} texts={fields.get(row.line) ?? {}} />
        ) : (
          <>
            {row.warnings && <p class="note warn">{reasonsOf(row.warnings)}</p>}
            <Differences
              labelOf={of.labelOf}
              tableOf={of.tableOf}
              differences={row.changes}
              added={added}
            />
          </>
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

function Tag({ verdict }: RowVerdict) {
  const { tone, label } = TAGS[verdict];
  return <span class={`tag ${tone}`}>{label}</span>;
}

interface RowForm {
  of: Pick<ImportSubject, "importer" | "suggest" | "labelOf">;
  row: RowVerdict;
  /** As in the file, or as corrected since. */
  texts: Record<string, unknown>;
}

function CorrectRow({ of, row, texts }: RowForm) {
  const byField = Map.groupBy(row.errors, ({ field }) => field);
  const hasFields = [...byField.keys()].some((name) => of.importer.columns.includes(name));
  return (
    <div class="mend">
      {[...byField].map(([name, errors]) =>
        of.importer.columns.includes(name) ? (
          <RowField
            of={of}
            row={row}
            name={name}
            errors={errors}
            value={String(texts[name] ?? "")}
          />
        ) : (
          <p class="error">{reasonsOf(errors)}</p>
        ),
      )}
      <div class="buttons">
        {hasFields && (
          <button type="submit" form={ROWS_FORM}>
            Save<span class="hidden"> line {row.line}</span>
          </button>
        )}
        <button type="submit" form={ROWS_FORM} name="leave" value={row.line} class="quiet">
          Skip<span class="hidden"> line {row.line}</span>
        </button>
      </div>
    </div>
  );
}

interface RowFieldProps extends Pick<RowForm, "of" | "row"> {
  name: string;
  errors: FieldError[];
  value: string;
}

function RowField({ of, row, name, errors, value }: RowFieldProps) {
  const id = `line-${row.line}-${name}`;
  const suggest = of.suggest[name];
  const suggested =
    suggest === undefined
      ? {}
      : { list: `${name}-names`, ...(suggest !== "" && { "data-suggest": suggest }) };
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
        {of.labelOf(name)}
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
