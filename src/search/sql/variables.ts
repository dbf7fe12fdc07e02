// Variables have paths of their own, which no list of sources can name.
import { type SQL, sql } from "drizzle-orm";
import { literal } from "../../input/text.ts";
import type { Source, Variables } from "../language/search_document.ts";
import type { Leaf, Terms } from "../language/tree.ts";
import type { Context } from "./compile.ts";
import { startingWith } from "./keyword.ts";
import { conditionsOn } from "./value.ts";

type Asking = Exclude<Leaf, { kind: "any" }>;

export function variableSets(leaf: Asking | Terms, { searched, now }: Context): SQL[] {
  const { variables } = searched;
  if (!variables) return [];
  const { id, from } = variables;
  const places = placesOf(leaf, variables);
  if (leaf.kind === "exists")
    return places.map((place) => sql`select ${id} from ${from} and ${place}`);
  const kinds: Source[] = [
    { ...about(variables), kind: "keyword", value: variables.text, lower: variables.text },
    { ...about(variables), kind: "number", value: variables.number },
    { ...about(variables), kind: "boolean", value: variables.truth },
  ];
  const conditions = kinds.flatMap((source) => conditionsOn(source, leaf, now));
  return places.flatMap((place) =>
    conditions.map((condition) => sql`select ${id} from ${from} and ${place} and ${condition}`),
  );
}

function about({ path, id, from }: Variables) {
  return { path, id, from };
}

/** Which of them are meant, in conditions that an index finds each; none where none can be. */
function placesOf({ kind, field }: Asking | Terms, variables: Variables): SQL[] {
  if (!field) return [sql`true`];
  const paths =
    kind === "exists" ? field.paths.flatMap((path) => [path, `${path}.*`]) : field.paths;
  return paths.flatMap((path) => placeOf(path, variables));
}

function placeOf(path: string, { path: root, name }: Variables): SQL[] {
  if (path.includes("\0")) return [];
  const start = `${root}.`;
  const inside = path.slice(start.length);
  const [beginning = "", ...others] = inside.split("*");
  if (!path.startsWith(start)) {
    if (!path.includes("*")) return [];
    const pattern = path.split("*").map(literal).join("%");
    return [sql`${start}::text || ${name} like ${pattern}`];
  }
  if (others.length === 0) return [sql`${name} = ${inside}`];
  const within = startingWith(name, beginning);
  if (others.join("") === "") return [within];
  const pattern = inside.split("*").map(literal).join("%");
  return [sql`(${within} and ${name} like ${pattern})`];
}
