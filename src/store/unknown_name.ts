// A name that no record has is refused, with the name that was probably meant: one that the caller may see.
import { sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { type FieldError, unknownName } from "../input/errors.ts";
import { literal } from "../input/text.ts";
import { distance, haveSameNumbers, TRIGRAM } from "../search/language/words.ts";
import type { Read } from "./read.ts";
import { registered } from "./registry.ts";

export interface UnknownName {
  field: string;
  name: string;
  /** The table where it was looked up, and the column with the names. */
  table: string;
  column?: string;
  noun?: string;
}

/** A transaction, or the database. */
interface Reader {
  execute: Read;
}

/** A request with many wrong names, such as an import, gets suggestions for the first ones. */
const MOST_LOOKED_UP = 20;
/** Longer texts are no names with a typing error. */
const LONGEST = 64;
const MOST_CANDIDATES = 5;

type Suggestion = Promise<string | undefined>;

const lookedUp = new WeakMap<object, Map<string, Suggestion>>();

export async function unknownRecord(
  tx: Reader,
  caller: Caller,
  wrong: UnknownName,
): Promise<FieldError> {
  return unknownName(wrong.field, wrong.name, wrong.noun, await suggestionFor(tx, caller, wrong));
}

/** Looked up once in a request. A token with limits may not read each name that its user may. */
function suggestionFor(tx: Reader, caller: Caller, wrong: UnknownName): Suggestion {
  const { visit, token } = caller;
  if (!visit || token) return Promise.resolve(undefined);
  const known = lookedUp.get(visit) ?? new Map<string, Suggestion>();
  lookedUp.set(visit, known);
  const key = `${wrong.table} ${wrong.name}`;
  const found = known.get(key);
  if (found || known.size === MOST_LOOKED_UP) return found ?? Promise.resolve(undefined);
  const asked = nearestName(tx, caller, wrong);
  known.set(key, asked);
  return asked;
}

/** The name with the fewest changes of letters, at most two; else the only one that contains the text. */
async function nearestName(tx: Reader, caller: Caller, wrong: UnknownName): Suggestion {
  const text = wrong.name.trim().toLowerCase();
  if (text.length > LONGEST) return undefined;
  const name = sql.identifier(wrong.column ?? "name");
  const visible = registered(wrong.table)?.visible?.(caller) ?? sql`true`;
  const similar = await tx.execute<{ name: string }>(sql`
    select ${name}::text as name from ${sql.identifier(wrong.table)}
    where ${name} % ${text}::text and ${visible}
    order by similarity(${name}, ${text}::text) desc, ${name} limit ${MOST_CANDIDATES}`);
  const most = text.length < 5 ? 1 : 2;
  const near = similar
    .filter((one) => haveSameNumbers(one.name, text))
    .map((one) => ({ ...one, far: distance(one.name.toLowerCase(), text, most) }))
    .filter(({ far }) => far <= most);
  const nearest = near.toSorted((one, other) => one.far - other.far)[0]?.name;
  if (nearest !== undefined || text.length < TRIGRAM) return nearest;
  const [only, ...others] = await tx.execute<{ name: string }>(sql`
    select ${name}::text as name from ${sql.identifier(wrong.table)}
    where ${name} ilike ${`%${literal(text)}%`} and ${visible} limit 2`);
  return others.length === 0 ? only?.name : undefined;
}
