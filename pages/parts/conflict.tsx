import { labelOf } from "../forms.tsx";

export type Texts = Record<string, string | undefined>;

export interface Versions {
  /** As it was when the form was opened, where that is known. */
  base: Texts | undefined;
  theirs: Texts;
  yours: Texts;
}

export interface Conflicting extends Versions {
  /** Who saved it meanwhile, and when. */
  user: string | null;
  at: string;
}

interface Props extends Conflicting {
  /** What was edited, in a word: item. */
  noun: string;
  /** The fields of it, in their order. */
  names: readonly string[];
}

/** Nothing is overwritten unseen: what was, what they made of it and what you did stand side by side. */
export function Conflict({ noun, names, user, at, ...versions }: Props) {
  const { base, theirs, yours } = versions;
  return (
    <div class="note warn" role="alert">
      <p>
        <b>{user ?? "The machine"}</b> saved this {noun} at <time>{at}</time>, while you were
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
          {names
            .filter((name) => differ(name, versions))
            .map((name) => (
              <tr>
                <th scope="row">{labelOf(name)}</th>
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

/** Yours where you changed something, theirs where you did not. */
export function merged(names: readonly string[], { base, theirs, yours }: Versions): Texts {
  const kept = names.filter(
    (name) => yours[name] !== undefined && base !== undefined && yours[name] === base[name],
  );
  return { ...yours, ...Object.fromEntries(kept.map((name) => [name, theirs[name]])) };
}

function differ(name: string, { base, theirs, yours }: Versions): boolean {
  if (yours[name] === undefined) return false;
  return theirs[name] !== yours[name] || (base !== undefined && base[name] !== yours[name]);
}
