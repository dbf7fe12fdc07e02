import { VALUES, type Values } from "../../src/inventory/item_versions.ts";
import { labelOf, type Values as Texts } from "../forms.tsx";

export interface Conflicting {
  /** Who saved it meanwhile, and when. */
  user: string | null;
  at: string;
  /** As it was when the form was opened, where that is known. */
  base: Values | undefined;
  theirs: Values;
  yours: Texts;
}

/** Nothing is overwritten unseen: what was, what they made of it and what you did stand side by side. */
export function Conflict({ user, at, base, theirs, yours }: Conflicting) {
  const rows = VALUES.filter(
    (name) => yours[name] !== undefined && differ(name, { base, theirs, yours }),
  );
  return (
    <div class="note warn" role="alert">
      <p>
        <b>{user ?? "The machine"}</b> saved this item at <time>{at}</time>, while you were editing.
        Nothing of yours is saved yet. The form below has their changes and yours; where both
        changed the same, it has yours. Check it and save again.
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
          {rows.map((name) => (
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

type Versions = Pick<Conflicting, "base" | "theirs" | "yours">;

function differ(name: keyof Values, { base, theirs, yours }: Versions): boolean {
  return theirs[name] !== yours[name] || (base !== undefined && base[name] !== yours[name]);
}

/** Yours where you changed something, theirs where you did not. */
export function merged({ base, theirs, yours }: Versions): Texts {
  const taken = VALUES.filter(
    (name) => yours[name] !== undefined && base !== undefined && yours[name] === base[name],
  );
  return { ...yours, ...Object.fromEntries(taken.map((name) => [name, theirs[name]])) };
}
