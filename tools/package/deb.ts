// The Debian package: a tree of files with the maintainer scripts, packed by dpkg-deb.
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { requirePrograms, runCommand } from "./commands.ts";
import { type Documents, template } from "./documents.ts";
import type { Platform } from "./platforms.ts";
import { date, type Release, reproducibly } from "./release.ts";

export interface DebInput {
  binary: string;
  texts: Documents;
  platform: Platform;
  version: Release;
}

const SCRIPTS = ["postinst", "prerm", "postrm"];
const CONFIGURATION = "etc/cadastre/cadastre.env";
/** The binary holds compressed data; more effort would make the package 6 % smaller in eight times the time. */
const COMPRESSED = ["-Zxz", "-z0"];
const SECRET = 0o640;
const PROGRAM = 0o755;

/** Makes DIRECTORY/cadastre_VERSION_ARCHITECTURE.deb, and returns its path. */
export function makeDeb(input: DebInput, directory: string, compression = COMPRESSED): string {
  requirePrograms({ "dpkg-deb": "dpkg" });
  const { platform, version } = input;
  const path = join(directory, `cadastre_${version.debian}_${platform.debian}.deb`);
  const tree = join(directory, `deb-${platform.debian}`);
  rmSync(tree, { recursive: true, force: true });
  try {
    stageDeb(input, tree);
    const build = ["dpkg-deb", "--root-owner-group", ...compression, "--build", tree, path];
    runCommand(build, { env: reproducibly(version) });
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  return path;
}

/** Writes the files of the package and its DEBIAN directory. */
export function stageDeb(input: DebInput, tree: string): void {
  const { binary, texts } = input;
  const add = (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
    chmodSync(join(tree, path), mode);
  };
  const documents = "usr/share/doc/cadastre";
  add("usr/bin/cadastre", template("cadastre.sh"), PROGRAM);
  add(CONFIGURATION, texts["cadastre.env"], SECRET);
  add("usr/lib/systemd/system/cadastre.service", texts["cadastre.service"]);
  add("usr/share/bash-completion/completions/cadastre", texts["cadastre.bash"]);
  add("usr/share/man/man1/cadastre.1.gz", compressed(texts["cadastre.1"]));
  add(`${documents}/copyright`, copyright(texts));
  add(`${documents}/licenses.txt.gz`, compressed(texts["licenses.txt"]));
  add(`${documents}/sbom.cdx.json`, texts["sbom.cdx.json"]);
  add(`${documents}/changelog.gz`, compressed(texts["CHANGELOG.md"]));
  add(`${documents}/changelog.Debian.gz`, compressed(changelog(input.version)));
  add("usr/share/lintian/overrides/cadastre", template("lintian-overrides"));
  addProgram(binary, join(tree, "usr/lib/cadastre/cadastre"));

  // Before DEBIAN is there, which is no part of the files.
  const [sums, size] = [checksums(tree), installedSize(tree)];
  add("DEBIAN/control", control(input, size));
  add("DEBIAN/conffiles", `/${CONFIGURATION}\n`);
  add("DEBIAN/md5sums", sums);
  add("DEBIAN/templates", template("templates"));
  for (const script of SCRIPTS) add(`DEBIAN/${script}`, template(script), PROGRAM);
}

export function maintainer(): string {
  const { DEBFULLNAME = "The Cadastre authors", DEBEMAIL = "cadastre@packages.invalid" } =
    process.env;
  return `${DEBFULLNAME} <${DEBEMAIL}>`;
}

function control({ version, platform }: DebInput, size: number): string {
  return template("control", {
    version: version.debian,
    architecture: platform.debian,
    maintainer: maintainer(),
    size: String(size),
  });
}

function copyright(texts: Documents): string {
  const [, holder = ""] = /^Copyright (?:\(c\) )?(.+)$/m.exec(texts.LICENSE) ?? [];
  const terms = texts.LICENSE.slice(texts.LICENSE.indexOf("Permission is hereby")).trim();
  const text = terms.split("\n").map((line) => ` ${line || "."}`);
  return `${template("copyright", { copyright: holder }).trimEnd()}\n${text.join("\n")}\n`;
}

/** Only the packaging: what has changed in Cadastre is in changelog.gz. */
function changelog(version: Release): string {
  const day = date(version).toUTCString().replace("GMT", "+0000");
  return `cadastre (${version.debian}) unstable; urgency=medium

  * Package Cadastre ${version.version}. Its changes are in changelog.gz.

 -- ${maintainer()}  ${day}
`;
}

function compressed(text: string): Uint8Array {
  return gzipSync(text, { level: 9 });
}

/** The binary is large: if possible, it is not copied. */
function addProgram(binary: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    linkSync(binary, path);
  } catch {
    copyFileSync(binary, path);
  }
  chmodSync(path, PROGRAM);
}

function checksums(tree: string): string {
  const lines = filesOf(tree)
    .filter((path) => relative(tree, path) !== CONFIGURATION)
    .map((path) => {
      const digest = createHash("md5").update(readFileSync(path)).digest("hex");
      return `${digest}  ${relative(tree, path)}\n`;
    });
  return lines.join("");
}

/** In KiB, as dpkg counts. */
function installedSize(tree: string): number {
  return filesOf(tree).reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1_024), 0);
}

function filesOf(tree: string): string[] {
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
