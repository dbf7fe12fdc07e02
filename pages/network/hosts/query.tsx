// The search box of the hosts: how the query was read, its error, and examples.
import type { QuerySyntaxError } from "../../../src/input/errors.ts";
import type { Chip } from "../../../src/search/language/describe.ts";
import type { Example } from "../../lists/search_examples.tsx";
import { useHx } from "../../request/frame.ts";

export interface Query {
  text: string;
  chips: Chip[];
  /** Why the query is invalid, and where. */
  error?: { message: string; syntax?: QuerySyntaxError };
}

/** Attributes of the box. */
export function boxOf({ text, error }: Query): Record<string, string> {
  return {
    id: "query",
    value: text,
    "aria-describedby": "understood",
    placeholder: "Search hosts: a word, name:ioc*, ip:10.20.0.0/16, NOT type:virtual",
    spellcheck: "false",
    ...(error && { "aria-invalid": "true" }),
  };
}

/** Outside the list, as an invalid query does not change the list. */
export function QuerySummary({ query, isBeside = false }: { query: Query; isBeside?: boolean }) {
  const hx = useHx();
  const beside = isBeside ? hx({ "swap-oob": "true" }) : {};
  return (
    <div id="understood" aria-live="polite" {...beside}>
      {query.error ? <QueryError {...query} {...query.error} /> : <Chips chips={query.chips} />}
    </div>
  );
}

function QueryError({ text, message, syntax }: NonNullable<Query["error"]> & Pick<Query, "text">) {
  return (
    <>
      <p class="error">
        {syntax && "This query is not valid: "}
        {message}
      </p>
      {syntax?.hint && <p class="hint">{syntax.hint}</p>}
      {syntax && (
        <pre class="snippet">
          {text.slice(0, syntax.offset)}
          <mark>{text.slice(syntax.offset, syntax.end) || "\u00a0"}</mark>
          {text.slice(Math.max(syntax.end, syntax.offset))}
        </pre>
      )}
    </>
  );
}

/** The word that connects a clause to the previous one. */
const CONNECTORS: Record<Chip["role"], string> = {
  required: "and",
  "one of": "or",
  preferred: "preferably",
  excluded: "and not",
};

function Chips({ chips }: Pick<Query, "chips">) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips interpreted">
      {chips.map(({ text, meaning, role }, at) => (
        <li title={text}>
          {at > 0 ? `${CONNECTORS[role]} ` : role === "excluded" && "not "}
          <b>{meaning}</b>
        </li>
      ))}
    </ul>
  );
}

export const HOST_EXAMPLES: Example[] = [
  ["ioc*", "any field starts with ioc"],
  ["name:ioc* AND group:timing", "both conditions; group is short for automation_groups"],
  ["type:Virtual OR type:VME", "at least one condition"],
  ["is_ioc:true AND NOT network:CSLab", "IOCs that are not in CSLab"],
  ["ip:10.20.0.0/16", "address in a block"],
  ["mac:02:42:42*", "start of a MAC address"],
  ['description:"timing receiver"', "these words in this order"],
  ["archvier~", "up to two letters differ"],
  ["created_at:[2026-01 TO now]", "since January"],
  ["_exists_:items.ics_id", "hosts with an item"],
  ["automation_vars.port:>1024", "value of a variable"],
];
