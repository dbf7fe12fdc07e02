import { describe, expect, test } from "bun:test";
import { migrations } from "../db/migrations/mod.ts";

/** Everything up to here came before the first release. */
const BEFORE_RELEASES = "0020_after_prefix";

/**
 * Statements that take something away, by migration, and why the release before goes on working without it: for the time
 * of an upgrade both work on one database. What that release needs goes one release later.
 */
const REMOVALS: Record<string, Array<{ statement: string; safe: string }>> = {
  "0050_former_parts": [
    { statement: "drop index changes_", safe: "it reads the same history, only slower" },
    { statement: "drop constraint changes_action_known", safe: "only a trigger writes actions" },
  ],
  "0051_cheaper_rows": [
    { statement: "drop trigger name_changed_hosts", safe: "another trigger does the same" },
    { statement: "drop trigger name_owners_of_new", safe: "another trigger does the same" },
    { statement: "drop constraint hosts_name_format", safe: "it is added again" },
    { statement: "drop constraint interfaces_name_format", safe: "it is added again" },
  ],
  "0052_cheaper_new_hosts": [
    { statement: "drop index", safe: "it is created again under its name" },
    { statement: "drop constraint full_names_host_id_fkey", safe: "a trigger does the same" },
  ],
  "0053_words_of_texts": [{ statement: "drop index", safe: "it is created again under its name" }],
  "0055_editions": [
    { statement: "create trigger new_edition", safe: "it notices that a table is emptied" },
  ],
  "0058_imports": [
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
  const later = migrations.filter(({ name }) => name > BEFORE_RELEASES);
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
