// `group:` also finds the members of groups that choose their hosts by a query: such a term becomes itself or the
// queries of the groups that it names.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { HOST_ALIASES } from "../../search/language/aliases.ts";
import { nameMatcher } from "../../search/language/name_matcher.ts";
import { parse } from "../../search/language/parser.ts";
import { SyntaxFault } from "../../search/language/syntax_error.ts";
import type { Clause, Field, Group, Leaf } from "../../search/language/tree.ts";
import { TakesTooLong } from "../../search/limits/takes_too_long.ts";

/** The name of the field that means more than a host's own list of groups. */
const GROUP = "group";
/** How many queries of groups one search may come to. */
const MOST = 1_000;

interface QueryGroup {
  name: string;
  query: string;
}

interface Unfolding {
  groups: QueryGroup[];
  left: number;
}

/** The same query, with the queries of groups in the place of their names. */
export async function withQueryGroups(query: Group): Promise<Group> {
  if (!asks(query)) return query;
  const groups = await database.rows<QueryGroup>(sql`
    select name, query from groups where type = 'query' order by id`);
  return groups.length > 0 ? unfold(query, { groups, left: MOST }, new Set()) : query;
}

function asks(clause: Clause): boolean {
  if (clause.kind !== "group") return isAsked(clause.field);
  return [...clause.must, ...clause.should, ...clause.must_not].some(asks);
}

function isAsked(field: Field | undefined): boolean {
  return field?.name === GROUP;
}

/** `within` are the groups whose queries lead here: one that names itself adds nothing to itself. */
function unfold(query: Group, all: Unfolding, within: ReadonlySet<QueryGroup>): Group {
  const each = (clauses: Clause[]) => clauses.map((one) => unfoldClause(one, all, within));
  const { must, should, must_not } = query;
  return { ...query, must: each(must), should: each(should), must_not: each(must_not) };
}

function unfoldClause(clause: Clause, all: Unfolding, within: ReadonlySet<QueryGroup>): Clause {
  if (clause.kind === "group") return unfold(clause, all, within);
  if (!isAsked(clause.field)) return clause;
  const queries = queriesNamed(clause, all, within);
  if (queries.length === 0) return clause;
  const { offset, end, boost } = clause;
  const group: Group = { kind: "group", must: [], must_not: [], offset, end, should: [] };
  return { ...group, ...(boost !== undefined && { boost }), should: [clause, ...queries] };
}

function queriesNamed(leaf: Leaf, all: Unfolding, within: ReadonlySet<QueryGroup>): Group[] {
  const isNamed = nameMatcher(leaf);
  const named = all.groups.filter((one) => !within.has(one) && isNamed(one.name));
  all.left -= named.length;
  if (all.left < 0) throw new TakesTooLong();
  return named.flatMap((one) => {
    const query = readKept(one.query);
    return query ? [unfold(query, all, new Set([...within, one]))] : [];
  });
}

/** A query that cannot be read any more finds nothing. */
function readKept(text: string): Group | undefined {
  try {
    return parse(text, HOST_ALIASES);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return undefined;
    throw fault;
  }
}
