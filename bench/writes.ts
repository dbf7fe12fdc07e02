// The cost of the search index for writes: each write is measured on a database with the index, and on one without.
import { SQL } from "bun";
import { type BenchServer, copyOfSearched, type TemplateOptions } from "./data.ts";
import { measure, type Sample } from "./measure.ts";
import { CREATE_ALONE, HOST_BODY } from "./operations.ts";
import { type Credentials, createNetwork, credentials, type Served, serve } from "./served.ts";

/** `%d` becomes the number of a host. */
export interface Write {
  name: string;
  method: "POST" | "PATCH";
  path: string;
  body: string;
}

/** With the indexes of the search, and without. */
const KINDS = ["whole", "bare"] as const;
type IndexKind = (typeof KINDS)[number];

/** What was measured of it, round by round. */
export interface WriteResult extends Record<IndexKind, Sample[]> {
  write: Write;
}

const HOSTS = "/api/v1/network/hosts";
const VARIABLES = '{"section":%d,"firmware":"2.%d.1","port":8080}';
export const WRITES: Write[] = [
  { name: CREATE_ALONE, method: "POST", path: HOSTS, body: HOST_BODY },
  change("the description", '{"description":"Gauge of pump %d, vacuum sector 7"}'),
  change("the name", '{"name":"renamed-%d"}'),
  change("the variables", `{"automation_vars":${VARIABLES}}`),
];

function change(what: string, body: string): Write {
  return { name: `Change ${what} of a host`, method: "PATCH", path: `${HOSTS}/%d`, body };
}

interface WriteSite {
  served: Served;
  who: Credentials;
  /** To the same database. */
  sql: SQL;
  postmaster: number | undefined;
}

interface WriteSetup {
  hosts: number;
  making: TemplateOptions;
  /** Stops what was started, in reverse order. */
  ends: Array<() => Promise<unknown>>;
}

export async function measureWrites(
  server: BenchServer,
  hosts: number,
  { rounds, ...making }: TemplateOptions & { rounds: number },
): Promise<WriteResult[]> {
  const written: WriteResult[] = WRITES.map((write) => ({ write, whole: [], bare: [] }));
  const ends: WriteSetup["ends"] = [];
  try {
    const sites = {
      whole: await setUp(server, "whole", { hosts, making, ends }),
      bare: await setUp(server, "bare", { hosts, making, ends }),
    };
    making.report(`${hosts} hosts, writing`);
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const one of written) {
        for (const kind of KINDS) {
          const sample = await measureWrite(sites[kind], one.write, round);
          if (round > 0) one[kind].push(sample);
        }
      }
    }
    return written;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function setUp(
  server: BenchServer,
  kind: IndexKind,
  { hosts, making, ends }: WriteSetup,
): Promise<WriteSite> {
  const { url, drop } = await copyOfSearched(server, { label: kind, hosts }, making);
  ends.push(drop);
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  ends.push(() => sql.close());
  if (kind === "bare") await dropSearchObjects(sql);
  const served = await serve(url);
  ends.push(served.stop);
  const who = await credentials(served);
  await createNetwork(served, who);
  return { served, who, sql, postmaster: server.pid };
}

/** Selected by their names, so that new ones are included: no plain list and no constraint needs any of these. */
export async function dropSearchObjects(sql: SQL): Promise<void> {
  await sql.unsafe(`do $$ declare command text; begin
    for command in
      select format('drop index %I', indexname) from pg_indexes
        where indexname ~ '_(trigrams|words|tail_index|text_index|tags)$'
      union all select format('drop trigger %I on %s', tgname, tgrelid::regclass) from pg_trigger
        where not tgisinternal and tgname ~ '^(keep|name|forget)_'
    loop execute command; end loop;
  end $$`);
}

const SECONDS = 1;
/** Before it are the hosts of the demo, with gaps among their numbers. */
const FIRST = 1_000;
/** More than any client writes in that time. */
const MOST_WRITES = 2_000;

function measureWrite({ served, who, sql, postmaster }: WriteSite, write: Write, round: number) {
  const { method, path, body } = write;
  const url = served.origin + path;
  const headers = { ...who.admin, "content-type": "application/json" };
  const from = FIRST + round * MOST_WRITES;
  const load = { url, method, headers, body, from, clients: 1, seconds: SECONDS };
  return measure(load, { served, postmaster, catchUp: () => mergePending(sql) });
}

/** Merges the pending lists of GIN indexes, which PostgreSQL would otherwise do later. Without their text, which costs more. */
export function mergePending(sql: SQL): Promise<unknown> {
  return sql`
    select gin_clean_pending_list(pg_class.oid) from pg_class join pg_am on pg_am.oid = relam
    where amname = 'gin' and relkind = 'i'`;
}
