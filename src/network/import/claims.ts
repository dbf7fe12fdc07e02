// What two rows of an import must not claim both: a name, an address, a MAC address in a network, an item.
import { alreadyInRow } from "../../import/verdicts.ts";
import type { FieldError } from "../../input/errors.ts";
import type { HostOfRows, RowOfHost } from "./hosts_of_rows.ts";

/** Refuses what an earlier row has claimed for another record. */
export function checkClaims(hosts: HostOfRows[]): void {
  const rows = hosts
    .flatMap((host) => host.rows)
    .toSorted((one, other) => one.entry.line - other.entry.line);
  const claims = new Claims();
  for (const row of rows) {
    const { host, interface: nic } = row;
    if (host.rows[0] === row)
      claims.add(`label ${host.name}`, { row, owner: host, field: "name", value: host.name });
    for (const label of row.entry.filled.items ?? []) {
      claims.add(`item ${label.toUpperCase()}`, {
        row,
        owner: host,
        field: "items",
        value: label.toUpperCase(),
      });
    }
    if (!nic || nic.name === "") continue;
    if (nic.before) claims.add(`id ${nic.before.id}`, { row, owner: nic, ...named(nic.name) });
    claims.add(`interface ${host.name} ${nic.name}`, { row, owner: nic, ...named(nic.name) });
    if (nic.name !== host.name)
      claims.add(`label ${nic.name}`, { row, owner: host, ...named(nic.name) });
    const { ip, mac, network } = nic;
    if (ip !== null) claims.add(`ip ${ip}`, { row, owner: nic, field: "ip", value: ip });
    if (mac !== null && network) {
      claims.add(`mac ${network.id} ${mac}`, { row, owner: nic, field: "mac", value: mac });
    }
    for (const name of nic.cnames) {
      claims.add(`full ${name}`, { row, owner: nic, field: "cnames", value: name });
    }
  }
  checkFullNames(rows);
}

function named(name: string): Pick<RowClaim, "field" | "value"> {
  return { field: "interface", value: name };
}

interface RowClaim {
  row: RowOfHost;
  /** Several rows may claim the same for one host or interface. */
  owner: object;
  field: string;
  value: string;
}

class Claims {
  readonly #first = new Map<string, RowClaim>();

  add(key: string, claim: RowClaim): void {
    const first = this.#first.get(key);
    if (!first) this.#first.set(key, claim);
    else if (first.owner !== claim.owner)
      refuse(claim.row, alreadyInRow(claim.field, claim.value, first.row.entry));
  }
}

/** The first error of a field says enough. */
function refuse({ wrong }: RowOfHost, error: FieldError): void {
  if (!wrong.some(({ field }) => field === error.field)) wrong.push(error);
}

interface NamedRow {
  row: RowOfHost;
  field: string;
}

/** Refuses a cname that is the full name of a host or an interface, or the other way round: the later row. */
function checkFullNames(rows: RowOfHost[]): void {
  const names = new Map<string, NamedRow>();
  // A host without an interface may get one in any domain.
  const bare = new Map<string, NamedRow>();
  for (const row of rows) {
    const { host, interface: nic } = row;
    if (!nic) bare.set(host.name, { row, field: "name" });
    if (!nic?.network) continue;
    const { domain } = nic.network;
    for (const [label, field] of [
      [host.name, "name"],
      [nic.name, "interface"],
    ] as const) {
      const name = `${label}.${domain}`;
      if (!names.has(name)) names.set(name, { row, field });
    }
  }
  for (const row of rows) {
    for (const name of row.interface?.cnames ?? []) {
      const other = names.get(name) ?? bare.get(name.split(".")[0] ?? "");
      if (!other) continue;
      const isLater = other.row.entry.line > row.entry.line;
      const { field } = isLater ? other : { field: "cnames" };
      refuse(
        isLater ? other.row : row,
        alreadyInRow(field, name, (isLater ? row : other.row).entry),
      );
    }
  }
}
