// Checks of the data directory and of the database, which change nothing: for `cadastre doctor` and for the page of admins.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { userInfo } from "node:os";
import type { SQL } from "bun";
import { reason } from "../../db/embedded/cannot_start.ts";
import { describeServer, pending, refuseServer } from "../../db/migrate.ts";
import { networkOf } from "../auth/client_network.ts";
import type { Config } from "../config.ts";
import { commandLine, settingCommand } from "../config_file.ts";
import { RESERVED_LABELS } from "../input/domain_names.ts";
import { SETTING } from "../monitoring/proxy_watch.ts";
import { backupFindings, destinationFinding } from "./backup/findings.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { signInFindings } from "./sign_in_checks.ts";

const EXTENSIONS = ["pg_trgm", "btree_gist"];
const MIN_FREE_BYTES = 500_000_000;
const MAX_CLOCK_SKEW = 2_000;

export function dataDirectoryFinding(path: string): Finding {
  if (!existsSync(path)) return ok(`The data directory ${path} is made at the first start`);
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    return problem(
      `The data directory ${path} cannot be written to (${reason(error)}): see its owner`,
      `sudo chown ${userInfo().username} ${path}`,
    );
  }
  const { bavail, bsize } = statfsSync(path);
  const free = Number(bavail) * Number(bsize);
  const space = `${(free / 1_000_000_000).toFixed(1)} GB free`;
  if (free < MIN_FREE_BYTES)
    return problem(
      `The data directory ${path} has ${space}: make room`,
      `sudo du -xh --threshold=100M $(df --output=target ${path} | tail -1) | sort -h`,
    );
  return ok(`The data directory ${path} can be written to, with ${space}`);
}

export async function* databaseFindings(sql: SQL, config: Config): AsyncGenerator<Finding> {
  const server = await describeServer(sql);
  refuseServer(server);
  yield ok(`PostgreSQL ${server.name} answers, in UTF8`);
  yield await clocks(sql);
  yield await extensions(sql);
  const missing = await pending(sql);
  if (missing.length > 0) {
    yield problem(
      `The database lacks ${missing.join(", ")}: run cadastre migrate`,
      commandLine("migrate"),
    );
    return;
  }
  yield ok("The database is up to date");
  yield await admins(sql, config.adminUsername);
  if (!config.trustProxy) yield await clients(sql);
  yield await names(sql);
  yield* signInFindings(sql, config);
  yield* backupFindings(sql, config);
  if (config.filesTo)
    yield await destinationFinding(config.filesTo, config.s3, { text: "Files can be kept in" });
  yield* mailFindings(sql, config);
}

async function clocks(sql: SQL): Promise<Finding> {
  const before = Date.now();
  const [theirs] = await sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;
  const skew = Math.max(before - theirs.now, theirs.now - Date.now(), 0);
  if (skew <= MAX_CLOCK_SKEW) return ok("The clocks of this machine and of the database agree");
  return problem(
    `The clocks of this machine and of the database are ${Math.round(skew / 1_000)} s apart: let both follow NTP`,
    "sudo timedatectl set-ntp true",
  );
}

async function extensions(sql: SQL): Promise<Finding> {
  const known: Array<{ name: string }> = await sql`select name from pg_available_extensions`;
  const missing = EXTENSIONS.filter((name) => !known.some((one) => one.name === name));
  if (missing.length === 0) return ok(`The extensions ${EXTENSIONS.join(", ")} are there`);
  return problem(
    `The extension ${missing.join(", ")} is missing: install the contrib package of PostgreSQL`,
    "sudo apt-get install postgresql-contrib",
  );
}

async function admins(sql: SQL, name: string): Promise<Finding> {
  const [found] = await sql`
    select count(*) filter (where 'admin' = any(groups) and deactivated_at is null)::int as number,
      count(*) filter (where username = ${name})::int as named,
      count(*) filter (where username = ${name} and deactivated_at is null)::int as active
    from users`;
  if (found.number > 0) return ok(`Admins: ${found.number}`);
  const repair = () => {
    if (found.named === 0) return `user add ${name} --groups admin`;
    return found.active === 0 ? `user activate ${name}` : `user groups ${name} admin`;
  };
  return problem(
    "There is no admin: add one with cadastre user add NAME --groups admin",
    commandLine(repair()),
  );
}

/** Those that were registered before they were reserved. */
async function names(sql: SQL): Promise<Finding> {
  const labels = RESERVED_LABELS.join(" ");
  const found: Array<{ name: string }> = await sql`
    select noun || ' ' || name as name from (
      select 'host' as noun, name from hosts union all select 'interface', name from interfaces
      union all select 'cname', name from cnames
    ) named
    where split_part(name, '.', 1) = any(string_to_array(${labels}, ' ')) order by 1 limit 20`;
  if (found.length === 0) return ok("No host, interface or cname has a reserved name");
  const all = found.map(({ name }) => name).join(", ");
  return problem(`Reserved names, which no feed has: rename or delete the ${all}`);
}

/** Finds a proxy whose address all recent logins and failures have, because TRUST_PROXY is off. */
async function clients(sql: SQL): Promise<Finding> {
  const [note] = await sql`
    select value::json->>'address' as proxy from settings
    where name = ${SETTING} and (value::json->>'at')::timestamptz > now() - interval '7 days'`;
  const known: Array<{ address: string }> = await sql`
    select distinct address from (
      select address, last_seen_at as at from sessions
      union all select address, at from login_addresses
      union all select address, at from audit_log
    ) clients
    where at > now() - interval '7 days' and address is not null`;
  const networks = new Set(known.map(({ address }) => networkOf(address)));
  if (!note || networks.size !== 1 || !networks.has(networkOf(note.proxy)))
    return ok("Cadastre sees the IP addresses of its clients");
  return problem(
    `All requests come from ${note.proxy}, a proxy, and TRUST_PROXY is off, so that ten failed logins of one person ` +
      "block everybody: set TRUST_PROXY=on, and let the proxy set X-Forwarded-For itself",
    settingCommand("TRUST_PROXY", "on"),
  );
}

// What cadastre doctor and the page of admins say about mails; nothing if there is no mail server in the settings.

async function* mailFindings(sql: SQL, { mail }: Config): AsyncGenerator<Finding> {
  if (!mail) return;
  const server = `${mail.host}:${mail.port}`;
  const [{ waiting, failed, trouble }] = await sql`
    select count(*) filter (where status = 'waiting' and trouble is not null)::int as waiting,
      count(*) filter (where status = 'failed' and finished_at > now() - interval '7 days')::int as failed,
      (array_agg(trouble order by id desc) filter (where trouble is not null))[1] as trouble
    from mails`;
  if (waiting + failed === 0)
    return yield ok(`Mails are sent by ${server}, as ${mail.from.address}`);
  const counts = [
    ...(waiting > 0 ? [`waiting for another attempt: ${waiting}`] : []),
    ...(failed > 0 ? [`given up within seven days: ${failed}`] : []),
  ].join(", ");
  const kind = mail.tls === "starttls" ? "-starttls smtp " : "";
  yield problem(
    `Mails by ${server} ${counts}; the last error: ${trouble}`,
    mail.tls === "off"
      ? `nc ${mail.host} ${mail.port}`
      : `openssl s_client ${kind}-connect ${server} -verify_return_error`,
  );
}
