// Properties of the functions that read texts and filters: any input is accepted or refused.
import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import fc from "fast-check";
import { type FieldError, Refusal } from "../../src/input/errors.ts";
import { normalizeInput, textError } from "../../src/input/text.ts";
import { condition, type FieldsSql, filtersOf } from "../../src/store/filters.ts";
import { readListQuery } from "../../src/store/list_query.ts";
import { readPage, withPage } from "../../src/store/paging.ts";

const wild = fc.string({ unit: "binary", maxLength: 40 });
/** Includes lone surrogates, which are not well-formed. */
const wilder = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));
const anything = fc.anything({ values: [wild, wilder, fc.integer(), fc.constant(null)] });

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return error;
  }
}

describe("tidy", () => {
  test("returns or refuses any JSON", () => {
    fc.assert(
      fc.property(anything, (value) => {
        outcome(() => normalizeInput(value));
      }),
    );
  });

  test("returns nothing that no field may contain", () => {
    fc.assert(
      fc.property(fc.oneof(wild, wilder), (name) => {
        const tidied = outcome(() => normalizeInput({ name }));
        if (tidied instanceof Refusal) return expect(textError(name)).toBeDefined();
        const { name: kept } = tidied as { name: string };
        expect(textError(kept)).toBeUndefined();
        expect(kept).toBe(kept.trim().normalize("NFC"));
      }),
    );
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(fc.record({ name: wild, list: fc.array(wild), password: wild }), (body) => {
        const once = outcome(() => normalizeInput(body));
        if (!(once instanceof Refusal)) expect(normalizeInput(once)).toEqual(once);
      }),
    );
  });

  test("leaves passwords, numbers and keys unchanged", () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (number, truth) => {
        const body = { number, truth, nothing: null, password: " two  blanks " };
        expect(normalizeInput(body)).toEqual(body);
      }),
    );
  });

  test("gives no object another prototype", () => {
    const tidied = normalizeInput(
      JSON.parse('{"__proto__": {"admin": true}, "name": "x"}'),
    ) as object;
    expect(Object.getPrototypeOf(tidied)).toBe(Object.prototype);
    expect("admin" in tidied).toBe(false);
  });
});

const FIELDS: FieldsSql = {
  id: { kind: "integer", column: sql`id` },
  name: { kind: "name", column: sql`name` },
  description: { kind: "text", column: sql`description` },
  read_only: { kind: "boolean", column: sql`read_only` },
  created_at: { kind: "time", column: sql`created_at` },
  groups: { kind: "list", column: sql`groups` },
};
const NAMES = [...filtersOf(FIELDS).keys()];
const dialect = new PgDialect();

/** The statement of a filter, or its error. */
function filter(name: string, texts: string[]): string | FieldError {
  const errors: FieldError[] = [];
  const params = new URLSearchParams(texts.map((text) => [name, text]));
  const { filters } = readListQuery(FIELDS, params, errors);
  const wheres = filters.map(({ field, lookup, texts }) =>
    dialect.sqlToQuery(condition(FIELDS[field]!, lookup, texts).where),
  );
  return errors[0] ?? wheres[0]!.sql;
}

describe("a filter", () => {
  test("returns a condition or an error that names it, whatever its name and values", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...NAMES), wild, fc.constantFrom("__proto__", "constructor__ne")),
        fc.array(fc.oneof(wild, wilder), { minLength: 1, maxLength: 3 }),
        (name, texts) => {
          const read = filter(name, texts);
          if (typeof read === "object") expect(read.field).toBe(name.toWellFormed());
          else expect(NAMES).toContain(name);
        },
      ),
    );
  });

  test("never puts a value into the text of the statement", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), wild, (name, text) => {
        const marked = `${text}';--`;
        const read = filter(name, [marked]);
        if (typeof read === "string") expect(read).not.toContain("';--");
      }),
    );
  });

  test("accepts the integers of the column, and no others", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        const fits = Math.abs(number) <= 2_147_483_647;
        expect(typeof filter("id", [String(number)]) === "object").toBe(!fits);
      }),
    );
  });

  test("has few statements, whatever the number and values of its parameters", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("name", "description", "groups"),
        fc.array(wild),
        (name, texts) => {
          const statement = (values: string[]) => {
            const read = filter(name, values);
            return typeof read === "string" ? read : undefined;
          };
          const counts = Array.from({ length: 9 }, (_, more) => Array(more + 1).fill("x"));
          const known = [undefined, ...counts.map(statement)];
          expect(known).toContain(statement(["y", ...texts]));
        },
      ),
    );
  });
});

describe("paging", () => {
  test("is accepted or refused, and stays within its limits", () => {
    fc.assert(
      fc.property(fc.oneof(wild, fc.nat().map(String)), (text) => {
        const errors: Array<{ field: string; message: string }> = [];
        const params = new URLSearchParams({ page: text, per_page: text });
        const { page, per_page } = readPage(params, errors);
        expect(page).toBeGreaterThanOrEqual(1);
        expect(per_page).toBeGreaterThanOrEqual(1);
        expect(per_page).toBeLessThanOrEqual(100);
        expect([0, 2]).toContain(errors.length);
      }),
    );
  });

  test("keeps all other parameters in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("name", "q", "a&b"), wild)), (pairs) => {
        const query = withPage(new URLSearchParams(pairs), { page: 2, per_page: 20 });
        const expected = [...new URLSearchParams(pairs), ["per_page", "20"], ["page", "2"]];
        expect([...new URLSearchParams(query)]).toEqual(expected as Array<[string, string]>);
      }),
    );
  });
});
