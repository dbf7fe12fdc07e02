// Reads the migrations while the code is compiled (a Bun macro), so that the single binary carries them.
import { readdirSync, readFileSync } from "node:fs";

export interface Migration {
  name: string;
  sql: string;
}

export function readMigrations(): Migration[] {
  return readdirSync(import.meta.dir)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => ({
      name: file.slice(0, -".sql".length),
      sql: readFileSync(`${import.meta.dir}/${file}`, "utf8"),
    }));
}
