import type { TObject } from "@sinclair/typebox";
import { Time } from "../records/time.tsx";
import { type FormValues, fieldLabel } from "./forms.tsx";

interface Versions {
  /** The values when the form was opened, if known. */
  base: FormValues | undefined;
  theirs: FormValues;
  yours: FormValues;
}

export interface EditConflict extends Versions {
  /** Who saved it meanwhile, and when; empty if the record does not store it. */
  user: string | null;
  at: string;
}

interface Props extends EditConflict {
  /** The kind of record: item. */
  noun: string;
  /** The shape of the form; it has the labels. */
  shape: TObject;
}

/** Shows the previous value, theirs and yours of each field that differs. */
export function Conflict({ noun, shape, user, at, ...versions }: Props) {
  const { base, theirs, yours } = versions;
  return (
    <div class="note warn" role="alert">
      <p>
        <b>{user ?? "System"}</b> saved this {noun} <Time at={at} />, while you were editing. Your
        changes are not saved yet. The form below contains both; where both changed a field, it has
        your value. Check it and save again.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {Object.keys(theirs)
            .filter((name) => differ(name, versions))
            .map((name) => (
              <tr>
                <th scope="row">{fieldLabel({ shape }, name)}</th>
                <td>{base?.[name]}</td>
                <td>{theirs[name]}</td>
                <td>{yours[name]}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

interface ConflictInput {
  names: readonly string[];
  edited: { values: FormValues; user?: string | null; updated_at?: string | null };
  base: FormValues | undefined;
  sent: FormValues;
}

/** The three versions of each field, and the values of the form with the changes of both. */
export function conflictOf({ names, edited, base, sent }: ConflictInput): {
  conflict: EditConflict;
  values: FormValues;
} {
  const { values: theirs, user = null, updated_at } = edited;
  const versions = { base, theirs, yours: withPlainEnds(sent) };
  return { conflict: { user, at: updated_at ?? "", ...versions }, values: merged(names, versions) };
}

/** Browsers send CRLF as the end of a line. */
function withPlainEnds(values: FormValues): FormValues {
  const pairs = Object.entries(values).map(([name, text]) => [
    name,
    text?.replaceAll("\r\n", "\n"),
  ]);
  return Object.fromEntries(pairs);
}

/** Yours where you changed something, theirs where you did not. */
function merged(names: readonly string[], { base, theirs, yours }: Versions): FormValues {
  const kept = names.filter(
    (name) => yours[name] !== undefined && base !== undefined && yours[name] === base[name],
  );
  return { ...yours, ...Object.fromEntries(kept.map((name) => [name, theirs[name]])) };
}

function differ(name: string, { base, theirs, yours }: Versions): boolean {
  if (yours[name] === undefined) return false;
  return theirs[name] !== yours[name] || (base !== undefined && base[name] !== yours[name]);
}
