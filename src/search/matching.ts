// What `q` asks of a list: the same language over whatever its records say.
import { type SQL, sql } from "drizzle-orm";
import { invalid, Refusal } from "../errors.ts";
import { compile } from "./compile.ts";
import type { Searched } from "./document.ts";
import { expand } from "./expand.ts";
import { parse } from "./parser.ts";
import { SyntaxFault } from "./syntax_fault.ts";
import { TakesTooLong } from "./takes_too_long.ts";

/** True of the records that the query finds; `field` is to blame where it cannot be read. */
export async function matchingIn(searched: Searched, text: string, field = "q"): Promise<SQL> {
  try {
    const context = { searched, now: Date.now() };
    return compile(await expand(parse(text, searched.aliases), context), context);
  } catch (fault) {
    throw inWords(fault, field);
  }
}

/** The same of a query that was kept: what cannot be read any more, or not in time, finds nothing. */
export async function matchingKept(searched: Searched, text: string): Promise<SQL> {
  try {
    return await matchingIn(searched, text);
  } catch (fault) {
    if (fault instanceof Refusal) return sql`false`;
    throw fault;
  }
}

function inWords(fault: unknown, field: string): unknown {
  if (fault instanceof TakesTooLong) {
    return invalid(field, "This expression takes too long; narrow it down");
  }
  if (!(fault instanceof SyntaxFault)) return fault;
  const { message, kind, offset, end, column, expected } = fault;
  const faults = [{ field, message }];
  return new Refusal(422, `${field}: ${message}`, {
    faults,
    syntax: { kind, offset, end, column, expected },
  });
}
