// The addresses of a network as rows: used addresses one by one, free ones between them as ranges.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import {
  type Block,
  formatAddress,
  formatBlock,
  readAddress,
  readBlock,
} from "../../input/addresses.ts";
import { type FieldError, refuse } from "../../input/errors.ts";
import { type PageRange, readPage } from "../../store/paging.ts";
import { type Bounds, usableRange } from "./space.ts";

/** The fields of a network that decide which addresses it assigns. */
export interface NetworkAddresses {
  id: number;
  address: string;
  first_ip: string;
  last_ip: string;
  gateway: string | null;
}

export interface UsedAddress {
  id: number;
  ip: string;
  name: string;
  host: string;
  mac: string | null;
  description: string | null;
}

export type AddressRow =
  | ({ kind: "used" } & UsedAddress)
  | { kind: "free"; id: number; first: string; last: string; count: bigint }
  | { kind: "gateway"; id: number; ip: string };

export interface AddressRows extends PageRange {
  rows: AddressRow[];
  /** How many addresses are in use. */
  total: number;
}

/** One page of the used addresses in a block of a network, with the free ranges around them. */
export async function addressRows(
  caller: Caller,
  { network, block }: { network: NetworkAddresses; block: Block },
  params: URLSearchParams,
): Promise<AddressRows> {
  const errors: FieldError[] = [];
  const page = readPage(params, errors);
  if (errors.length > 0) throw refuse(errors);
  const start = (page.page - 1) * page.per_page;
  // One row before the page shows where its first gap begins; one row after it shows that it is not the last.
  const before = Math.min(start, 1);
  const where = sql`interfaces.network_id = ${network.id} and interfaces.ip <<= ${formatBlock(block)}::cidr
    and ${mayKnowHost(caller, sql`interfaces.host_id`)}`;
  const [usedRows, counted] = await Promise.all([
    database.rows<UsedAddress>(sql`
      select interfaces.id, host(interfaces.ip) as ip, interfaces.name, hosts.name as host,
        interfaces.mac::text as mac, interfaces.description
      from interfaces join hosts on hosts.id = interfaces.host_id
      where ${where} order by interfaces.ip offset ${start - before} limit ${page.per_page + before + 1}`),
    database.row<{ total: number }>(
      sql`select count(*)::int as total from interfaces where ${where}`,
    ),
  ]);
  const total = counted?.total ?? 0;
  const used = usedRows.slice(before, before + page.per_page);
  const from = before > 0 ? numberOf(usedRows[0]?.ip) + 1n : block.first;
  const isLast = usedRows.length <= before + page.per_page;
  const to = isLast ? block.last : numberOf(used.at(-1)?.ip);
  if (start > 0 && used.length === 0) return { ...page, rows: [], total };
  return { ...page, rows: interleave(used, { low: from, high: to }, network), total };
}

/** The used addresses within the bounds, in order, with the free ranges between them. */
export function interleave(
  used: UsedAddress[],
  { low, high }: Bounds,
  network: NetworkAddresses,
): AddressRow[] {
  const family = readAddress(network.first_ip)?.family ?? 4;
  const assignable = assignableRange(network);
  const rows: AddressRow[] = [];
  const addFree = (first: bigint, last: bigint) => {
    const [from, to] = [larger(first, assignable.low), smaller(last, assignable.high)];
    if (from > to) return;
    const at = (value: bigint) => formatAddress({ family, value });
    // Unique, and distinct from the ids of records.
    const id = -1 - rows.length;
    rows.push({ kind: "free", id, first: at(from), last: at(to), count: to - from + 1n });
  };
  let next = low;
  for (const row of withGateway(used, { low, high }, network)) {
    const value = numberOf(row.ip);
    addFree(next, value - 1n);
    rows.push(row);
    next = value + 1n;
  }
  addFree(next, high);
  return rows;
}

/** The addresses that the network assigns: its range without the network and broadcast address. */
export function assignableRange({
  address,
  first_ip,
  last_ip,
}: Omit<NetworkAddresses, "id" | "gateway">): Bounds {
  const block = readBlock(address);
  const [first, last] = [numberOf(first_ip), numberOf(last_ip)];
  if (!block) return { low: first, high: last };
  const { low, high } = usableRange(block);
  return { low: larger(first, low), high: smaller(last, high) };
}

function withGateway(used: UsedAddress[], { low, high }: Bounds, { gateway }: NetworkAddresses) {
  const marks: Array<Exclude<AddressRow, { kind: "free" }>> = used.map((one) => ({
    kind: "used",
    ...one,
  }));
  const value = gateway === null ? undefined : numberOf(gateway);
  const isFree = !used.some(({ ip }) => ip === gateway);
  if (gateway !== null && value !== undefined && low <= value && value <= high && isFree) {
    marks.push({ kind: "gateway", id: 0, ip: gateway });
  }
  return marks.toSorted((one, other) => (numberOf(one.ip) < numberOf(other.ip) ? -1 : 1));
}

function numberOf(ip: string | undefined): bigint {
  return readAddress(ip ?? "")?.value ?? 0n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
