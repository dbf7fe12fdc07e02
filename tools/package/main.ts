// npm run package: makes the Debian package, the tar.gz and the container image of every platform, in dist/packages.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { makeArchive } from "./archive.ts";
import { buildBinary } from "./binary.ts";
import { check } from "./check.ts";
import { Failed, ROOT } from "./commands.ts";
import { type DebInput, makeDeb } from "./deb.ts";
import { documents } from "./documents.ts";
import { makeImage } from "./image.ts";
import { bunOf, isNative, PLATFORMS, type Platform, postgresOf } from "./platforms.ts";
import { release } from "./release.ts";

const USAGE = `Usage: npm run package -- [deb] [archive] [image] [--arch amd64|arm64] [--check]

Makes the packages of all kinds for all architectures, or those that are named, in dist/packages. The image is made for
the architecture of this machine unless --arch names another. --check installs the Debian package in a clean Debian, uses,
upgrades, removes and purges it; that needs root and takes some minutes.`;

const DIRECTORY = join(ROOT, "dist", "packages");
const CACHE = join(ROOT, "dist", "cache");
const SUMS = "SHA256SUMS";
const KINDS = ["deb", "archive", "image"];

try {
  await main();
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return console.log(USAGE);
  const wanted = positionals.length > 0 ? positionals : KINDS;
  const platforms = PLATFORMS.filter(({ debian }) => !values.arch || values.arch === debian);
  mkdirSync(DIRECTORY, { recursive: true });
  for (const platform of platforms) {
    const input = await timed(`binary for ${platform.debian}`, () => prepare(platform));
    for (const kind of wanted) {
      if (kind === "image" && !values.arch && !isNative(platform)) continue;
      await timed(`${kind} for ${platform.debian}`, () => make(kind, input));
    }
    if (values.check && isNative(platform)) {
      const deb = makeDeb(input, DIRECTORY);
      await timed("check", () => check(input, deb, CACHE));
    }
  }
  writeChecksums();
}

function readArguments() {
  const parsed = parseArguments();
  const wrong = parsed.positionals.find((kind) => !KINDS.includes(kind));
  if (wrong) throw new Failed(`There is no package '${wrong}'\n\n${USAGE}`);
  const { arch } = parsed.values;
  if (arch && !PLATFORMS.some(({ debian }) => debian === arch)) {
    throw new Failed(`There is no architecture '${arch}'\n\n${USAGE}`);
  }
  return parsed;
}

function parseArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        arch: { type: "string" },
        check: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new Failed(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

async function prepare(platform: Platform): Promise<DebInput> {
  const version = release();
  const binary = join(CACHE, `cadastre-${platform.debian}`);
  const executablePath = bunOf(platform, CACHE);
  await buildBinary({
    outfile: binary,
    postgres: postgresOf(platform, CACHE),
    ...(executablePath && { foreign: { target: `bun-linux-${platform.node}`, executablePath } }),
  });
  return { binary, version, platform, texts: await documents(platform, version) };
}

function make(kind: string, input: DebInput): string {
  if (kind === "deb") return makeDeb(input, DIRECTORY);
  return kind === "archive" ? makeArchive(input, DIRECTORY) : makeImage(input, DIRECTORY, CACHE);
}

/** Does the work, and prints the size of the file that it has made and how long it took. */
async function timed<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  const begun = performance.now();
  const made = await work();
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const isFile = typeof made === "string";
  const size = isFile ? `${(statSync(made).size / 1e6).toFixed(1)} MB, ` : "";
  console.log(`${isFile ? basename(made) : what}: ${size}${seconds} s`);
  return made;
}

function writeChecksums(): void {
  const { version, debian } = release();
  const files = readdirSync(DIRECTORY).filter(
    (name) => name !== SUMS && (name.includes(version) || name.includes(debian)),
  );
  const lines = files.toSorted().map((name) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(DIRECTORY, name)))
      .digest("hex");
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(DIRECTORY, SUMS), lines.join(""));
}
