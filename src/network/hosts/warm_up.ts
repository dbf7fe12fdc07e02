// Fills the caches of the search before the first search: the order of the list, the results for common values, and the
// vocabulary.
import { sql } from "drizzle-orm";
import { inBackground } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { readAgain } from "../../search/cache/list_order.ts";
import { LARGE } from "../../search/cache/result_cache.ts";
import { find } from "../../search/find.ts";
import { preload } from "../../search/suggest/vocabulary.ts";
import { wordListsOf } from "../../search/suggest/word_lists.ts";
import { hostDocument } from "./search.ts";

/** Milliseconds after the start of the service. */
const DELAY = 2_000;
const TIME_LIMIT = 20_000;
/** A value is common if one in so many hosts has it. */
const COMMON_SHARE = 100;
const SHARED = [
  ...["device_type", "user", "automation_groups", "interfaces.scope", "interfaces.domain"],
  ...["interfaces.network", "items.manufacturer", "items.model", "items.location", "items.status"],
];

export function start(): ReturnType<typeof setTimeout> {
  return setTimeout(() => inBackground("The caches of the search are not filled", warm()), DELAY);
}

async function warm(): Promise<void> {
  readAgain(hostDocument);
  const { total } = await find({ text: "*", document: hostDocument });
  // Few hosts are read fast enough by the first search, and the thread costs memory.
  if (total <= LARGE) return;
  for (const text of ["is_ioc:true", "is_ioc:false"]) await find({ text, document: hostDocument });
  for (const source of hostDocument.sources.filter(({ path }) => SHARED.includes(path))) {
    const { value, id, from } = source;
    const rows = await database.slowRows<{ value: string }>(
      sql`select ${value} as value from ${from} group by 1
        having count(distinct ${id}) > (select greatest(count(*) / ${COMMON_SHARE}::integer, ${LARGE}::integer) from hosts)`,
      TIME_LIMIT,
    );
    for (const row of rows) {
      await find({ text: `${source.path}:${quoted(row.value)}`, document: hostDocument });
    }
  }
  await preload(wordListsOf(hostDocument.sources, hostDocument.variables));
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
