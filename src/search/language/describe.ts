// A query in words, one chip for each clause.
import { readRegex } from "./regex.ts";
import type { Bound, Clause, ClauseGroup, Leaf } from "./tree.ts";

export interface Chip {
  /** The clause as it was written. */
  text: string;
  meaning: string;
  role: "required" | "one of" | "preferred" | "excluded";
}

/** In the order of the text. */
export function describe(query: string, group: ClauseGroup): Chip[] {
  const chip = (role: Chip["role"]) => (clause: Clause) => ({
    offset: clause.offset,
    text: query.slice(clause.offset, clause.end),
    meaning: meaningOf(clause),
    role,
  });
  const chips = [
    ...group.must.map(chip("required")),
    ...group.should.map(chip(group.must.length > 0 ? "preferred" : "one of")),
    ...group.must_not.map(chip("excluded")),
  ];
  return chips
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset: _, ...rest }) => rest);
}

function meaningOf(clause: Clause): string {
  if (clause.kind !== "group") return `${subjectOf(clause)}${predicateOf(clause)}`;
  const { must, should, must_not } = clause;
  const optional =
    must.length > 0 ? [] : [should.map(part).join(" or ")].filter((one) => one !== "");
  const excluded = must_not.map((one) => `not ${part(one)}`);
  return [...must.map(part), ...optional, ...excluded].join(" and ");
}

function part(clause: Clause): string {
  const meaning = meaningOf(clause);
  return clause.kind === "group" ? `(${meaning})` : meaning;
}

function subjectOf({ kind, field }: Leaf): string {
  if (kind === "any") return "";
  return field ? `${field.name} ` : "any field ";
}

function predicateOf(leaf: Leaf): string {
  switch (leaf.kind) {
    case "any":
      return "everything";
    case "term":
      return leaf.run ? `is "${leaf.text}" as one text` : `is "${leaf.text}"`;
    case "phrase":
      return `is "${leaf.text}"`;
    case "prefix":
      return `begins with "${leaf.text}"`;
    case "wildcard":
      return `is like "${leaf.glob.map((part) => (typeof part === "string" ? part : part.wild)).join("")}"`;
    case "regex":
      return readRegex(leaf.source)
        ? `matches /${leaf.source}/`
        : `matches /${leaf.source}/, which cannot be read`;
    case "fuzzy":
      return `is "${leaf.text}" with at most ${leaf.distance} differences`;
    case "range":
      return rangeOf(leaf.from, leaf.to);
    case "exists":
      return "has a value";
  }
}

function rangeOf(from: Bound | undefined, to: Bound | undefined): string {
  const ends = [
    from && `${from.isInclusive ? "at least" : "more than"} "${from.text}"`,
    to && `${to.isInclusive ? "at most" : "less than"} "${to.text}"`,
  ].filter((end) => end !== undefined);
  return ends.length > 0 ? `is ${ends.join(" and ")}` : "has a value";
}
