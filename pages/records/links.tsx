// Links to the pages of records, by the names that other records show.
import type { ComponentChildren } from "preact";
import { resourceOf } from "../../src/resources.ts";
import { user } from "../../src/user/user.ts";
import { precompiled } from "../parts/precompiled_markup.ts";

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
  return <>{recordLink(table, name)}</>;
}

/** The same as a plain function, which is faster in the cells of lists. */
export function recordLink(table: string, name: string): ComponentChildren {
  const href = recordPath(table, name);
  if (href === undefined) return name;
  return name.length > LONGEST ? CutAnchor({ href, name }) : Anchor({ href, name });
}

/** Lists cut longer names to one line; the whole is in the title. */
const LONGEST = 14;

/** Several names, each a link to its page. */
export function recordLinks(table: string, names: readonly string[]): ComponentChildren {
  const [only, ...others] = names;
  if (only === undefined) return null;
  if (others.length === 0) return recordLink(table, only);
  const links = names.flatMap((name, at) => [at > 0 && ", ", recordLink(table, name)]);
  return Several({ title: names.join(", "), links });
}

const Several = precompiled<{ title: string; links: ComponentChildren }>(({ title, links }) => (
  <span class="cut" title={title}>
    {links}
  </span>
));

const Anchor = precompiled<{ href: string; name: string }>(({ href, name }) => (
  <a href={href}>{name}</a>
));

const CutAnchor = precompiled<{ href: string; name: string }>(({ href, name }) => (
  <a class="cut" href={href} title={name}>
    {name}
  </a>
));

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
      {model && recordLink("models", model)}
      {model && location && ", "}
      {location && recordLink("locations", location)}
    </span>
  );
}
