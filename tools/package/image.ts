// The container image: a small Debian made by mmdebstrap and a layer with the binary, put together by umoci, which needs
// neither a daemon nor privileges, and exported as an OCI archive.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { description, license } from "../../package.json";
import { sameFiles } from "./archive.ts";
import { requirePrograms, runCommand } from "./commands.ts";
import type { DebInput } from "./deb.ts";
import { emulator, isNative } from "./platforms.ts";
import { date, type Release, reproducibly } from "./release.ts";

export const SUITE = "trixie";
/** High, so that it is the number of nobody on the host. */
const USER = 10_001;
const DATA = "/var/lib/cadastre";
/** The libraries of the binary and of PostgreSQL, and an init, because PostgreSQL leaves processes to the first one. */
const PACKAGES = ["libgcc-s1", "libstdc++6", "tini"];
const LEFT_OUT = ["doc", "info", "locale", "man"];
/** In nanoseconds. */
const HEALTH_CHECK = {
  Test: ["CMD", "/usr/bin/cadastre", "health"],
  Interval: 30e9,
  Timeout: 10e9,
  StartPeriod: 60e9,
};
const QEMU = "qemu-user-static";

/** Makes DIRECTORY/cadastre-VERSION-oci-ARCHITECTURE.tar, and returns its path. */
export function makeImage(input: DebInput, directory: string, cache: string): string {
  const { platform, version } = input;
  requirePrograms({
    mmdebstrap: "mmdebstrap",
    umoci: "umoci",
    // The scripts of the packages run while it is made.
    ...(!isNative(platform) && { "arch-test": "arch-test", [emulator(platform)]: QEMU }),
  });
  const work = join(cache, `image-${platform.debian}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    const layers = [debian(input, work), program(input, work)];
    const layout = join(work, "layout");
    assemble({ layout, layers, version, architecture: platform.debian });
    const path = join(directory, `cadastre-${version.version}-oci-${platform.debian}.tar`);
    runCommand(["tar", ...sameFiles(version), "-cf", path, "-C", layout, "."]);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The lower layer: the essential packages of Debian, with their list for scanners, and the user. */
function debian({ platform, version }: DebInput, work: string): string {
  const path = join(work, "debian.tar");
  const account = `cadastre:x:${USER}:${USER}::${DATA}:/usr/sbin/nologin`;
  const hooks = [
    `echo '${account}' >>"$1/etc/passwd"`,
    `echo 'cadastre:x:${USER}:' >>"$1/etc/group"`,
    `install -d -m 0700 -o ${USER} -g ${USER} "$1${DATA}"`,
    // Caches of programs that ran while it was made.
    'rm -rf "$1"/var/cache/* "$1"/var/log/* "$1"/etc/*-',
  ];
  const command = [
    ...["mmdebstrap", "--quiet", "--variant=essential", `--architectures=${platform.debian}`],
    `--include=${PACKAGES.join(",")}`,
    ...LEFT_OUT.map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
    ...hooks.map((hook) => `--customize-hook=${hook}`),
  ];
  runCommand([...command, SUITE, path], { env: reproducibly(version) });
  return path;
}

/** The upper layer. */
function program({ binary, texts, version }: DebInput, work: string): string {
  const tree = join(work, "program");
  const documents = join(tree, "usr/share/doc/cadastre");
  for (const path of [documents, join(tree, "usr/bin")]) mkdirSync(path, { recursive: true });
  copyFileSync(binary, join(tree, "usr/bin/cadastre"));
  for (const name of ["LICENSE", "licenses.txt", "sbom.cdx.json"] as const) {
    writeFileSync(join(documents, name), texts[name]);
  }
  runCommand(["chmod", "-R", "u=rwX,go=rX", tree]);
  const path = join(work, "program.tar");
  runCommand(["tar", ...sameFiles(version), "-cf", path, "-C", tree, "usr"]);
  return path;
}

interface Assembly {
  layout: string;
  layers: string[];
  version: Release;
  architecture: string;
}

function assemble({ layout, layers, version, architecture }: Assembly): void {
  const image = `${layout}:${version.version}`;
  const created = date(version).toISOString();
  const history = [`--history.created=${created}`, "--history.author=", "--history.comment="];
  runCommand(["umoci", "init", "--layout", layout]);
  runCommand(["umoci", "new", "--image", image]);
  for (const layer of layers) {
    runCommand(["umoci", "raw", "add-layer", ...history, "--image", image, layer]);
  }
  const labels = {
    title: "Cadastre",
    description,
    version: version.version,
    licenses: license,
    created,
  };
  runCommand([
    ...["umoci", "config", "--image", image, "--no-history"],
    ...[`--created=${created}`, "--os=linux", `--architecture=${architecture}`],
    ...[`--config.user=${USER}:${USER}`, `--config.workingdir=${DATA}`],
    ...[`--config.env=DATA_DIR=${DATA}`, "--config.env=HOST=0.0.0.0"],
    "--config.env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...["/usr/bin/tini", "--", "/usr/bin/cadastre"].map((word) => `--config.entrypoint=${word}`),
    ...["--config.cmd=serve", "--config.exposedports=3000/tcp", `--config.volume=${DATA}`],
    "--config.stopsignal=SIGTERM",
    ...Object.entries(labels).map(
      ([name, value]) => `--config.label=org.opencontainers.image.${name}=${value}`,
    ),
  ]);
  runCommand(["umoci", "gc", "--layout", layout]);
  complete(layout, version);
}

/**
 * The name that podman and docker give to the image when they load it, because umoci knows tags only; and the health check
 * that docker reads, which the format of OCI does not have.
 */
function complete(layout: string, { version }: Release): void {
  const index = readJson(layout, "index.json");
  const [described] = index.manifests;
  const manifest = takeBlob(layout, described);
  const config = takeBlob(layout, manifest.config);
  config.config.Healthcheck = HEALTH_CHECK;
  Object.assign(manifest.config, storeBlob(layout, config));
  Object.assign(described, storeBlob(layout, manifest));
  described.annotations = {
    "io.containerd.image.name": `docker.io/library/cadastre:${version}`,
    "org.opencontainers.image.ref.name": `cadastre:${version}`,
  };
  writeFileSync(join(layout, "index.json"), JSON.stringify(index));
}

interface Descriptor {
  digest: string;
  size: number;
}

function readJson(layout: string, path: string) {
  return JSON.parse(readFileSync(join(layout, path), "utf8"));
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

/** Reads a blob, which will be replaced. */
function takeBlob(layout: string, { digest }: Descriptor) {
  const content = readJson(layout, blobPath(digest));
  rmSync(join(layout, blobPath(digest)));
  return content;
}

function storeBlob(layout: string, content: object): Descriptor {
  const text = JSON.stringify(content);
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  writeFileSync(join(layout, blobPath(digest)), text);
  return { digest, size: Buffer.byteLength(text) };
}
