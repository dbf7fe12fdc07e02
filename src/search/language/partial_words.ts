// What people type into the box above a list: a word, or the beginning of one, and seldom a query.
import { parse } from "./parser.ts";
import { SyntaxFault } from "./syntax_error.ts";
import type { Group } from "./tree.ts";

/**
 * Plain words become a query for that text anywhere in a field, so that a list narrows down as one types; so does
 * what cannot be read as a query, or not yet. What says more than words do is left as it is.
 */
export function partly(text: string): string {
  const words = text.trim();
  return words !== "" && isPlain(words) ? `*${escaped(words)}*` : text;
}

/** Why a text that was looked for as it stands is no query. */
export function faultIn(text: string): string | undefined {
  const found = read(text.trim());
  return found instanceof SyntaxFault ? found.message : undefined;
}

/** The beginning of a MAC or IPv6 address, which would be the name of a field and a value. */
const ADDRESS_PART = /^[0-9a-f]{0,4}(:[0-9a-f]{0,4})+$/i;

export function isAddressPart(text: string): boolean {
  return ADDRESS_PART.test(text);
}

/** What gives words another meaning. Brackets alone do not: they stand in names, too. */
const MEANS_MORE = /["\\:/^]|(^|\s)(OR|\|\|)(\s|$)/;

/** Addresses and times in full mean themselves. */
function isPlain(text: string): boolean {
  const found = read(text);
  if (found instanceof SyntaxFault) return true;
  const { must, should, must_not } = found;
  if (must.length + must_not.length > 0) return false;
  const terms = should.filter((one) => one.kind === "term");
  if (terms.length === 0 || terms.length < should.length) return false;
  return terms.some(({ field }) => field) ? isAddressPart(text) : !MEANS_MORE.test(text);
}

function read(text: string): Group | SyntaxFault {
  try {
    return parse(text);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return fault;
    throw fault;
  }
}

/** Nothing in it means anything but itself. */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}_.]/gu, "\\$&");
}
