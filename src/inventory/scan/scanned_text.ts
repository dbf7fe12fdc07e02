// Interprets a scanned text: an ICS id, the code of an attribute, a MAC address, a serial number, or a URL of this
// service that ends in one of these.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Caller } from "../../auth/auth.ts";
import { isMac } from "../../input/kinds.ts";
import { composed, decoded, textError } from "../../input/text.ts";
import { type AttributeKind, type ItemKind, kindOf, kinds } from "../attributes/attribute.ts";
import { isIcsId } from "../items/ics_ids.ts";
import { isTemporary } from "../items/item_rules.ts";
import {
  SCAN_ACTIONS,
  type ScanAction,
  type ScanMeaning,
  type ScannedItem,
  UNKNOWN_CODE,
} from "./scan_desk.ts";

const LONGEST_CODE = 200;
const LONGEST_SERIAL = 100;
const CODE = /^CSE:([a-z]+):(.+)$/i;

export async function interpret(
  caller: Caller,
  text: string,
  origin: string,
): Promise<ScanMeaning> {
  const [meaning] = await interpretAll(caller, [text], origin);
  return meaning ?? nothing(text, UNKNOWN_CODE);
}

/** The meaning of each text, in order, with one query for all of them. */
export async function interpretAll(
  _caller: Caller,
  texts: string[],
  origin: string,
): Promise<ScanMeaning[]> {
  const read = texts.map((text) => parseText(text, origin));
  const lookups = read.filter((one): one is ScanLookup => "wanted" in one);
  const found = lookups.length > 0 ? await lookUp(lookups) : [];
  return read.map((one) => ("wanted" in one ? decide(one, found) : one));
}

/** A text whose meaning has to be looked up in the database. */
interface ScanLookup {
  wanted: "item" | ItemKind;
  text: string;
}

function parseText(scanned: string, origin: string): ScanLookup | ScanMeaning {
  const text = composed(lastPathSegment(scanned.trim(), origin));
  if (text.length > LONGEST_CODE) return nothing(text.slice(0, 40), "This code is too long");
  const why = textError(text);
  if (why) return nothing(text, why);
  const [, kind = "", name = ""] = CODE.exec(text) ?? [];
  if (kind !== "") return parseCode(text, kind.toLowerCase(), name);
  return { wanted: "item", text: isIcsId(text) ? text.toUpperCase() : text };
}

function parseCode(text: string, kind: string, name: string): ScanLookup | ScanMeaning {
  if (kind === "remove") return { is: "removal", key: name };
  if (kind === "parents") return { is: "parents", keep: name === "keep" };
  if (kind === "action") {
    const action = Object.keys(SCAN_ACTIONS).find(
      (one) => one.toLowerCase() === name.toLowerCase(),
    );
    return action ? { is: "action", name: action as ScanAction } : nothing(text, "Unknown action");
  }
  const attributeKind = kinds.find((one) => one.name === kind);
  return attributeKind
    ? { wanted: attributeKind.name as ItemKind, text: name }
    : nothing(text, UNKNOWN_CODE);
}

/** Returns the last segment of a URL of this service; other texts unchanged. */
function lastPathSegment(text: string, origin: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const last = url.pathname.split("/").at(-1) ?? "";
  if (url.origin !== origin || last === "") return text;
  return decoded(last) ?? text;
}

interface Match {
  wanted: string;
  text: string;
  /** Priority: an ICS id before a MAC address before a serial number before a typed name. */
  rank: number;
  kind: ItemKind | null;
  name: string | null;
  item: ScannedItem | null;
}

function decide({ wanted, text }: ScanLookup, found: Match[]): ScanMeaning {
  const matches = found.filter((match) => match.wanted === wanted && match.text === text);
  const rank = Math.min(...matches.map((match) => match.rank));
  const [match, ...others] = matches.filter((one) => one.rank === rank);
  if (wanted !== "item") {
    return match?.name
      ? { is: "attribute", kind: wanted, name: match.name }
      : nothing(`CSE:${wanted}:${text}`, `There is no ${wanted} "${text}"`);
  }
  if (match?.item && others.length === 0) return { is: "item", item: match.item };
  if (match?.kind && match.name && others.length === 0)
    return { is: "attribute", kind: match.kind, name: match.name };
  if (match?.item)
    return nothing(text, "Several items have this serial number; scan the id on the label");
  if (match) return nothing(text, "A location and a status have this name; scan the code");
  return newThing(text);
}

function newThing(text: string): ScanMeaning {
  if (isIcsId(text)) {
    return isTemporary(text)
      ? nothing(text, "No item has this label")
      : { is: "free", ics_id: text };
  }
  const isAddress = /^[a-z]+:\/\//i.test(text);
  return isAddress || text === "" || text.length > LONGEST_SERIAL
    ? nothing(text, UNKNOWN_CODE)
    : { is: "serial", serial_number: text };
}

function nothing(text: string, why: string): ScanMeaning {
  return { is: "nothing", text, why };
}

function lookUp(lookups: ScanLookup[]): Promise<Match[]> {
  const texts = (wanted: string) => [
    ...new Set(lookups.filter((lookup) => lookup.wanted === wanted).map(({ text }) => text)),
  ];
  const items = texts("item");
  const branches = [
    ...(items.length > 0
      ? [
          itemsOf(items),
          ...TYPED.map((kind) => attributesOf(kind, items, { wanted: "item", rank: 4 })),
        ]
      : []),
    ...kinds
      .map(({ name }) => ({ name, names: texts(name) }))
      .filter(({ names }) => names.length > 0)
      .map(({ name, names }) => attributesOf(name, names, { wanted: name, rank: 1 })),
  ];
  return database.rows<Match>(sql.join(branches, sql` union all `));
}

/** Kinds whose names people type, for want of the code. */
const TYPED = ["location", "status"] as const;

function attributesOf(
  kind: AttributeKind["name"],
  names: string[],
  { wanted, rank }: Pick<Match, "wanted" | "rank">,
): SQL {
  return sql`
    select ${wanted}::text as wanted, scanned.text, ${rank}::integer as rank, ${kind}::text as kind, one.name::text as name, null::json as item
    from ${unnested(names)} join ${sql.identifier(kindOf(kind).plural)} one
      on lower(one.name) = lower(scanned.text collate names)`;
}

// Two items suffice to show that a serial number is ambiguous.
function itemsOf(texts: string[]): SQL {
  // In SQL: it is one part of a union that ranks what a text may mean.
  return sql`
    select 'item' as wanted, hit.text, hit.rank, null as kind, null as name, json_build_object(
      'id', items.id, 'ics_id', items.ics_id, 'serial_number', items.serial_number,
      'manufacturer', manufacturers.name, 'model', models.name, 'location', locations.name,
      'status', statuses.name, 'parent', parent.ics_id) as item
    from (
      select scanned.text, 1 as rank, items.id from ${unnested(texts)} join items on items.ics_id = scanned.text
      union all
      select scanned.text, 2, macs.item_id from ${unnested(texts.filter(isMac))}
        join macs on macs.address = scanned.text::macaddr
      union all
      select scanned.text, 3, twin.id from ${unnested(texts)},
        lateral (select id from items where serial_number = scanned.text limit 2) twin
    ) hit
    join items on items.id = hit.id
    left join manufacturers on manufacturers.id = items.manufacturer_id
    left join models on models.id = items.model_id
    left join locations on locations.id = items.location_id
    left join statuses on statuses.id = items.status_id
    left join items parent on parent.id = items.parent_id`;
}

function unnested(texts: string[]): SQL {
  return sql`unnest(${sql.param(texts)}::text[]) scanned(text)`;
}
