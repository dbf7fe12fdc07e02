// Corrects the words of a text that found nothing: "vacum gauge" is "vacuum gauge", as the site spells it in the names and
// descriptions of its attributes, its networks and the other small tables.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, limitedUser } from "../auth/auth.ts";
import { mayKnowNetwork } from "../auth/visibility.ts";
import { kinds } from "../inventory/attributes/attribute.ts";
import { standardResources } from "../resources.ts";
import { MOST_WORDS, typedWords } from "../search/language/typed_text.ts";
import { distance } from "../search/language/words.ts";
import { deadline, withinShare } from "../search/limits.ts";

/** A word that may be misspelt: a name with a number is another name. */
const WORD = /^\p{L}{4,30}$/u;
const MOST_SIMILAR = 50;
/** From this length on, two letters may be wrong. */
const LONG = 7;

/** What a text that found nothing may mean: its parts as words of their own, or its words as the site spells them. */
export async function alternativesTo(caller: Caller, text: string): Promise<string[]> {
  const apart = text
    .replace(/(?<=[\p{L}\p{N}])[-_](?=[\p{L}\p{N}])/gu, " ")
    .replace(/(?<=\p{L}{2})(?=\d)|(?<=\d)(?=\p{L})/gu, " ");
  const all = new Set([apart, await respelt(caller, apart)]);
  all.delete(text);
  return [...all];
}

/** The text itself, if no word is to be corrected. */
async function respelt(caller: Caller, text: string): Promise<string> {
  const words = typedWords(text.toLowerCase());
  const typed = words.filter((word) => WORD.test(word));
  if (typed.length === 0 || words.length > MOST_WORDS) return text;
  const known = await wordsLike(caller, typed);
  const corrected = words.map((word) => (WORD.test(word) ? nearest(word, known) : word));
  return corrected.join(" ") === words.join(" ") ? text : corrected.join(" ");
}

async function wordsLike(caller: Caller, typed: string[]): Promise<string[]> {
  const all = sql.join(textsOf(caller), sql` union all `);
  const found = await withinShare(limitedUser(caller), deadline(), () =>
    database.rows<{ word: string }>(sql`
      with known as (
        select distinct regexp_split_to_table(lower(text), '[^[:alpha:]]+') as word from (${all}) texts)
      select similar_words.word from unnest(${sql.param(typed)}::text[]) typed (word), lateral (
        select known.word from known where known.word % typed.word
        order by similarity(known.word, typed.word) desc limit ${MOST_SIMILAR}) similar_words`),
  );
  return found.map(({ word }) => word);
}

function textsOf(caller: Caller): SQL[] {
  return [
    ...kinds.map(
      ({ plural }) =>
        sql`select concat_ws(' ', name, description) text from ${sql.identifier(plural)}`,
    ),
    ...standardResources.map(({ name, key, visible }) => {
      const table = sql.identifier(name);
      return sql`select ${table}.${sql.identifier(key)} from ${table} where ${visible?.(caller) ?? sql`true`}`;
    }),
    sql`select concat_ws(' ', vlan_name, description) from networks where ${mayKnowNetwork(caller)}`,
  ];
}

/** The word itself, if the site has it or nothing like it. */
function nearest(word: string, known: string[]): string {
  if (known.some((one) => one.includes(word))) return word;
  const most = word.length < LONG ? 1 : 2;
  const near = known.map((one) => ({ one, far: distance(one, word, most) }));
  const [best] = near.toSorted((left, right) => left.far - right.far);
  return best && best.far <= most ? best.one : word;
}
