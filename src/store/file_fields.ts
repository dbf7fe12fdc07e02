// What lists show of the files of records.
import { sql } from "drizzle-orm";
import { derived, inListsAlone, usage } from "./fields.ts";
import { FILE_OWNERS, type FileOwner } from "./file_owners.ts";

/** Bytes of a picture that lists load, if there is no smaller one. */
const MOST_IN_LISTS = 200_000;

/** Those that imports leave out, and lists as files, unless they are chosen. */
export const FILE_FIELDS = ["files", "picture"];

/** How many files a record has, and the key of its picture. */
export function fileFields(table: FileOwner) {
  const isOf = sql`files.${sql.identifier(FILE_OWNERS[table].key)} = ${sql.identifier(table)}.id`;
  const isLight = sql`(small is not null or size <= ${sql.raw(String(MOST_IN_LISTS))})`;
  const picture = derived<number | null>({
    label: "Picture",
    kind: "value",
    value: sql`(select id from files where is_picture and ${isLight} and ${isOf})`,
  });
  return {
    files: usage("Files", () => sql`(select count(*)::int from files where ${isOf})`),
    picture: inListsAlone(picture),
  };
}
