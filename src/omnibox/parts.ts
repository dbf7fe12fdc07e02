// The parts of which the statement is made that answers the one box: each finds a few rows of one kind.
import { type SQL, sql } from "drizzle-orm";
import { LAST, literal } from "../input/text.ts";

/** The noun of a resource, or what belongs to a host: an address or a MAC address. */
export type HitKind = string;

export interface Hit {
  kind: HitKind;
  /** What matches the text. */
  label: string;
  /** What it leads to, by the name in its address. */
  name: string;
  detail: string | null;
  is_exact: boolean;
}

export interface Part {
  kind: HitKind;
  label: SQL;
  name: SQL;
  detail: SQL;
  from: SQL;
  where: SQL;
  isExact?: boolean;
  order?: SQL;
}

export const MOST = 6;
/** Shorter texts have no trigram: they are looked for at the beginning of names. */
const TRIGRAM = 3;

export function part({
  kind,
  label,
  name,
  detail,
  from,
  where,
  isExact = false,
  order,
}: Part): SQL {
  const by = order ? sql`order by ${order}` : sql``;
  return sql`(
    select ${kind}::text as kind, ${label} as label, ${name} as name, ${detail} as detail, ${isExact}::boolean as is_exact
    from ${from} where ${where} ${by} limit ${MOST})`;
}

/** Names in lower case that compare byte by byte: the very one, those that begin so, those that have it within. */
export function named(about: Part, text: string): SQL[] {
  const { label, where } = about;
  const within = sql`${label} like ${`%${literal(text.toLowerCase())}%`} and ${where}`;
  return [
    ...starting(about, text),
    ...(text.length < TRIGRAM ? [] : [part({ ...about, where: within })]),
  ];
}

/** The same without those that have it within, for which they have no index. */
export function starting(about: Part, text: string): SQL[] {
  const { label, where } = about;
  const start = text.toLowerCase();
  return [
    part({ ...about, where: sql`${label} = ${start} and ${where}`, isExact: true }),
    part({
      ...about,
      where: sql`${label} >= ${start} and ${label} < ${start + LAST} and ${where}`,
      order: label,
    }),
  ];
}

/** Of a table that is small, or has trigrams of its names. */
export function calling(about: Omit<Part, "where"> & { where?: SQL }, text: string): SQL[] {
  const { label, where = sql`true` } = about;
  return [
    part({
      ...about,
      where: sql`lower(${label}) = lower(${text}::text) and ${where}`,
      isExact: true,
    }),
    part({ ...about, where: sql`${label} ilike ${`%${literal(text)}%`} and ${where}` }),
  ];
}
