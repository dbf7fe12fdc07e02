import { VALUES, type Values } from "../../src/inventory/item_versions.ts";
import type { Values as Texts } from "../forms.tsx";
import * as parts from "../parts/conflict.tsx";

export interface Conflicting extends parts.Conflicting {
  base: Values | undefined;
  theirs: Values;
}

export function Conflict(props: Conflicting) {
  return <parts.Conflict noun="item" names={VALUES} {...props} />;
}

export function merged(versions: parts.Versions): Texts {
  return parts.merged(VALUES, versions);
}
