import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { applied, FORMER, migrate, pending } from "../db/migrate.ts";
import { migrations } from "../db/migrations/mod.ts";
import { aDatabase } from "./support/cluster.ts";

const SCHEMA = "0001_schema";

/**
 * Statements that take something away, by migration, and why the release before goes on working without it: for the time
 * of an upgrade both work on one database. What that release needs goes one release later.
 */
const REMOVALS: Record<string, Array<{ statement: string; safe: string }>> = {
  "0002_imports": [
    { statement: "drop constraint items_stack_member_key", safe: "it is added again, deferred" },
  ],
};

const REMOVING: Array<[what: string, pattern: RegExp]> = [
  ["drops something", /\bdrop\s+(?!default\b|not\s+null\b)/],
  ["renames something", /\brename\b/],
  ["changes the type of a column", /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/],
  ["makes a column required", /\bset\s+not\s+null\b/],
  [
    "adds a required column without a default",
    /\badd\s+(column\s+)?(if\s+not\s+exists\s+)?(?!constraint\b)\w+\s[^,]*\bnot\s+null\b(?![^,]*\b(default|generated)\b)(?<!\b(default|generated)\b[^,]*)/,
  ],
  ["empties a table", /\btruncate\b/],
];

describe("a migration only adds, so that the release before it goes on working", () => {
  const later = migrations.filter(({ name }) => name !== SCHEMA);
  test("or is listed with the reason why it is safe", () => {
    const found = later.flatMap(({ name, sql }) => {
      const allowed = (REMOVALS[name] ?? []).map(({ statement }) => statement);
      return removalsIn(sql).filter((one) => !allowed.some((known) => one.includes(known)));
    });
    expect(found).toEqual([]);
  });

  test.each([
    ["alter table hosts add column note text", 0],
    ["alter table hosts add column note text not null default ''", 0],
    ["alter table hosts add note text default '' not null, add other integer", 0],
    ["alter table hosts add constraint note_short check (note is not null)", 0],
    ["create table notes (id integer primary key, text text not null)", 0],
    ["create index on hosts (name); -- drop table hosts", 0],
    ["alter table hosts alter column note drop not null", 0],
    ["create function f() returns void language sql as $$ drop table x $$", 0],
    ["alter table hosts add column note text not null", 1],
    ["alter table hosts add a text default '', add note text not null", 1],
    ["ALTER TABLE hosts DROP COLUMN note", 1],
    ["drop table hosts; drop function f()", 2],
    ["alter table hosts rename column note to remark", 1],
    ["alter table hosts alter column note type integer", 1],
    ["alter table hosts alter note set not null", 1],
  ])("finds what is taken away in: %s", (sql, count) => {
    expect(removalsIn(sql)).toHaveLength(count);
  });
});

test("a migration that meets a deadlock with other instances runs again", async () => {
  const { url, drop } = await aDatabase();
  const [own, other] = [1, 2].map(() => new SQL({ url, adapter: "postgres", max: 1 }));
  if (!own || !other) throw new Error("No connection");
  try {
    await own`alter table imports drop column verdicts, drop column checked_state`;
    await own`delete from migrations where name = '0002_imports'`;
    // It has changed items when it waits here for imports.
    await other`set deadlock_timeout = '1min'`;
    await other`begin`;
    await other`lock table imports in access share mode`;
    const migrating = migrate({ url }, () => {});
    const waiting = () =>
      own`select from pg_locks where not granted and relation = 'imports'::regclass`;
    while ((await waiting()).length === 0) await Bun.sleep(5);
    await other`lock table items in access share mode`;
    await other`commit`;
    expect(await migrating).toEqual(["0002_imports"]);
  } finally {
    await Promise.all([own.close(), other.close()]);
    await drop();
  }
});

describe("a database of Cadastre 0.1.0", () => {
  /** The schema, with these as what was applied. */
  async function databaseOf(names: string[]) {
    const { url, drop } = await aDatabase();
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    await sql`delete from migrations`;
    await sql`insert into migrations ${sql(names.map((name) => ({ name })))}`;
    return {
      url,
      sql,
      end: async () => {
        await sql.close();
        await drop();
      },
    };
  }
  const later = migrations.map(({ name }) => name).filter((name) => name !== SCHEMA);

  test("is taken as having the schema: nothing runs, and what it has applied stays", async () => {
    const { url, sql, end } = await databaseOf([...FORMER, ...later]);
    try {
      expect(await migrate({ url }, () => {})).toEqual([]);
      expect(await pending(sql)).toEqual([]);
      expect(await applied(sql)).toEqual([...FORMER, ...later].toSorted());
    } finally {
      await end();
    }
  });

  test("that was never brought to its last migration is refused", async () => {
    const { url, sql, end } = await databaseOf(FORMER.slice(0, -1));
    try {
      const sentence =
        "The database is too old for this program, it ends with 0056_pending_lists: upgrade it by Cadastre 0.1.0 first, up to 0057_composed_variables";
      await expect(migrate({ url }, () => {})).rejects.toThrow(sentence);
      await expect(pending(sql)).rejects.toThrow(sentence);
      expect(await applied(sql)).toEqual(FORMER.slice(0, -1));
    } finally {
      await end();
    }
  });

  test("that a newer release has migrated is refused", async () => {
    const { url, end } = await databaseOf([...FORMER, "0099_of_next_release"]);
    try {
      await expect(migrate({ url }, () => {})).rejects.toThrow(
        "The database is newer than this program: it has 0099_of_next_release; use the newer cadastre",
      );
    } finally {
      await end();
    }
  });
});

/** Each statement that takes something away, after what it does. */
function removalsIn(sql: string): string[] {
  return statementsOf(sql).flatMap((statement) => {
    const what = REMOVING.find(([, pattern]) => pattern.test(statement.toLowerCase()))?.[0];
    return what ? [`${what}: ${statement}`] : [];
  });
}

/** Without comments, texts and the bodies of functions. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/(\$\w*\$)[\s\S]*?\1/g, "''")
    .replaceAll(/'[^']*'/g, "''")
    .split(";")
    .map((one) => one.replaceAll(/\s+/g, " ").trim())
    .filter(Boolean);
}
