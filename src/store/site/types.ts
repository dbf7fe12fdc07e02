// The types of the fields of a site: what a value may be, and how it is stored, compared and indexed. A type is all in its row.
import { FormatRegistry, type TSchema, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../../input/kinds.ts";
import { line, paragraph, REFERS_TO, TRUE_OR_FALSE } from "../../input/shape.ts";
import { type Definition, SITE_TABLES } from "./definitions.ts";

interface TypeRules {
  kind: Kind;
  /** Of a value in a body. */
  schema: (of: Definition) => TSchema;
  /** The value as filters, sorting and search compare it; its index has the same expression. */
  value: (site: SQL, key: SQL) => SQL;
  /** The kind of its index. */
  index: "btree" | "gin" | "hash";
  /** A value in a form or a cell of a sheet. */
  fromText?: (text: string, of: Definition) => unknown;
}

/** Characters of a value. */
export const LONGEST_VALUE = 1_000;

FormatRegistry.Set("day", (text) => new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text);

// An index of PostgreSQL takes no more: 1,000 letters of ASCII, 866 of Chinese.
const MOST_BYTES = 2_600;
FormatRegistry.Set("indexed", (text) => Buffer.byteLength(text) <= MOST_BYTES);
const TOO_LONG = `at most ${LONGEST_VALUE} characters, which are at most ${MOST_BYTES} bytes in UTF-8`;

/** The pattern of an address, which pages show as a link. */
export const LINK = "^https?://[^\\s]+$";

const TEXT = {
  kind: "text",
  value: (site: SQL, key: SQL) => sql`(site_line(${site}, ${key}) collate names)`,
  index: "btree",
} as const;

const NUMBER = {
  kind: "number",
  value: (site: SQL, key: SQL) => sql`site_number(${site}, ${key})`,
  index: "btree",
  fromText: (text: string) => (/^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text),
} as const;

const INTEGER = { minimum: -1e15, maximum: 1e15, description: "Use a whole number such as 42" };

export const TYPES: Record<string, TypeRules> = {
  text: {
    ...TEXT,
    schema: () => ({ ...line(LONGEST_VALUE, `Use one line of ${TOO_LONG}`), format: "indexed" }),
  },
  long_text: {
    kind: "text",
    value: (site, key) => sql`((${site} ->> ${key}) collate names)`,
    // Of any length, and not in an order.
    index: "hash",
    schema: () => paragraph(LONGEST_VALUE),
  },
  integer: { ...NUMBER, schema: () => Type.Integer(INTEGER) },
  number: {
    ...NUMBER,
    schema: () => Type.Number({ ...INTEGER, description: "Use a number such as 4.5" }),
  },
  boolean: {
    kind: "boolean",
    value: (site, key) => sql`(${site} ->> ${key} = 'true')`,
    index: "btree",
    schema: () => TRUE_OR_FALSE,
    fromText: (text) => IN_WORDS[text.toLowerCase()] ?? text,
  },
  date: {
    kind: "date",
    value: (site, key) => sql`site_time(${site}, ${key})`,
    index: "btree",
    schema: () => Type.String({ format: "day", description: "Use a date such as 2026-01-31" }),
  },
  choice: { ...TEXT, schema: oneOf, fromText: choiceOf },
  choices: {
    kind: "list",
    value: (site, key) => sql`site_list(${site}, ${key})`,
    index: "gin",
    schema: (of) => Type.Array(oneOf(of), { uniqueItems: true, maxItems: 100, ...ruleOf(of) }),
    fromText: (text, of) => text.split(/[,;\n]/).flatMap((one) => choiceOf(one, of) || []),
  },
  link: {
    ...TEXT,
    schema: () =>
      Type.String({
        maxLength: LONGEST_VALUE,
        pattern: LINK,
        format: "indexed",
        description: `Use an address such as https://wiki.example.org/calibration, of ${TOO_LONG}`,
      }),
  },
  // The key of the record, which is shown by its name.
  reference: {
    ...NUMBER,
    value: (site, key) => sql`site_key(${site}, ${key})`,
    schema: ({ references }) =>
      Type.String({
        minLength: 1,
        maxLength: LONGEST_VALUE,
        description: `Use the name of one of the ${SITE_TABLES[references ?? "item"]}`,
        [REFERS_TO]: SITE_TABLES[references ?? "item"],
      }),
    fromText: trimmed,
  },
};

const IN_WORDS: Record<string, boolean> = { true: true, yes: true, false: false, no: false };

function trimmed(text: string): string {
  return text.trim();
}

export function typeOf({ type }: Pick<Definition, "type">): TypeRules {
  const found = TYPES[type];
  if (!found) throw new Error(`There is no type ${type}`);
  return found;
}

/** A choice: what is stored, and what people read. */
export function choiceIn(text: string): { value: string; label: string } {
  const [, value = text, label = value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  return { value, label };
}

/** The stored value of a choice that is written as people read it; any other text as it is. */
export function choiceOf(text: string, { choices }: Pick<Definition, "choices">): string {
  const written = text.trim();
  const all = choices.map(choiceIn);
  const isRead = ({ label }: { label: string }) => label.toLowerCase() === written.toLowerCase();
  const isValue = all.some(({ value }) => value === written);
  return (isValue ? undefined : all.find(isRead)?.value) ?? written;
}

function oneOf(of: Definition): TSchema {
  const all = of.choices.map(choiceIn);
  return Type.Union(
    all.map(({ value, label }) => Type.Literal(value, { title: label })),
    ruleOf(of),
  );
}

function ruleOf({ choices }: Definition) {
  const values = choices.slice(0, 10).map((one) => {
    const { value, label } = choiceIn(one);
    return value === label ? value : `${value} (${label})`;
  });
  const more = choices.length > 10 ? ` and ${choices.length - 10} others` : "";
  return { description: `Use one of ${values.join(", ")}${more}` };
}
