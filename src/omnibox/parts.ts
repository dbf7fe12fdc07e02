// The parts of the statement of the one box: each selects a few rows of one kind.
import { type SQL, sql } from "drizzle-orm";
import { LAST, literal, singular } from "../input/text.ts";
import { MOST_WORDS, SHORT_CODE, typedWords } from "../search/language/typed_text.ts";
import { TRIGRAM } from "../search/language/words.ts";

/** The noun of a resource, or an address or MAC address of a host. */
export type HitKind = string;

export interface Hit {
  kind: HitKind;
  /** The text that matches. */
  label: string;
  /** The name in the URL of the record. */
  name: string;
  detail: string | null;
  is_exact: boolean;
}

export interface PartOptions {
  kind: HitKind;
  label: SQL;
  name: SQL;
  detail: SQL;
  from: SQL;
  where: SQL;
  isExact?: boolean;
  order?: SQL;
}

export const MOST_OF_A_KIND = 6;
/** Several words, or one that is no address or number. */
const SAYS_SOMETHING = /\s|\p{L}{3}/u;

export function part({
  kind,
  label,
  name,
  detail,
  from,
  where,
  isExact = false,
  order,
}: PartOptions): SQL {
  const by = order ? sql`order by ${order}` : sql``;
  return sql`(
    select ${kind}::text as kind, ${label} as label, ${name} as name, ${detail} as detail, ${isExact}::boolean as is_exact
    from ${from} where ${where} ${by} limit ${MOST_OF_A_KIND})`;
}

/** Equal names, names that begin with the text, and names that contain one of three letters or more; for names in lower case with bytewise collation. */
export function nameParts(about: PartOptions, text: string): SQL[] {
  const { label, where } = about;
  const within = sql`${label} like ${`%${literal(text.toLowerCase())}%`} and ${where}`;
  return [
    ...prefixParts(about, text),
    ...(text.length < TRIGRAM ? [] : [part({ ...about, where: within })]),
  ];
}

/** Equal names and names that begin with the text, for columns without a trigram index. */
export function prefixParts(about: PartOptions, text: string): SQL[] {
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

/** Equal names, and records with all words of the text in their names and what is said about them; for small tables. */
export function containsParts(
  about: Omit<PartOptions, "where"> & { where?: SQL },
  text: string,
): SQL[] {
  const { label, detail, where = sql`true` } = about;
  const words = typedWords(text);
  const said = SAYS_SOMETHING.test(text) ? sql`concat_ws(' ', ${label}, ${detail})` : label;
  const hasAll = words.slice(0, MOST_WORDS).map((word) => {
    const [, letters, digits] = SHORT_CODE.exec(word) ?? [];
    if (letters) return sql`${said} ~* ${`\\m${letters}0*${digits}`}`;
    return sql`${said} ilike ${`%${literal(singular(word))}%`}`;
  });
  return [
    part({
      ...about,
      where: sql`lower(${label}) = lower(${text}::text) and ${where}`,
      isExact: true,
    }),
    part({
      ...about,
      where: sql`${sql.join([...hasAll, where], sql` and `)}`,
      // One that has the text as it was typed comes before one that has its words.
      order: sql`${label} not ilike ${`%${literal(text)}%`}, length(${label}), ${label}`,
    }),
  ];
}
