import type { TObject } from "@sinclair/typebox";
import { Time } from "../records/time.tsx";
import { labelOf, type Values } from "./forms.tsx";

interface Versions {
  /** The values when the form was opened; undefined where they are not known. */
  base: Values | undefined;
  theirs: Values;
  yours: Values;
}

export interface Conflicting extends Versions {
  /** Who saved it meanwhile, and when; empty where the record does not say. */
  user: string | null;
  at: string;
}

interface Props extends Conflicting {
  /** What was edited, in a word: item. */
  noun: string;
  /** Of the form, which has the labels. */
  shape: TObject;
}

/** Shows the value before, theirs and yours of each field that differs, so that nothing is overwritten unseen. */
export function Conflict({ noun, shape, user, at, ...versions }: Props) {
  const { base, theirs, yours } = versions;
  return (
    <div class="note warn" role="alert">
      <p>
        <b>{user ?? "The machine"}</b> saved this {noun} at <Time at={at} />, while you were
        editing. Nothing of yours is saved yet. The form below has their changes and yours; where
        both changed the same, it has yours. Check it and save again.
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
                <th scope="row">{labelOf({ shape }, name)}</th>
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

interface ConflictingEdit {
  names: readonly string[];
  edited: { values: Values; user?: string | null; updated_at?: string | null };
  base: Values | undefined;
  sent: Values;
}

/** The three versions of each field, and the values of the form with the changes of both. */
export function conflictOf({ names, edited, base, sent }: ConflictingEdit): {
  conflict: Conflicting;
  values: Values;
} {
  const { values: theirs, user = null, updated_at } = edited;
  const versions = { base, theirs, yours: withPlainEnds(sent) };
  return { conflict: { user, at: updated_at ?? "", ...versions }, values: merged(names, versions) };
}

/** Browsers send CRLF at the end of a line. */
function withPlainEnds(values: Values): Values {
  const pairs = Object.entries(values).map(([name, text]) => [
    name,
    text?.replaceAll("\r\n", "\n"),
  ]);
  return Object.fromEntries(pairs);
}

/** Yours where you changed something, theirs where you did not. */
function merged(names: readonly string[], { base, theirs, yours }: Versions): Values {
  const kept = names.filter(
    (name) => yours[name] !== undefined && base !== undefined && yours[name] === base[name],
  );
  return { ...yours, ...Object.fromEntries(kept.map((name) => [name, theirs[name]])) };
}

function differ(name: string, { base, theirs, yours }: Versions): boolean {
  if (yours[name] === undefined) return false;
  return theirs[name] !== yours[name] || (base !== undefined && base[name] !== yours[name]);
}
