// By what hosts are found: the `q` of their list and of the search, and the query by which a group chooses its hosts.
import type { SQL } from "drizzle-orm";
import { invalid } from "../errors.ts";
import { HOST_ALIASES } from "../search/aliases.ts";
import { compile } from "../search/compile.ts";
import { parse } from "../search/parser.ts";
import { SyntaxFault } from "../search/syntax_fault.ts";
import { hostDocument } from "./host_document.ts";

/** True of each row of `hosts` that this query finds; `field` is to blame where it cannot be read. */
export function matching(text: string, field = "q"): SQL {
  try {
    return compile(parse(text, HOST_ALIASES), hostDocument, Date.now());
  } catch (fault) {
    throw fault instanceof SyntaxFault ? invalid(field, fault.message) : fault;
  }
}
