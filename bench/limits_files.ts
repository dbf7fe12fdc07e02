// What files cost PostgreSQL beside one COPY of the same rows.
import { SQL } from "bun";
import { MOST_AUDIT_LINES } from "../src/input/limits.ts";
import type { BenchServer } from "./data.ts";
import { withCpuTime } from "./measure.ts";
import { UserError } from "./report.ts";
import type { Site } from "./test_bed.ts";

export interface FileOperation {
  name: string;
  /** The address of the file. */
  path: string;
  /** A statement with the same rows, as one who knows the tables writes it. */
  rows: string;
  as: "browser" | "admin";
  accept?: string;
  /** A statement that makes the rows. */
  makes?: string;
  /** Small files are measured together: CPU time is counted in hundredths of a second. */
  times?: number;
}

export interface FileRow {
  operation: FileOperation;
  /** Seconds of CPU time, round by round. */
  service: number[];
  postgres: number[];
  copy: number[];
}

const SHOWN = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`;

const ITEMS = `
  select one.id, one.ics_id, one.serial_number, one.quantity, manufacturers.name, models.name, locations.name,
    statuses.name, parent.ics_id, children.listed, macs.listed, comments.listed, hosts.name, one.stack_member, users.username,
    ${SHOWN("one.created_at")}, ${SHOWN("one.updated_at")}
  from items one
    left join manufacturers on manufacturers.id = one.manufacturer_id
    left join models on models.id = one.model_id
    left join locations on locations.id = one.location_id
    left join statuses on statuses.id = one.status_id
    left join items parent on parent.id = one.parent_id
    left join (select parent_id, string_agg(ics_id, ', ' order by id) as listed from items group by 1) children
      on children.parent_id = one.id
    left join (select item_id, string_agg(address::text, ', ' order by id) as listed from macs group by 1) macs
      on macs.item_id = one.id
    left join (select item_id, string_agg(body, ', ' order by id) as listed from comments group by 1) comments
      on comments.item_id = one.id
    left join hosts on hosts.id = one.host_id
    left join users on users.id = one.updated_by
  order by one.created_at, one.id`;

const HOSTS = `
  select one.id, one.name, coalesce(one.name || '.' || main.domain, one.name), one.is_ioc, device_types.name,
    model.name, one.description, mounted.listed, own.listed, one.automation_vars, joined.listed, users.username,
    ${SHOWN("one.created_at")}, ${SHOWN("one.updated_at")}
  from hosts one
    join device_types on device_types.id = one.device_type_id
    left join (
      select distinct on (host_id) host_id, domains.name as domain
      from interfaces join hosts on hosts.id = host_id join networks on networks.id = network_id
        join domains on domains.id = networks.domain_id
      order by host_id, interfaces.name <> hosts.name, interfaces.id
    ) main on main.host_id = one.id
    left join (
      select distinct on (host_id) host_id, models.name from items join models on models.id = model_id
      where host_id is not null order by host_id, items.id
    ) model on model.host_id = one.id
    left join (
      select host_id, string_agg(ics_id, ', ' order by ics_id) as listed from items where host_id is not null group by 1
    ) mounted on mounted.host_id = one.id
    left join (
      select host_id, string_agg(interfaces.name, ', ' order by interfaces.name <> hosts.name, interfaces.id) as listed
      from interfaces join hosts on hosts.id = host_id group by 1
    ) own on own.host_id = one.id
    left join (
      select host_id, string_agg(groups.name, ', ' order by groups.name) as listed
      from group_hosts join groups on groups.id = group_id group by 1
    ) joined on joined.host_id = one.id
    left join users on users.id = one.updated_by
  order by one.name, one.id`;

const ENTRIES = `
  select id, ${SHOWN("at")}, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), event, username, target,
    address, count, ${SHOWN("last_at")}, request_id, details
  from audit_log order by id limit ${MOST_AUDIT_LINES}`;

/** The log is so long that an entry that is counted too often shows. */
const MANY_ENTRIES = `
  insert into audit_log (event, username, target, address, details)
  select 'login', 'user' || number % 50, 'user' || number % 50, '10.0.0.' || number % 250, '{"way": "password"}'
  from generate_series(1, 100000) number where (select count(*) from audit_log) < 100000`;

const EXPORT = "/lists/export?list=";

/** Lists are CSV and Excel files, and the audit log is lines of JSON. */
export const FILES: FileOperation[] = [
  listFile("All items as CSV", `${EXPORT}/inventory/items&format=csv`, ITEMS),
  listFile("All items as an Excel file", `${EXPORT}/inventory/items&format=xlsx`, ITEMS),
  listFile("All hosts as CSV", `${EXPORT}/network/hosts&format=csv`, HOSTS),
  listFile("All hosts as an Excel file", `${EXPORT}/network/hosts&format=xlsx`, HOSTS),
  {
    name: "10,000 of 100,000 entries of the audit log as NDJSON",
    path: "/api/v1/audit?after=0",
    rows: ENTRIES,
    as: "admin",
    accept: "application/x-ndjson",
    makes: MANY_ENTRIES,
    times: 20,
  },
];

function listFile(name: string, path: string, rows: string): FileOperation {
  return { name, path, rows, as: "browser" };
}

/** Fails early, because the limits are measured after all other operations. */
export async function requireCopy({ admin }: Pick<BenchServer, "admin">): Promise<void> {
  const [user] = await admin`
    select pg_has_role(current_user, 'pg_write_server_files', 'usage') as may_copy`;
  if (!user.may_copy)
    throw new UserError(
      "The user of DATABASE_URL may not use COPY: grant pg_write_server_files to it",
    );
}

/** A file between two COPYs, because the machine is fast for some seconds and slow for the next. */
export async function measureFile(
  { operation, service, postgres, copy }: FileRow,
  { url, served, credentials }: Site,
  postmaster: number | undefined,
): Promise<void> {
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  try {
    const { name, path, rows, as, accept, makes, times = 1 } = operation;
    if (makes) {
      await sql.unsafe(makes);
      await sql.unsafe("vacuum analyze audit_log");
    }
    // Opens the connections and reads the catalog, which costs as much as a tenth of a file.
    await sql.unsafe(`explain ${rows}`);
    await fetch(`${served.origin}/api/v1/network/domains`, { headers: credentials.admin });
    const repeatedly = async (work: () => Promise<unknown>) => {
      for (let count = 0; count < times; count += 1) await work();
    };
    const copying = () =>
      withCpuTime({ postmaster }, () =>
        repeatedly(() => sql.unsafe(`copy (${rows}) to '/dev/null'`)),
      );
    const headers = { ...credentials[as], ...(accept && { accept }) };
    const before = await copying();
    const file = await withCpuTime({ served, postmaster }, () =>
      repeatedly(async () => {
        const answer = await fetch(served.origin + path, { headers });
        const bytes = await answer.bytes();
        if (answer.status === 200 && bytes.length > 0) return;
        throw new UserError(`${name} answers ${answer.status}`);
      }),
    );
    const after = await copying();
    service.push(file.app / times);
    postgres.push(file.postgres / times);
    copy.push((before.postgres + after.postgres) / 2 / times);
  } finally {
    await sql.close();
  }
}

export function fileRows(): FileRow[] {
  return FILES.map((operation) => ({ operation, service: [], postgres: [], copy: [] }));
}
