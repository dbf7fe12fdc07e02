// The one box for resources without rules of their own: records by name.
import { sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { standardResources } from "../resources.ts";
import { containsParts } from "./parts.ts";

export function standardParts(caller: Caller, text: string) {
  return standardResources.flatMap(({ noun, name, key, visible }) => {
    const called = sql`${sql.identifier(name)}.${sql.identifier(key)}`;
    return containsParts(
      {
        kind: noun,
        label: called,
        name: called,
        detail: sql`null::text`,
        from: sql`${sql.identifier(name)}`,
        where: visible?.(caller) ?? sql`true`,
      },
      text,
    );
  });
}
