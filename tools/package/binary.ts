// Builds the binary: our code, Bun, and an archive of PostgreSQL, which the binary unpacks into its data directory
// (db/embedded/programs.ts).
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failed, ROOT, runCommand } from "./commands.ts";

interface Binary {
  outfile: string;
  /** The directory with `bin`, `lib` and `share` of PostgreSQL. */
  postgres: string;
  /** For another platform than this machine. */
  foreign?: { target: Bun.Build.CompileTarget; executablePath: string };
}

/** What nothing links to at run time. */
const NEEDLESS = ["*.a", "libecpg*", "pkgconfig"];
/** The entry points of worker threads, which no file imports. */
const WORKERS = [
  ["network", "variables", "text_worker.ts"],
  ["search", "suggest", "vocabulary_worker.ts"],
  ["spreadsheet", "table_worker.ts"],
];
export const ENTRY_POINTS = [
  join(ROOT, "src", "main.ts"),
  ...WORKERS.map((path) => join(ROOT, "src", ...path)),
];

export async function buildBinary({ outfile, postgres, foreign }: Binary): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true });
  const archive = packPostgres(postgres, dirname(outfile));
  try {
    await Bun.build({
      entrypoints: ENTRY_POINTS,
      // In one directory, because `new URL("./table_worker.ts", import.meta.url)` looks for them there.
      naming: { entry: "[name].[ext]" },
      target: "bun",
      // With bytecode the default would be CommonJS, where import.meta.dir is a path of this machine.
      format: "esm",
      bytecode: true,
      minify: true,
      compile: {
        outfile,
        assets: [archive],
        autoloadDotenv: false,
        autoloadBunfig: false,
        ...foreign,
      },
    });
  } finally {
    rmSync(archive);
  }
}

let bundled: Promise<string[]> | undefined;

/** The npm packages whose files are in the binary. */
export function bundledPackages(): Promise<string[]> {
  bundled ??= findBundled();
  return bundled;
}

async function findBundled(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: ENTRY_POINTS,
    naming: { entry: "[name].[ext]" },
    target: "bun",
    metafile: true,
  });
  if (!metafile) throw new Failed("Bun did not say what the binary contains");
  const names = Object.keys(metafile.inputs).map(
    (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  return [...new Set(names)].filter((name) => name !== undefined).toSorted();
}

/** The name contains the version, like the directory to which the archive is unpacked. */
function packPostgres(native: string, directory: string): string {
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8"));
  const path = join(directory, `postgresql-${version}.tar.gz`);
  const excluded = NEEDLESS.map((pattern) => `--exclude=${pattern}`);
  // The same bytes from the same files, whoever builds when.
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  const reproducible = process.platform === "linux" ? same : [];
  const tar = ["tar", ...reproducible, "-czf", path, ...excluded, "-C", native];
  runCommand([...tar, "bin", "lib", "share"], { env: { GZIP: "-n" } });
  return path;
}
