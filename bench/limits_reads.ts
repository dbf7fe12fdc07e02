// Reads whose limits are measured in the same run: hand-written statements behind bare routes (bare.ts serves them), a page
// beside the JSON of its rows, and lists right after a write beside the same lists while nobody writes.
import type { BenchOperation } from "./operations.ts";
import type { RecordedStatement } from "./recorded.ts";
import type { Credentials, Served } from "./served.ts";

const API = "/api/v1";
const HOSTS = `${API}/network/hosts`;
const BUSY = 8;

export const BY_NAME = "Hosts, by an exact name";
export const BY_START = "Hosts, by the start of a name";
export const BY_WHOLE_START = "Hosts, by the start of a name that one host has";
export const WHOLE = "Hosts, first page as JSON";
export const PAGE = "Hosts, first page as HTML";

/** A host, and the start of a name that ten or so have. */
export interface ReadExamples {
  name: string;
  start: string;
}

/** What Cadastre is asked. */
export function limitedReads({ name, start }: ReadExamples): BenchOperation[] {
  return [
    read(BY_NAME, `${HOSTS}?name=${encodeURIComponent(name)}`),
    read(BY_START, `${HOSTS}?name__startswith=${encodeURIComponent(start)}`),
    read(BY_WHOLE_START, `${HOSTS}?name__startswith=${encodeURIComponent(name)}`),
    read(WHOLE, HOSTS),
    { ...read(PAGE, "/network/hosts"), as: "browser" },
  ];
}

function read(name: string, path: string): BenchOperation {
  return { name, path, as: "admin", plot: "hosts", clients: BUSY };
}

/** The same answers by statements that a person would write, each prepared once. */
export function handWritten({ name, start }: ReadExamples): Map<string, RecordedStatement[]> {
  const behind = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  return new Map([
    [BY_NAME, [{ sql: pageOf("hosts.name = $1"), params: [name] }]],
    [BY_START, [{ sql: pageOf("hosts.name >= $1 and hosts.name < $2"), params: [start, behind] }]],
    [
      WHOLE,
      [
        { sql: pageOf("true"), params: [] },
        // Cadastre knows the total by the changes.
        { sql: "select count(*)::int as total from hosts", params: [] },
      ],
    ],
  ]);
}

function pageOf(where: string): string {
  return `select coalesce(json_agg(row_to_json(host)), '[]')::text as json from (
    select hosts.id, hosts.name, coalesce(hosts.name || '.' || main.domain, hosts.name) as fqdn, is_ioc,
      device_types.name as device_type,
      (select models.name from items join models on models.id = model_id where host_id = hosts.id order by items.id limit 1) as model,
      hosts.description,
      (select coalesce(json_agg(ics_id order by ics_id), '[]') from items where host_id = hosts.id) as items,
      coalesce(main.names, '[]') as interfaces, automation_vars,
      (select coalesce(json_agg(groups.name order by groups.name), '[]')
        from group_hosts join groups on groups.id = group_id where host_id = hosts.id) as automation_groups,
      users.username as "user", tags, '{}'::jsonb as site, to_char(hosts.created_at, 'YYYY-MM-DD HH24:MI') as created_at,
      to_char(hosts.updated_at, 'YYYY-MM-DD HH24:MI') as updated_at
    from (select * from hosts where ${where} order by name, id limit 20) hosts
      join device_types on device_types.id = device_type_id
      left join users on users.id = hosts.updated_by
      left join lateral (
        select json_agg(interfaces.name order by interfaces.name <> hosts.name, interfaces.id) as names,
          (array_agg(domains.name order by interfaces.name <> hosts.name, interfaces.id))[1] as domain
        from interfaces join networks on networks.id = network_id join domains on domains.id = domain_id
        where host_id = hosts.id
      ) main on true
    order by hosts.name, hosts.id
  ) host`;
}

export interface ReadTarget {
  name: string;
  /** At most so many times the CPU time of the limit, in one run. */
  most: number;
  /** The read that is the limit, and its words on the page; without it, statements by hand. */
  limit?: { name: string; by: string };
}

export const READ_TARGETS: readonly ReadTarget[] = [
  { name: BY_NAME, most: 3 },
  { name: BY_START, most: 3 },
  { name: BY_WHOLE_START, limit: { name: BY_NAME, by: "the exact name" }, most: 3 },
  { name: PAGE, limit: { name: WHOLE, by: "the JSON of the same rows" }, most: 3 },
];
/** The 99th percentile of a list right after a write, in milliseconds. */
export const AFTER_WRITE = 75;
export const MILLION = 1_000_000;
/** The 99th percentile of any list or page with a million hosts, in milliseconds. */
export const AT_A_MILLION = 300;

const LISTS_FOR_ALL = [
  ...["/network/hosts", "/network/hosts?device_type=VME", "/network/hosts?is_ioc=true"],
  ...["/network/interfaces", "/network/cnames", "/network/networks", "/network/scopes"],
  ...["/network/domains", "/inventory/items", "/inventory/items?status=In%20stock"],
  ...["/inventory/models", "/inventory/locations"],
];
const LISTS_FOR_ADMINS = ["/audit", "/audit?event=login.succeeded"];

/** Every list, to one who sees everything and to one who does not: their totals are counted apart. */
export const LISTS: ReadonlyArray<{ path: string; as: "admin" | "reader" }> = [
  ...LISTS_FOR_ALL.flatMap((path) =>
    (["admin", "reader"] as const).map((as) => ({ path: API + path, as })),
  ),
  ...LISTS_FOR_ADMINS.map((path) => ({ path: API + path, as: "admin" as const })),
];

export interface AfterWrite {
  path: string;
  as: "admin" | "reader";
  /** Milliseconds: right after a write, and again while nobody writes. */
  after: number[];
  quiet: number[];
}

/** Changes a host before each request for a list, and then sends the request again. */
export async function afterWrites(
  { origin }: Pick<Served, "origin">,
  credentials: Credentials,
  { host, times }: { host: number; times: number },
): Promise<AfterWrite[]> {
  const measured = LISTS.map((list): AfterWrite => ({ ...list, after: [], quiet: [] }));
  const change = (number: number) => changeHost(`${origin}${HOSTS}/${host}`, credentials, number);
  const timeOf = async ({ path, as }: AfterWrite) => {
    const started = performance.now();
    const answer = await fetch(origin + path, { headers: credentials[as] });
    await answer.text();
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
    return performance.now() - started;
  };
  // The first request counts, on any data; it is not measured.
  for (const list of measured) await timeOf(list);
  for (let round = 0; round < times; round += 1) {
    for (const list of measured) {
      await change(round);
      list.after.push(await timeOf(list));
      list.quiet.push(await timeOf(list));
    }
  }
  return measured;
}

async function changeHost(url: string, { admin }: Credentials, number: number): Promise<void> {
  const answer = await fetch(url, {
    method: "PATCH",
    headers: { ...admin, "content-type": "application/json" },
    body: JSON.stringify({ description: `Changed ${number} times` }),
  });
  if (!answer.ok) throw new Error(`A host cannot be changed: ${await answer.text()}`);
}
