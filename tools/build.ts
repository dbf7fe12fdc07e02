// Builds dist/cadastre for this machine: one binary that contains PostgreSQL.
import { join } from "node:path";
import { packaged } from "../db/embedded/programs.ts";
import { buildBinary } from "./package/binary.ts";
import { ROOT } from "./package/commands.ts";

const postgres = packaged();
if (!postgres) {
  console.error("There is no PostgreSQL package for this platform");
  process.exit(1);
}
await buildBinary({ outfile: join(ROOT, "dist", "cadastre"), postgres });
console.log("Built dist/cadastre");
