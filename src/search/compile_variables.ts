// Variables have paths of their own, which no list of sources can name.
import { type SQL, sql } from "drizzle-orm";
import { literal } from "../text.ts";
import type { Context } from "./compile.ts";
import { conditionsOn } from "./compile_value.ts";
import type { Source, Variables } from "./document.ts";
import type { Exists, Field, Leaf, Terms } from "./tree.ts";

type Asking = Exclude<Leaf, { kind: "any" }>;

export function variableSets(leaf: Asking | Terms, { searched, now }: Context): SQL[] {
  const { variables } = searched;
  if (!variables) return [];
  const meant = pathsOf(leaf, variables);
  if (!meant) return [];
  const { id, from } = variables;
  if (leaf.kind === "exists") return [sql`select ${id} from ${from} and ${meant}`];
  const kinds: Source[] = [
    { ...about(variables), kind: "keyword", value: variables.text, lower: variables.text },
    { ...about(variables), kind: "number", value: variables.number },
    { ...about(variables), kind: "boolean", value: variables.truth },
  ];
  return kinds.flatMap((source) =>
    conditionsOn(source, leaf, now).map(
      (condition) => sql`select ${id} from ${from} and ${meant} and ${condition}`,
    ),
  );
}

function about({ path, id, from }: Variables) {
  return { path, id, from };
}

/** Which of them are meant; undefined where none can be. */
function pathsOf(leaf: Asking | Terms, variables: Variables): SQL | undefined {
  if (leaf.kind === "exists") return oneOf(leaf.field, leaf, variables);
  return leaf.field ? oneOf(leaf.field, undefined, variables) : sql`true`;
}

function oneOf(field: Field, exists: Exists | undefined, variables: Variables): SQL | undefined {
  const paths = exists ? field.paths.flatMap((path) => [path, `${path}.*`]) : field.paths;
  const conditions = paths.flatMap((path) => {
    const condition = isPath(path, variables);
    return condition ? [condition] : [];
  });
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` or `)})` : undefined;
}

function isPath(path: string, { path: root, name }: Variables): SQL | undefined {
  if (path.includes("\0")) return undefined;
  const start = `${root}.`;
  if (!path.includes("*"))
    return path.startsWith(start) ? sql`${name} = ${path.slice(start.length)}` : undefined;
  const pattern = path.split("*").map(literal).join("%");
  return sql`${start}::text || ${name} like ${pattern}`;
}
