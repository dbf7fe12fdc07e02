// What somebody probably meant by a query that names a field that there is not, or that cannot be read.
import { distance } from "../language/edit_distance.ts";
import { matches, pathGlob } from "../language/glob.ts";
import { type Token, tokenize } from "../language/lexer.ts";
import type { Searched } from "../language/search_document.ts";
import type { SyntaxFault } from "../language/syntax_error.ts";
import type { Place } from "../language/tree.ts";

type Known = Pick<Searched, "aliases" | "otherNames" | "sources" | "variables">;

export interface Hint {
  message: string;
  /** The query with its fields put right. */
  query: string;
}

interface Correction extends Place {
  message: string;
  text: string;
}

/** Undefined where every field that it names is there. */
export function fieldHint(query: string, known: Known): Hint | undefined {
  const tokens = tokenize(query);
  const corrections = tokens.flatMap((token, at) => {
    const found =
      tokens[at + 1]?.type === ":"
        ? ofField(token, known)
        : ofTerm(token, tokens[at - 1], tokens[at - 2], known, query);
    return found ? [found] : [];
  });
  if (corrections.length === 0) return undefined;
  let text = "";
  let end = 0;
  for (const one of corrections) {
    text += query.slice(end, one.offset) + one.text;
    end = one.end;
  }
  const message = corrections.map((one) => one.message).join("; ");
  return { message, query: text + query.slice(end) };
}

function ofField(token: Token, known: Known): Correction | undefined {
  const { type, text, offset, end } = token;
  if (type !== "TERM" || isKnown(text, known)) return undefined;
  const meant = nearest(text, known);
  if (meant === undefined) return undefined;
  return { offset, end, text: meant, message: `There is no field ${text}, but there is ${meant}` };
}

const ASSIGNED = /^([a-z_][\w.]*)=(?=.)/i;
const EXISTS = "_exists_";

/** `type=VME`, and what stands behind `_exists_:`. */
function ofTerm(
  token: Token,
  ...[colon, before, known, query]: [Token | undefined, Token | undefined, Known, string]
): Correction | undefined {
  if (token.type !== "TERM") return undefined;
  if (colon?.type === ":") return before?.text === EXISTS ? ofField(token, known) : undefined;
  const [said = "", name = ""] = ASSIGNED.exec(token.text) ?? [];
  const meant = isKnown(name, known) ? name : nearest(name, known);
  if (name === "" || meant === undefined) return undefined;
  const { offset } = token;
  const end = offset + said.length;
  if (query.slice(offset, end) !== said) return undefined;
  return {
    offset,
    end,
    text: `${meant}:`,
    message: "A field and its value have a colon between them",
  };
}

/** What finds nothing because no record has such a field. */
export function isKnown(name: string, { aliases = {}, sources, variables }: Known): boolean {
  if (name === EXISTS || name.includes("*") || Object.hasOwn(aliases, name)) return true;
  if (variables && (name === variables.path || name.startsWith(`${variables.path}.`))) return true;
  return sources.some(({ path }) => path === name || matches(pathGlob(`${name}.*`), path));
}

const SHORTEST = 4;

/** In another case, without what it is inside of, by its beginning, or with a letter amiss. */
function nearest(name: string, known: Known): string | undefined {
  const wanted = name.toLowerCase();
  const { aliases = {}, otherNames = {}, sources } = known;
  if (Object.hasOwn(otherNames, wanted)) return otherNames[wanted];
  const names = [...new Set([...Object.keys(aliases), ...sources.map(({ path }) => path)])];
  const last = (path: string) => path.slice(path.lastIndexOf(".") + 1);
  const tests: Array<(one: string) => boolean> = [
    (one) => one === wanted,
    (one) => last(one) === wanted,
    ...(wanted.length < SHORTEST
      ? []
      : [
          (one: string) => last(one).startsWith(wanted),
          (one: string) => distance(one, wanted, 1) <= 1,
          (one: string) => distance(last(one), wanted, 1) <= 1,
        ]),
  ];
  for (const test of tests) {
    const found = names.find(test);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How a text that cannot be read may be written instead. */
export function syntaxHint(query: string, fault: SyntaxFault, known: Known): string | undefined {
  return fieldHint(query, known)?.message ?? ofSyntax(query, fault);
}

function ofSyntax(query: string, { kind, offset, end, expected }: SyntaxFault): string | undefined {
  const found = query.slice(offset, end);
  if (kind === "unterminated") {
    if (found.startsWith("/"))
      return "A / begins a regular expression; put a text that has one in it into quotation marks";
    return found.startsWith('"')
      ? 'Close the quotation marks, or write \\" for the sign itself'
      : undefined;
  }
  if (kind !== "unexpected") return undefined;
  if (expected.includes("TO"))
    return "Write the ends of a range as [from TO until], with TO in capital letters";
  if (found === ":") return "Put a text that has a colon in it into quotation marks";
  if (found === "" && expected.includes(")")) return "Close the bracket";
  if (
    /^(AND|OR|NOT|&&|\|\|)$/.test(found) ||
    /(AND|OR|NOT|&&|\|\|)\s*$/.test(query.slice(0, offset))
  ) {
    return "AND, OR and NOT stand between or before terms; put them into quotation marks to look for the words";
  }
  return found === ""
    ? undefined
    : `Put ${found} into quotation marks, or a backslash before it, to look for it`;
}
