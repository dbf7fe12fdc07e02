import { readMigrations } from "./read.ts" with { type: "macro" };
import type { Migration } from "./read.ts";

/** Every .sql file of this folder, in the order of their names. A migration only goes forward. */
export const migrations: readonly Migration[] = readMigrations();
