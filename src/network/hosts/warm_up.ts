// What many hosts have in common is found before anybody asks for it, so that nobody waits: it is kept from then on.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { machine } from "../../auth/auth.ts";
import { MANY } from "../../search/cache/result_cache.ts";
import { renew } from "./list_order.ts";
import { found } from "./search.ts";
import { hostDocument } from "./search_document.ts";

/** Milliseconds after the start, which comes first. */
const SOON = 2_000;
const PATIENCE = 20_000;
/** One in so many of all hosts has it. */
const COMMON = 100;
const SHARED = [
  ...["device_type", "user", "automation_groups", "interfaces.scope", "interfaces.domain"],
  ...["interfaces.network", "items.manufacturer", "items.model", "items.location", "items.status"],
];

export function start(): ReturnType<typeof setTimeout> {
  return setTimeout(() => warm().catch(() => {}), SOON);
}

async function warm(): Promise<void> {
  renew();
  for (const query of ["*", "is_ioc:true", "is_ioc:false"]) await found(machine, query);
  for (const source of hostDocument.sources.filter(({ path }) => SHARED.includes(path))) {
    const { value, id, from } = source;
    const rows = await database.aside<{ value: string }>(
      sql`select ${value} as value from ${from} group by 1
        having count(distinct ${id}) > (select greatest(count(*) / ${COMMON}::integer, ${MANY}::integer) from hosts)`,
      PATIENCE,
    );
    for (const row of rows) await found(machine, `${source.path}:${quoted(row.value)}`);
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
