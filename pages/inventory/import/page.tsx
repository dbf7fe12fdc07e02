import type { FieldError } from "../../../src/input/errors.ts";
import type { WaitingFile } from "../../../src/inventory/import/files.ts";
import { COLUMNS, IGNORED, MOST_ROWS } from "../../../src/inventory/import/import.ts";
import { Icon } from "../../parts/icon.tsx";
import { PATH } from "../items/list.tsx";

export const IMPORT = `${PATH}/import`;

interface Props {
  errors: FieldError[];
  waiting: WaitingFile[];
}

export function ImportPage({ errors, waiting }: Props) {
  return (
    <>
      <header class="head">
        <div>
          <h1>Import items</h1>
          <p class="lead">Add and change items from a spreadsheet</p>
        </div>
      </header>
      <div class="stack">
        <FileForm errors={errors} />
        {waiting.length > 0 && <Files waiting={waiting} />}
        <Columns />
      </div>
    </>
  );
}

const TAKEN = ".xlsx,.csv,.txt,text/csv,text/tab-separated-values";

function FileForm({ errors }: { errors: FieldError[] }) {
  const isWrong = errors.length > 0;
  return (
    <form class="sheet" method="post" action={IMPORT} encType="multipart/form-data">
      <div class="field">
        <label for="field-file">File</label>
        <input
          type="file"
          id="field-file"
          name="file"
          accept={TAKEN}
          required
          aria-describedby={isWrong ? "error-file hint-file" : "hint-file"}
          aria-invalid={isWrong ? true : undefined}
        />
        {errors.map(({ message }) => (
          <p class="error" id="error-file" role="alert">
            {message}
          </p>
        ))}
        <p class="hint" id="hint-file">
          An .xlsx or .csv file with at most {MOST_ROWS.toLocaleString("en")} rows and 16 MiB. Only
          the first sheet is read.
        </p>
      </div>
      <div class="buttons">
        <button type="submit" class="primary">
          <Icon name="upload" /> Preview import
        </button>
        <a class="button quiet" href={PATH}>
          Cancel
        </a>
      </div>
      <p class="hint">Nothing is changed until you apply the preview.</p>
    </form>
  );
}

function Files({ waiting }: Pick<Props, "waiting">) {
  return (
    <section>
      <h2>Unfinished imports</h2>
      <ul class="plain">
        {waiting.map(({ id, file_name, created_at }) => (
          <li>
            <a href={`${IMPORT}/${id}`}>{file_name}</a> <time class="muted">{created_at}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}

const MEANINGS: Record<string, string> = {
  ics_id: "An existing id changes that item; a blank one adds an item",
  serial_number: "Required for a new item",
  quantity: "Default 1",
  parent: "The ICS id of the parent, which may be in the same file",
  stack_member: "0 to 9; only for network devices",
  macs: "Separated by commas or spaces, in any notation",
  comments: "One per line; existing comments are not added again",
};
const BY_NAME = "An existing name";

function Columns() {
  return (
    <section>
      <h2>Columns</h2>
      <p>
        The first row contains the column names, in any order. Missing columns are not changed; a
        blank cell clears the value. You can edit an export and import it again:{" "}
        {IGNORED.join(", ")} are ignored.
      </p>
      <dl class="facts columns">
        {COLUMNS.map((name) => (
          <>
            <dt class="mono">{name}</dt>
            <dd>{MEANINGS[name] ?? BY_NAME}</dd>
          </>
        ))}
      </dl>
      <p>
        <a class="button" href={`${IMPORT}/template.csv`} download="items.csv">
          <Icon name="download" /> Download empty file
        </a>
      </p>
    </section>
  );
}

export function template(): Response {
  return new Response(`${COLUMNS.join(",")}\r\n`, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="items.csv"',
    },
  });
}
