// What people paste into a search box and would not think of quoting, though it holds a `:` or a `/`:
// blocks of addresses, MAC addresses and their beginnings, IPv6 addresses, times.
import { isIP } from "node:net";
import { isSpace } from "./characters.ts";

export interface Literal {
  type: "TERM" | "PREFIX";
  end: number;
}

const COMPARISON = /[<>]=?/y;
const ADDRESS = /[0-9a-fA-F:.]{2,45}(\/[0-9]{1,3})?/y;
const MAC = /[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}/y;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?/y;
/** Two pairs or three groups at least, since `a:b*` is a field and a prefix. */
const BEGINNING = /([0-9a-fA-F]{2}:[0-9a-fA-F]{1,2}|[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{0,4}){2,7})\*/y;

/** The literal that begins here, if one does and nothing else goes on from it. */
export function literalAt(text: string, at: number): Literal | undefined {
  const start = at + (matched(COMPARISON, text, at)?.length ?? 0);
  if (text[start] === ":" && isBehindWord(text, start)) return undefined;
  const beginning = matched(BEGINNING, text, start);
  if (beginning) return ending("PREFIX", text, start + beginning.length);
  const found = matched(MAC, text, start) ?? matched(TIME, text, start) ?? address(text, start);
  return found === undefined ? undefined : ending("TERM", text, start + found.length);
}

/** Where a colon ends the name of a field, `name::a` being a slip and no address. */
function isBehindWord(text: string, at: number): boolean {
  const before = text[at - 1];
  return before !== undefined && !":(".includes(before) && !isSpace(before);
}

function address(text: string, at: number): string | undefined {
  const found = matched(ADDRESS, text, at);
  if (!found || !/[:/]/.test(found)) return undefined;
  return isIP(found) === 6 || isBlock(found) ? found : undefined;
}

function isBlock(text: string): boolean {
  const [start = "", length = ""] = text.split("/");
  return length !== "" && isIP(start) > 0 && Number(length) <= (isIP(start) === 4 ? 32 : 128);
}

function ending(type: Literal["type"], text: string, end: number): Literal | undefined {
  const next = text[end];
  const isEnd = next === undefined || isSpace(next) || "()^~".includes(next);
  return isEnd ? { type, end } : undefined;
}

function matched(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
