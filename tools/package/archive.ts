// The tar.gz with the binary, for machines without dpkg.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./commands.ts";
import type { Documents } from "./documents.ts";
import type { Platform } from "./platforms.ts";
import type { Release } from "./release.ts";

interface ArchiveInput {
  binary: string;
  texts: Documents;
  platform: Platform;
  version: Release;
}

/** Makes DIRECTORY/cadastre-VERSION-linux-ARCHITECTURE.tar.gz, and returns its path. */
export function makeArchive(input: ArchiveInput, directory: string): string {
  const { binary, texts, platform, version } = input;
  const name = `cadastre-${version.version}-linux-${platform.node}`;
  const tree = join(directory, name);
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  try {
    copyFileSync(binary, join(tree, "cadastre"));
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(tree, file), text);
    runCommand(["chmod", "-R", "u=rwX,go=rX", tree]);
    const path = `${tree}.tar.gz`;
    runCommand(["tar", ...sameFiles(version), "-czf", path, "-C", directory, name], {
      env: { GZIP: "-n" },
    });
    return path;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Options of tar for the same bytes from the same files. */
export function sameFiles({ time }: Release): string[] {
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  return ["--sort=name", `--mtime=@${time}`, "--format=gnu", ...owner];
}
