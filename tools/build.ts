// Builds dist/cadastre: one binary with our code, Bun, and an archive of PostgreSQL, which the binary unpacks into its
// data directory (db/embedded/programs.ts).
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { packaged } from "../db/embedded/programs.ts";

const root = dirname(import.meta.dir);
const dist = join(root, "dist");
/** What nothing links to at run time. */
const NEEDLESS = ["*.a", "libecpg*", "pkgconfig"];
/** The entry points of worker threads, which no file imports. */
const WORKERS = [
  ["network", "variables", "text_worker.ts"],
  ["search", "suggest", "vocabulary_worker.ts"],
  ["spreadsheet", "table_worker.ts"],
];

mkdirSync(dist, { recursive: true });
const archive = packPostgres();
try {
  await build(archive);
  console.log("Built dist/cadastre");
} finally {
  rmSync(archive);
}

async function build(asset: string): Promise<void> {
  await Bun.build({
    entrypoints: [
      join(root, "src", "main.ts"),
      ...WORKERS.map((path) => join(root, "src", ...path)),
    ],
    // In one directory, because `new URL("./table_worker.ts", import.meta.url)` looks for them there.
    naming: { entry: "[name].[ext]" },
    target: "bun",
    // With bytecode the default would be CommonJS, where import.meta.dir is a path of this machine.
    format: "esm",
    bytecode: true,
    minify: true,
    compile: {
      outfile: join(dist, "cadastre"),
      assets: [asset],
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
}

/** The name contains the version, like the directory to which the archive is unpacked. */
function packPostgres(): string {
  const native = packaged();
  if (!native) return refuse("There is no PostgreSQL package for this platform");
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8"));
  const path = join(dist, `postgresql-${version}.tar.gz`);
  const excluded = NEEDLESS.map((pattern) => `--exclude=${pattern}`);
  const { exitCode, stderr } = Bun.spawnSync([
    ...["tar", "-czf", path, ...excluded, "-C", native],
    ...["bin", "lib", "share"],
  ]);
  return exitCode === 0 ? path : refuse(`PostgreSQL could not be packed: ${stderr}`);
}

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}
