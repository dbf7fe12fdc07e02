import type { FieldError } from "../../../src/input/errors.ts";
import type { WaitingFile } from "../../../src/inventory/import/files.ts";
import { COLUMNS, IGNORED, MOST_ROWS } from "../../../src/inventory/import/import.ts";
import { Icon } from "../../parts/icon.tsx";
import { Time } from "../../records/time.tsx";
import { PATH } from "../items/list.tsx";

export const IMPORT = `${PATH}/import`;

interface Props {
  faults: FieldError[];
  waiting: WaitingFile[];
}

export function ImportPage({ faults, waiting }: Props) {
  return (
    <>
      <header class="head">
        <div>
          <h1>Import items</h1>
          <p class="lead">New items and changes of old ones, from a spreadsheet</p>
        </div>
      </header>
      <div class="stack">
        <FileForm faults={faults} />
        {waiting.length > 0 && <Files waiting={waiting} />}
        <Columns />
      </div>
    </>
  );
}

const TAKEN = ".xlsx,.csv,.txt,text/csv,text/tab-separated-values";

function FileForm({ faults }: { faults: FieldError[] }) {
  const isWrong = faults.length > 0;
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
        {faults.map(({ message }) => (
          <p class="error" id="error-file" role="alert">
            {message}
          </p>
        ))}
        <p class="hint" id="hint-file">
          Choose an .xlsx or .csv file, or drop it here: at most {MOST_ROWS.toLocaleString("en")}{" "}
          rows and 16 MiB. Its first sheet is read.
        </p>
      </div>
      <div class="buttons">
        <button type="submit" class="primary">
          <Icon name="upload" /> Look at what it would do
        </button>
        <a class="button quiet" href={PATH}>
          Cancel
        </a>
      </div>
      <p class="hint">Nothing is changed before you have seen it.</p>
    </form>
  );
}

function Files({ waiting }: Pick<Props, "waiting">) {
  return (
    <section>
      <h2>Not finished</h2>
      <ul class="plain">
        {waiting.map(({ id, file_name, created_at }) => (
          <li>
            <a href={`${IMPORT}/${id}`}>{file_name}</a>{" "}
            <span class="muted">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const MEANINGS: Record<string, string> = {
  ics_id: "Which item a row is about. A known id changes that item; without one it is new",
  serial_number: "Needed for a new item",
  quantity: "1 where it is left out",
  parent: "The ICS id of what it stands in, which may be in the same file",
  stack_member: "0 to 9, on a network device",
  macs: "Separated by commas or blanks, in any notation",
  comments: "Each on a line of its own; those that are there already are not added again",
};
const BY_NAME = "By a name that is there already";

function Columns() {
  return (
    <section>
      <h2>Columns</h2>
      <p>
        The first row names the columns, in any order. What is not there stays as it is; a blank
        cell clears. An export can be changed and imported again; of it {IGNORED.join(", ")} are
        read over.
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
          <Icon name="download" /> An empty file with these columns
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
