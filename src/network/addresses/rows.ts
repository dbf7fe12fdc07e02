// The addresses of a network as rows: those in use one by one, what is free between them as ranges.
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
import { type Fault, refuse } from "../../input/errors.ts";
import { type Page, readPage } from "../../store/paging.ts";
import { type Ends, usable } from "./space.ts";

/** What of a network says which addresses it gives. */
export interface Ground {
  id: number;
  address: string;
  first_ip: string;
  last_ip: string;
  gateway: string | null;
}

export interface Used {
  id: number;
  ip: string;
  name: string;
  host: string;
  mac: string | null;
  description: string | null;
}

export type Row =
  | ({ kind: "used" } & Used)
  | { kind: "free"; id: number; first: string; last: string; count: bigint }
  | { kind: "gateway"; id: number; ip: string };

export interface Rows extends Page {
  rows: Row[];
  /** How many are in use. */
  total: number;
}

/** One page of the addresses in use in a part of a network, with what is free around them. */
export async function rowsOf(
  caller: Caller,
  { ground, block }: { ground: Ground; block: Block },
  params: URLSearchParams,
): Promise<Rows> {
  const faults: Fault[] = [];
  const page = readPage(params, faults);
  if (faults.length > 0) throw refuse(faults);
  const start = (page.page - 1) * page.per_page;
  // The one before the page tells where its first gap begins; the one behind it, that it is not the last.
  const before = Math.min(start, 1);
  const where = sql`interfaces.network_id = ${ground.id} and interfaces.ip <<= ${formatBlock(block)}::cidr
    and ${mayKnowHost(caller, sql`interfaces.host_id`)}`;
  const [found, counted] = await Promise.all([
    database.rows<Used>(sql`
      select interfaces.id, host(interfaces.ip) as ip, interfaces.name, hosts.name as host,
        interfaces.mac::text as mac, interfaces.description
      from interfaces join hosts on hosts.id = interfaces.host_id
      where ${where} order by interfaces.ip offset ${start - before} limit ${page.per_page + before + 1}`),
    database.row<{ total: number }>(
      sql`select count(*)::int as total from interfaces where ${where}`,
    ),
  ]);
  const total = counted?.total ?? 0;
  const used = found.slice(before, before + page.per_page);
  const from = before > 0 ? numberOf(found[0]?.ip) + 1n : block.first;
  const isLast = found.length <= before + page.per_page;
  const to = isLast ? block.last : numberOf(used.at(-1)?.ip);
  if (start > 0 && used.length === 0) return { ...page, rows: [], total };
  return { ...page, rows: interleave(used, { low: from, high: to }, ground), total };
}

/** Those in use within the ends, in order, with what is free between them. */
export function interleave(used: Used[], { low, high }: Ends, ground: Ground): Row[] {
  const family = readAddress(ground.first_ip)?.family ?? 4;
  const given = givenBy(ground);
  const rows: Row[] = [];
  const addFree = (first: bigint, last: bigint) => {
    const [from, to] = [larger(first, given.low), smaller(last, given.high)];
    if (from > to) return;
    const at = (value: bigint) => formatAddress({ family, value });
    // A number of its own, below those of the records.
    const id = -1 - rows.length;
    rows.push({ kind: "free", id, first: at(from), last: at(to), count: to - from + 1n });
  };
  let next = low;
  for (const mark of withGateway(used, { low, high }, ground)) {
    const value = numberOf(mark.ip);
    addFree(next, value - 1n);
    rows.push(mark);
    next = value + 1n;
  }
  addFree(next, high);
  return rows;
}

/** From the first to the last address that the network gives. */
export function givenBy({ address, first_ip, last_ip }: Omit<Ground, "id" | "gateway">): Ends {
  const block = readBlock(address);
  const [first, last] = [numberOf(first_ip), numberOf(last_ip)];
  if (!block) return { low: first, high: last };
  const { low, high } = usable(block);
  return { low: larger(first, low), high: smaller(last, high) };
}

function withGateway(used: Used[], { low, high }: Ends, { gateway }: Ground) {
  const marks: Array<Exclude<Row, { kind: "free" }>> = used.map((one) => ({
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
