// Links to the pages of records, by the names that other records show.
import { resourceOf } from "../../src/resources.ts";
import { user } from "../../src/user/user.ts";

/** The path of the page of a record, if records of this table have pages. */
export function recordPath(table: string, name: string): string | undefined {
  const resource = table === user.name ? user : resourceOf(table);
  return resource?.page?.(encodeURIComponent(name));
}

interface LinkProps {
  table: string;
  name: string;
}

/** The name of a record as a link to its page, if it has one. */
export function RecordLink({ table, name }: LinkProps) {
  const href = recordPath(table, name);
  if (href === undefined) return <>{name}</>;
  const isCut = name.length > LONGEST;
  return (
    <a class={isCut ? "cut" : undefined} href={href} title={isCut ? name : undefined}>
      {name}
    </a>
  );
}

/** Lists cut longer names to one line; the whole is in the title. */
const LONGEST = 14;

/** Several names, each a link to its page. */
export function RecordLinks({ table, names }: { table: string; names: readonly string[] }) {
  const [only, ...others] = names;
  if (only === undefined) return null;
  if (others.length === 0) return <RecordLink table={table} name={only} />;
  return (
    <span class="cut" title={names.join(", ")}>
      {names.map((name, at) => (
        <>
          {at > 0 && ", "}
          <RecordLink table={table} name={name} />
        </>
      ))}
    </span>
  );
}

/** What an item is and where, in one line. */
export function ModelAndPlace({
  model,
  location,
}: {
  model: string | null;
  location: string | null;
}) {
  return (
    <span class="muted">
      {model && <RecordLink table="models" name={model} />}
      {model && location && ", "}
      {location && <RecordLink table="locations" name={location} />}
    </span>
  );
}
