// The vocabulary of rows that only one statement has, or whose changes nothing tells: their values are read each time,
// and compared here.
import { type SQL, sql } from "drizzle-orm";
import { matcher, readRegex } from "../language/regex.ts";
import { distance } from "../language/words.ts";
import type { VocabularyReader } from "./vocabulary.ts";
import type { TermTest } from "./vocabulary_worker.ts";

type ReadRows = <Row>(statement: SQL) => Promise<Row[]>;

export function valuesIn(read: ReadRows): VocabularyReader {
  return {
    find: async (lists, test) => {
      if (lists.length === 0) return {};
      const each = lists.map(
        ([path, { values }]) =>
          sql`select ${path}::text as path, value collate "C" as value from (${values}) listed`,
      );
      const rows = await read<{ path: string; value: string }>(
        sql`select distinct path, value from (${sql.join(each, sql` union all `)}) every`,
      );
      const passes = testFor(test);
      const passed = rows.filter(({ value }) => passes(value));
      const paths = Map.groupBy(passed, ({ path }) => path);
      return Object.fromEntries(
        lists.map(([path]) => [path, (paths.get(path) ?? []).map(({ value }) => value)]),
      );
    },
    end: async () => {},
  };
}

function testFor(test: TermTest): (value: string) => boolean {
  if (test.kind === "similar") {
    return (value) => distance(value, test.text, test.distance) <= test.distance;
  }
  const regex = readRegex(test.regex);
  return regex ? matcher(regex) : () => false;
}
