// The preview of an import: what each row would do, and the buttons that apply it.

import type { ComponentChildren } from "preact";
import { changePath } from "../../src/history/words.ts";
import type { ImportFile } from "../../src/import/files.ts";
import { isLong } from "../../src/import/jobs.ts";
import type { RowVerdict } from "../../src/import/verdicts.ts";
import { formatNumber } from "../../src/input/text.ts";
import type { Job } from "../../src/jobs/jobs.ts";
import { isOpen } from "../jobs/progress.tsx";
import { confirmAttributes } from "../layout/confirm.tsx";
import { Icon } from "../parts/icon.tsx";
import { List } from "../parts/list.tsx";
import { Suggestions } from "../parts/typeahead.tsx";
import { useHx } from "../request/frame.ts";
import { withParams } from "../request/url_parameters.ts";
import { inTitle, ROWS_WITH_ERRORS, reasonsOf } from "../texts.ts";
import { type ImportSubject, importPath } from "./kind.ts";
import { previewColumns, ROWS_FORM } from "./row.tsx";
import { countsInWords, type ImportPreview, VERDICTS } from "./shown_rows.ts";

interface Props {
  of: ImportSubject;
  title: string;
  file: ImportFile;
  children: ComponentChildren;
}

export function PreviewPage({ of, title, file, children }: Props) {
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
        <form
          class="actions"
          method="post"
          action={previewPath(of, file)}
          {...confirmAttributes(DISCARD)}
        >
          <button type="submit" name="action" value="discard" class="quiet">
            Discard import
          </button>
        </form>
      </header>
      {children}
    </>
  );
}

export const DISCARD = {
  title: "Discard this import?",
  detail: "Rows that are not applied yet and your corrections are lost.",
  verb: "Discard",
};

export function previewPath(
  of: Pick<ImportSubject, "list">,
  { id }: Pick<ImportFile, "id">,
): string {
  return `${importPath(of)}/${id}`;
}

interface CheckingProps extends Omit<CheckedFile, "seen"> {
  /** The last one of the file. */
  job: Job | undefined;
  /** It is part of a page. What a script puts into one works with scripting, also what is in a noscript. */
  isWhole?: boolean;
}

/** It reloads itself; without scripting the whole page is reloaded after a moment. */
export function Checking({ of, file, params, job, isWhole = false }: CheckingProps) {
  const hx = useHx();
  const whole = withParams(previewPath(of, file), params, { checked: "true" });
  const isDue = isLong(file) && !(job && isOpen(job));
  if (isDue) return <Unchecked of={of} file={file} job={job} />;
  // If an answer is lost, the second timer continues.
  const trigger = job ? "load delay:1s, every 10s" : "load";
  return (
    <section id="import" {...hx({ get: whole, trigger, target: "this", swap: "outerHTML" })}>
      {isWhole && (
        <noscript>
          <meta http-equiv="refresh" content={`${job ? 2 : 0}; url=${whole}`} />
        </noscript>
      )}
      <div class="note job">
        <p role="status">
          {(job?.progress && job.message) || `Checking ${formatNumber(file.rows.length)} rows…`}
        </p>
        {job && (
          <progress max={100} value={job.progress} aria-label={job.name}>
            {job.progress} %
          </progress>
        )}
      </div>
    </section>
  );
}

/** The job for a long file has ended, and its rows have changed since. */
function Unchecked({ of, file, job }: Pick<CheckingProps, "of" | "file" | "job">) {
  return (
    <form id="import" class="region" method="post" action={previewPath(of, file)}>
      {job?.status === "failed" && (
        <p class="note bad" role="alert">
          {job.message}
        </p>
      )}
      <p>{formatNumber(file.rows.length)} rows are to be checked.</p>
      <button type="submit" name="action" value="check" class="primary">
        Check them
      </button>
    </form>
  );
}

/** The part that htmx replaces: the summary, the tabs, the rows. */
export function Preview<Verdict extends RowVerdict>(shown: ImportPreview<Verdict>) {
  return (
    <section id="import" class="region" aria-label="Preview">
      <ImportErrors {...shown} />
      <Applied {...shown} />
      {shown.verdicts.length > 0 ? (
        <>
          <Warnings {...shown} />
          <Buttons {...shown} />
          <Tabs {...shown} />
          <VerdictList {...shown} />
        </>
      ) : (
        <Nothing of={shown.of} file={shown.file} />
      )}
    </section>
  );
}

function ImportErrors({ errors }: Pick<ImportPreview, "errors">) {
  if (errors.length === 0) return null;
  const general = errors.filter(({ field }) => !/^rows\.\d+\./.test(field));
  const refusal = reasonsOf(general);
  return (
    <p class="note bad" role="alert">
      {refusal || ROWS_WITH_ERRORS}
    </p>
  );
}

function Applied({ done }: Pick<ImportPreview, "done">) {
  if (!done) return null;
  const { change_set } = done;
  const path = changePath(change_set);
  return (
    <div class="note good done">
      <p role="status">
        {inTitle(done.text)}. <a href={path}>Show the change</a>
      </p>
      <form method="post" action={path}>
        <button type="submit">
          <Icon name="history" /> Undo
        </button>
      </form>
    </div>
  );
}

const MOST_LINES = 5;

/** Says before anything is applied which rows look wrong, and offers to change what probably exists already. */
function Warnings<Verdict extends RowVerdict>({ verdicts, ...checked }: ImportPreview<Verdict>) {
  const { of, file, params, tab } = checked;
  const warned = verdicts.filter(({ warnings }) => warnings);
  if (warned.length === 0) return null;
  const lines = warned.slice(0, MOST_LINES).map(({ line }) => line);
  const more = warned.length > lines.length ? " and others" : "";
  const isOffered = warned.some(({ warnings }) => warnings?.some(({ instead }) => instead));
  return (
    <form class="note warn" method="post" action={previewPath(of, file)}>
      <p>
        {warned.length === 1
          ? "1 row looks wrong, such as something that exists already: see the warning in line "
          : `${formatNumber(warned.length)} rows look wrong, such as what exists already: see the warnings in lines `}
        {lines.join(", ")}
        {more}.{" "}
        {tab !== "all" && (
          <a href={withParams(previewPath(of, file), params, { verdict: "all" })}>Show all rows</a>
        )}
      </p>
      <View {...checked} />
      {isOffered && (
        <button type="submit" name="action" value="update" class="primary">
          Update the existing ones
        </button>
      )}
    </form>
  );
}

/** The buttons that apply everything, or only the valid rows. */
function Buttons({
  counts,
  verdicts,
  ...checked
}: CheckedFile & Pick<ImportPreview, "counts" | "verdicts">) {
  const good = counts.new + counts.change;
  const isDoubted = counts.refused > 0 || verdicts.some(({ warnings }) => warnings);
  return (
    <form class="imports" method="post" action={previewPath(checked.of, checked.file)}>
      <p role="status">
        <b>{countsInWords(counts)}</b>
        {good === 0 && counts.refused === 0 && ": nothing to apply"}
      </p>
      <View {...checked} />
      {good > 0 && (
        <button
          type="submit"
          name="action"
          value={counts.refused > 0 ? "good" : "all"}
          class={isDoubted ? "" : "primary"}
        >
          {counts.refused > 0 ? `Apply ${rows(good, "valid ")}` : `Apply all ${rows(good)}`}
        </button>
      )}
    </form>
  );
}

function rows(number: number, of = ""): string {
  return `${formatNumber(number)} ${of}${number === 1 ? "row" : "rows"}`;
}

interface CheckedFile extends Pick<ImportPreview, "file" | "params" | "seen"> {
  of: Pick<ImportSubject, "list">;
}

/** The shown list and the state of the file: only rows that the user has seen are applied. */
function View({ file, params, seen }: CheckedFile) {
  return (
    <>
      <input type="hidden" name="state" value={file.state} />
      <input type="hidden" name="seen" value={seen} />
      {[...params].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

const LABELS = { refused: "Refused", new: "New", change: "Change", same: "Unchanged", all: "All" };

type TabsProps = Omit<CheckedFile, "seen"> & Pick<ImportPreview, "tab" | "counts" | "verdicts">;

function Tabs({ of, file, params, tab, counts, verdicts }: TabsProps) {
  const shown = VERDICTS.filter((verdict) => counts[verdict] > 0 || verdict === tab);
  return (
    <nav class="tabs" aria-label="Results">
      {[...shown, "all" as const].map((one) => (
        <a
          href={withParams(previewPath(of, file), params, { verdict: one, page: null })}
          aria-current={one === tab ? "page" : undefined}
        >
          {LABELS[one]}
          <span class="count">{formatNumber(one === "all" ? verdicts.length : counts[one])}</span>
        </a>
      ))}
    </nav>
  );
}

export function VerdictList<Verdict extends RowVerdict>(shown: ImportPreview<Verdict>) {
  const { of, file, params, listed, rows: some, verdicts } = shown;
  const fresh = verdicts.filter(({ verdict }) => verdict === "new").map(of.nameOf);
  const added = new Set(fresh.filter((name) => name !== null));
  return (
    <List
      noun="rows"
      singular="row"
      path={previewPath(of, file)}
      params={params}
      listed={listed}
      rows={some.map((row) => ({ ...row, id: row.line }))}
      columns={previewColumns(of, file, added)}
      fields={["verdict", "checked"]}
      bulk={<RowsForm {...shown} />}
      empty={<Nothing of={of} file={file} />}
    />
  );
}

/** One form for all fields on the page: saving one row saves the input of the others too. */
function RowsForm({ suggested, ...checked }: CheckedFile & Pick<ImportPreview, "suggested">) {
  const hx = useHx();
  const path = previewPath(checked.of, checked.file);
  return (
    <>
      <form
        id={ROWS_FORM}
        method="post"
        action={path}
        data-guard
        {...hx({ post: path, target: "#import", swap: "outerHTML" })}
      >
        <View {...checked} />
      </form>
      {Object.entries(suggested).map(([column, names]) => (
        <Suggestions id={column} names={names} />
      ))}
    </>
  );
}

interface NothingProps {
  of: ImportSubject;
  file: ImportFile;
}

function Nothing({ of, file }: NothingProps): ComponentChildren {
  return (
    <div class="empty">
      <Icon name="check" />
      <p>{file.rows.length > 0 ? "No rows here" : "All rows of this file are done"}</p>
      <p class="buttons">
        <a class="button" href={importPath(of)}>
          Import another file
        </a>
        <a class="button quiet" href={of.list}>
          {inTitle(of.importer.kind)}
        </a>
      </p>
    </div>
  );
}
