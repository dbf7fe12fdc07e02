// A walk through a list by `cursor`: in the order of ids, after the last record that the client has. Records that are made or
// deleted meanwhile move none of the others, as they do with pages.
import { type SQL, sql } from "drizzle-orm";
import { statementText } from "../../db/client.ts";
import type { FieldError } from "../input/errors.ts";
import type { Order } from "./order.ts";

/** The cursor before the first record. */
const BEGIN = "*";
/** What may change during a walk. */
const VARYING = ["cursor", "per_page", "fields", "recursive", "skip_total"];
/** What a walk has its own way of. */
const OF_PAGES = ["page", "sort"];

type Relations = Record<string, Record<string, string | null>>;

interface Walk {
  where: SQL;
  order: Order;
  /** The parameters of the links, for the records of this part. */
  relations: (json: string, per_page: number) => Relations;
}

/** Adds an error if the cursor is of another list. */
export function readWalk(
  { table, id }: { table: SQL; id: SQL },
  params: URLSearchParams,
  errors: FieldError[],
): Walk {
  for (const field of OF_PAGES.filter((name) => params.has(name))) {
    errors.push({ field, message: "A walk by cursor is in the order of ids; leave this out" });
  }
  const list = [...params].filter(([name]) => !VARYING.includes(name)).toSorted();
  const mark = Bun.hash(JSON.stringify([statementText(table), list])).toString(36);
  const cursor = params.get("cursor") ?? BEGIN;
  const [last = "", own] = cursor.split(".");
  const isBegin = cursor === BEGIN;
  if (!isBegin && !(own === mark && /^[0-9]{1,10}$/.test(last))) {
    const message = "This is no cursor of this list with these filters; begin again with *";
    errors.push({ field: "cursor", message });
  }
  const order = sql`${id}`;
  return {
    where: isBegin ? sql`true` : sql`${id} > ${last}::bigint`,
    order: {
      by: order,
      parts: [{ where: sql`true`, by: order }],
      isOwn: true,
      isRanked: false,
      isDefault: false,
    },
    relations: (json, per_page): Relations => {
      const records: Array<{ id: number }> = JSON.parse(json);
      const after = records.length < per_page ? undefined : records.at(-1)?.id;
      const first = { cursor: BEGIN };
      return after === undefined ? { first } : { first, next: { cursor: `${after}.${mark}` } };
    },
  };
}
