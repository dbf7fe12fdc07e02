// Choosing a file or pasting rows, and what the columns hold.
import type { WaitingFile } from "../../src/import/files.ts";
import type { FieldError } from "../../src/input/errors.ts";
import { LARGEST_FILE_FORM, MOST_ROWS } from "../../src/input/limits.ts";
import { formatNumber } from "../../src/input/text.ts";
import { PageHead } from "../layout/page_head.tsx";
import { Icon } from "../parts/icon.tsx";
import { Time } from "../records/time.tsx";
import { inTitle } from "../texts.ts";
import { type ImportSubject, importPath } from "./kind.ts";

const MIB = 1024 * 1024;

interface Props {
  of: ImportSubject;
  errors: FieldError[];
  /** Rows that were pasted and refused. */
  pasted: string;
  waiting: WaitingFile[];
}

export function ImportPage({ of, errors, pasted, waiting }: Props) {
  return (
    <>
      <PageHead title={`Import ${of.importer.kind}`} lead={of.lead} />
      <div class="stack">
        <FileForm of={of} errors={errors} pasted={pasted} />
        {waiting.length > 0 && <Files of={of} waiting={waiting} />}
        <Columns of={of} />
      </div>
    </>
  );
}

const TAKEN = ".xlsx,.csv,.txt,text/csv,text/tab-separated-values";

function FileForm({ of, errors, pasted }: Omit<Props, "waiting">) {
  const isWrong = errors.length > 0;
  return (
    <form class="sheet" method="post" action={importPath(of)} encType="multipart/form-data">
      <div class="field">
        <label for="field-file">File</label>
        <input
          type="file"
          id="field-file"
          name="file"
          accept={TAKEN}
          aria-describedby={isWrong ? "error-file hint-file" : "hint-file"}
          aria-invalid={isWrong ? true : undefined}
        />
        {errors.map(({ message }) => (
          <p class="error" id="error-file" role="alert">
            {message}
          </p>
        ))}
        <p class="hint" id="hint-file">
          An .xlsx or .csv file with at most {formatNumber(MOST_ROWS)} rows and{" "}
          {LARGEST_FILE_FORM / MIB} MiB. Only the first sheet is read.
        </p>
      </div>
      <details class="paste" open={pasted !== ""}>
        <summary>Or paste rows</summary>
        <div class="field">
          <label for="field-text">Rows, with the names of columns first</label>
          <textarea
            id="field-text"
            name="text"
            rows={6}
            spellcheck={false}
            class="mono"
            aria-describedby={isWrong ? "error-file hint-text" : "hint-text"}
          >
            {pasted}
          </textarea>
          <p class="hint" id="hint-text">
            Copied from a spreadsheet, or as CSV. A chosen file is used instead.
          </p>
        </div>
      </details>
      <div class="buttons">
        <button type="submit" class="primary">
          <Icon name="upload" /> Preview import
        </button>
        <a class="button quiet" href={of.list}>
          Cancel
        </a>
      </div>
      <p class="hint">Nothing is changed until you apply the preview.</p>
    </form>
  );
}

function Files({ of, waiting }: Pick<Props, "of" | "waiting">) {
  return (
    <section>
      <h2>Unfinished imports</h2>
      <ul class="plain">
        {waiting.map(({ id, file_name, created_at }) => (
          <li>
            <a href={`${importPath(of)}/${id}`}>{file_name}</a>{" "}
            <span class="muted">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Columns({ of }: Pick<Props, "of">) {
  const { kind, columns, ignored, meanings = {} } = of.importer;
  return (
    <section>
      <h2>Columns</h2>
      <p>
        The first row contains the column names, in any order; you are asked what columns with other
        names hold. A blank cell leaves the value as it is; to clear a value, edit the record.{" "}
        {of.rules} These columns of an export are ignored: {ignored.join(", ")}.
      </p>
      <dl class="facts columns">
        {columns.map((name) => (
          <>
            <dt class="mono">{name}</dt>
            <dd>{inTitle(meanings[name] ?? of.meaningOf(name))}</dd>
          </>
        ))}
      </dl>
      <p>
        <a class="button" href={`${importPath(of)}/template.csv`} download={`${kind}.csv`}>
          <Icon name="download" /> Download empty file
        </a>
      </p>
    </section>
  );
}

export function template({ importer: { kind, columns } }: ImportSubject): Response {
  return new Response(`${columns.join(",")}\r\n`, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${kind}.csv"`,
    },
  });
}
