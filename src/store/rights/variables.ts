// Variables that reach further than their host: those that run a program on the machine of Ansible, and addresses at which
// Ansible would reach a host that only admins may change. Judged at the end of each write, over what it has set.
import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { type Caller, isAdmin, may } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { NETWORK_EDITORS } from "../../auth/rights.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { currentConfig } from "../../config.ts";
import { innermost } from "../../input/address_ranges.ts";
import { formatAddress, readAddress } from "../../input/addresses.ts";
import { invalid, unavailableValue } from "../../input/errors.ts";
import { protectedHosts } from "../may_edit.ts";

interface SetVariable {
  field: "automation_vars" | "vars";
  /** The host or the group. */
  of: string;
  variable: string;
  value: unknown;
}

/** Others set all variables, or none. */
export function mayBeRefused(caller: Caller): boolean {
  return !isAdmin(caller) && may(caller, NETWORK_EDITORS);
}

/** Refuses what this transaction has set and the caller may not set. */
export async function requireVariables(tx: Transaction, caller: Caller): Promise<void> {
  // In SQL: variables that a change has set to another value.
  const all = await tx.execute<SetVariable>(sql`
    select case table_name when 'hosts' then 'automation_vars' else 'vars' end as field,
      after ->> 'name' as of, one.key as variable, one.value
    from changes,
      jsonb_each(coalesce(after -> 'automation_vars', after -> 'vars', '{}')) one
    where change_set = current_setting('app.change_set')::bigint and table_name in ('hosts', 'groups')
      and one.value is distinct from coalesce(before -> 'automation_vars', before -> 'vars') -> one.key
    order by changes.id, one.key`);
  const mayRun = currentConfig()?.ansibleVars !== "admin" && may(caller, ["network"]);
  const running = mayRun ? undefined : all.find(runsProgram);
  if (running) {
    const who = currentConfig()?.ansibleVars === "admin" ? "admins" : "the group network";
    throw invalid(
      running.field,
      `${running.variable} of ${running.of} can run a program on the machine of Ansible: it is for ${who}`,
    );
  }
  await requireReachable(
    tx,
    caller,
    all.filter(({ variable }) => ADDRESS.test(variable)),
  );
}

/** Where Ansible connects to. */
const ADDRESS = /^ansible_(?:\w+_)?host$/;
/** Options, programs, libraries and settings of the client that makes the connection. */
const CLIENT =
  /^ansible_(?:\w+_)?(?:args|executable|command|cmd|pkcs11_provider|ssh_config|config_file)$/;
/** Jinja: an expression, a statement or a comment. */
const TEMPLATE = /\{[{%#]/;
/** Plugins that only connect to the host. */
const CONNECTION =
  /^(?:[\w.]+\.)?(?:smart|ssh|paramiko|paramiko_ssh|libssh|winrm|psrp|network_cli|netconf|httpapi|grpc)$/;

function runsProgram({ variable, value }: SetVariable): boolean {
  if (TEMPLATE.test(JSON.stringify(value)) || CLIENT.test(variable)) return true;
  if (variable === "ansible_connection") return !CONNECTION.test(String(value));
  // It would be read as an option.
  return ADDRESS.test(variable) && String(value).trimStart().startsWith("-");
}

/** In the same words for a host that is hidden; counts as probing. */
async function requireReachable(
  tx: Transaction,
  caller: Caller,
  all: SetVariable[],
): Promise<void> {
  if (all.length === 0) return;
  await refuseProbing(caller);
  const wanted = all.map((one) => ({ ...one, called: hostIn(one.value) }));
  const rows = await tx.execute<{ called: string; is_known: boolean }>(
    protectedAmong(
      caller,
      wanted.map(({ called }) => called),
    ),
  );
  const found = new Map(rows.map(({ called, is_known }) => [called, is_known]));
  const first = wanted.find(({ called }) => found.has(called));
  if (!first) return;
  const { field, of, variable, called } = first;
  const message = `${variable} of ${of} is an address that only admins may set`;
  throw unavailableValue(field, message, { value: called, isHidden: !found.get(called) });
}

/** A name or an address, as a client of SSH reads it: with a user, as a URL, or as a number. */
function hostIn(value: unknown): string {
  const text = String(value)
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^.*@/, "")
    .replace(/^\[(.*)\].*$/, "$1")
    .replace(/[%/].*$/, "")
    .replace(/\.$/, "");
  const place = text.includes(":") && !readAddress(text) ? text.replace(/:.*$/, "") : text;
  // 167772161, 0xa000001 and 10.1 are addresses, too.
  const written = URL.canParse(`http://${place}`) ? new URL(`http://${place}`).hostname : place;
  const address = readAddress(place) ?? readAddress(written);
  return address ? formatAddress(innermost(address)) : place;
}

/** Those of the names and addresses that protected hosts have. */
function protectedAmong(caller: Caller, called: string[]): SQL {
  const ips = called.map((one) => (readAddress(one) ? one : null));
  return sql`
    select called, bool_or(${mayKnowHost(caller, sql`hosts.id`)}) as is_known
    from hosts join interfaces on interfaces.host_id = hosts.id
      join networks on networks.id = network_id join domains on domains.id = domain_id
      left join cnames on cnames.interface_id = interfaces.id
      join unnest(${sql.param(called)}::text[], ${sql.param(ips)}::text[]) wanted (called, ip)
        on wanted.ip::inet = interfaces.ip or called in (
          hosts.name, interfaces.name, cnames.name,
          hosts.name || '.' || domains.name, interfaces.name || '.' || domains.name)
    where hosts.id in (${protectedHosts()})
    group by called`;
}
