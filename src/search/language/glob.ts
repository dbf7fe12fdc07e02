// Wildcards: `*` is any text, `?` one character. They never become JavaScript regular expressions,
// because some patterns would take those forever.

type Wild = "*" | "?";
/** Literal texts with wildcards between them. */
export type Glob = readonly GlobPart[];
export type GlobPart = string | { readonly wild: Wild };

/** A backslash makes the next character literal. */
export function globOf(source: string): Glob {
  const parts: GlobPart[] = [];
  let isLiteral = false;
  for (const character of source) {
    if (character === "\\" && !isLiteral) {
      isLiteral = true;
      continue;
    }
    const last = parts.at(-1);
    if (!isLiteral && isWild(character)) parts.push({ wild: character });
    else if (typeof last === "string") parts[parts.length - 1] = last + character;
    else parts.push(character);
    isLiteral = false;
  }
  return parts;
}

/** A field or a pattern of fields; only `*` is special in it. */
export function pathGlob(path: string): Glob {
  const parts = path.split("*");
  return parts
    .flatMap<GlobPart>((part, index) => (index > 0 ? [{ wild: "*" }, part] : [part]))
    .filter((part) => part !== "");
}

/**
 * Matches the whole text by code points. Backtracks to the last star only, so the work is at most
 * the product of both lengths.
 */
export function matches(glob: Glob, text: string): boolean {
  const pattern = glob.flatMap<GlobPart>((part) => (typeof part === "string" ? [...part] : part));
  const characters = [...text];
  let [at, next] = [0, 0];
  let [star, from] = [-1, 0];
  while (at < characters.length) {
    const wanted = pattern[next];
    if (isStar(wanted)) {
      [star, from] = [next, at];
      next += 1;
    } else if (wanted !== undefined && (typeof wanted !== "string" || wanted === characters[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      from += 1;
      [at, next] = [from, star + 1];
    } else {
      return false;
    }
  }
  return pattern.slice(next).every(isStar);
}

function isWild(character: string): character is Wild {
  return character === "*" || character === "?";
}

function isStar(part: GlobPart | undefined): boolean {
  return typeof part === "object" && part.wild === "*";
}
