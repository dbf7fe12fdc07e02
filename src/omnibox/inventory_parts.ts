// The one box in the inventory: items by label, serial number and comments, attributes by name.
import { type SQL, sql } from "drizzle-orm";
import { literal } from "../input/text.ts";
import { kinds } from "../inventory/attributes/attribute.ts";
import { TRIGRAM, wordQuery, wordsOf } from "../search/language/words.ts";
import { containsParts, part } from "./parts.ts";

const ABOUT = sql`concat_ws(', ', items.serial_number, models.name, locations.name)`;
const ITEMS = sql`items left join models on models.id = items.model_id
  left join locations on locations.id = items.location_id`;
const ITEM = { kind: "item", name: sql`items.ics_id`, detail: ABOUT, from: ITEMS } as const;
/** The beginning of an ICS id. */
const ICS_ID_START = /^[a-z]{1,3}\d{0,3}$/i;

/** Without its zeros: AAA24, aaa 24. */
const SHORT_ICS_ID = /^([A-Z]{3})[\s-]?(\d{1,2})$/;

export function itemParts(text: string): SQL[] {
  const id = { ...ITEM, label: sql`items.ics_id` };
  const code = text.toUpperCase();
  const whole = code.replace(
    SHORT_ICS_ID,
    (_, letters, digits) => letters + digits.padStart(3, "0"),
  );
  const parts = [part({ ...id, where: sql`items.ics_id in (${code}, ${whole})`, isExact: true })];
  if (ICS_ID_START.test(text))
    parts.push(part({ ...id, where: sql`items.ics_id like ${`${code}%`}` }));
  return text.length < TRIGRAM ? parts : [...parts, ...serialParts(text), commentPart(text)];
}

function serialParts(text: string): SQL[] {
  const serial = {
    ...ITEM,
    label: sql`items.serial_number`,
    detail: sql`concat_ws(', ', items.ics_id, models.name, locations.name)`,
  };
  return [
    part({
      ...serial,
      where: sql`lower(items.serial_number) collate "C" = ${text.toLowerCase()}`,
      isExact: true,
    }),
    part({ ...serial, where: sql`items.serial_number ilike ${`%${literal(text)}%`}` }),
  ];
}

/** Comments that contain all words. */
function commentPart(text: string): SQL {
  const words = wordsOf(text.toLowerCase());
  return part({
    kind: "item",
    label: sql`items.ics_id`,
    name: sql`items.ics_id`,
    detail: sql`left(comments.body, 120)`,
    from: sql`comments join items on items.id = comments.item_id`,
    where:
      words.length > 0
        ? sql`word_index(comments.body) @@ ${wordQuery(words)}::text::tsquery`
        : sql`false`,
  });
}

export function attributeParts(text: string): SQL[] {
  return kinds.flatMap((of) => containsParts(attributePart(of.plural, of.name), text));
}

/** The attribute that a QR code names. */
export function codeParts({ kind, name }: { kind: string; name: string }): SQL[] {
  const of = kinds.find((one) => one.name === kind);
  if (!of) return attributeParts(name);
  const about = attributePart(of.plural, of.name);
  return [part({ ...about, where: sql`lower(name) = lower(${name}::text)`, isExact: true })];
}

/** The attributes with the most similar names. */
export function similarParts(text: string): SQL[] {
  return kinds.map((of) =>
    part({
      ...attributePart(of.plural, of.name),
      where: sql`(name % ${text} or ${text} <% name)`,
      order: sql`word_similarity(${text}, name) desc, length(name), name`,
    }),
  );
}

function attributePart(plural: string, kind: (typeof kinds)[number]["name"]) {
  const table = sql.identifier(plural);
  return {
    kind,
    label: sql`name`,
    name: sql`name`,
    detail: sql`left(description, 120)`,
    from: sql`${table}`,
  };
}
