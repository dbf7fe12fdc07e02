import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { stageDeb } from "../../tools/package/deb.ts";
import { type Documents, documents } from "../../tools/package/documents.ts";
import { type Help, readHelp } from "../../tools/package/help.ts";
import { PLATFORMS } from "../../tools/package/platforms.ts";
import { file, folder, isMissing, run } from "../support/programs.ts";

const VERSION = { version: "1.2.0", debian: "1.2.0-1", time: 1_795_000_000 };
const [platform] = PLATFORMS;

let help: Help;
let texts: Documents;
let tree: string;

// Once: the files of the package, with a small program in place of the binary.
beforeAll(async () => {
  help = await readHelp();
  texts = await documents(platform!, VERSION);
  tree = join(folder(), "tree");
  const binary = await file("cadastre", "#!/bin/sh\n");
  stageDeb({ binary, texts, platform: platform!, version: VERSION }, tree);
});

function staged(path: string): string {
  const content = readFileSync(join(tree, path));
  return (path.endsWith(".gz") ? gunzipSync(content) : content).toString();
}

describe("the Debian package", () => {
  test("has a control file, checksums of all files but the settings, and valid scripts", async () => {
    expect(staged("DEBIAN/control")).toMatch(/^Version: 1\.2\.0-1\nArchitecture: amd64$/m);
    expect(staged("DEBIAN/control")).not.toContain("@:");
    expect(staged("DEBIAN/conffiles")).toBe("/etc/cadastre/cadastre.env\n");
    const checked = await run(["sh", "-c", 'cd "$0" && md5sum -c DEBIAN/md5sums', tree]);
    expect({ code: checked.code, files: checked.out.match(/OK$/gm)?.length }).toEqual({
      code: 0,
      files: 11,
    });
    for (const script of ["DEBIAN/postinst", "DEBIAN/prerm", "DEBIAN/postrm", "usr/bin/cadastre"]) {
      expect(await run(["sh", "-n", join(tree, script)])).toMatchObject({ code: 0, said: "" });
      expect(statSync(join(tree, script)).mode & 0o111).toBe(0o111);
    }
    expect(statSync(join(tree, "etc/cadastre/cadastre.env")).mode & 0o007).toBe(0);
    expect(staged("usr/share/doc/cadastre/changelog.Debian.gz")).toStartWith("cadastre (1.2.0-1) ");
    expect(staged("usr/share/doc/cadastre/copyright")).toContain(
      "\nLicense: Expat\n Permission is",
    );
  });

  test.skipIf(isMissing("dpkg-deb"))("can be packed", async () => {
    const deb = join(folder(), "small.deb");
    expect(
      await run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, deb]),
    ).toMatchObject({ code: 0 });
    const { out } = await run(["dpkg-deb", "--contents", deb]);
    expect(out).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/lib\/cadastre\/cadastre$/m);
  });

  test("shows only settings that exist", () => {
    const shown = staged("etc/cadastre/cadastre.env").match(/^#?[A-Z_]+(?==)/gm)!;
    const known = help.commands.flatMap(({ settings }) =>
      settings.flatMap(({ names }) => names.split(", ")),
    );
    expect(shown.length).toBeGreaterThan(5);
    expect(
      shown.map((name) => name.replace("#", "")).filter((name) => !known.includes(name)),
    ).toEqual([]);
  });

  test.skipIf(isMissing("systemd-analyze"))("has a unit with little exposure", async () => {
    const unit = join(tree, "usr/lib/systemd/system/cadastre.service");
    const analyze = [
      "systemd-analyze",
      "security",
      "--offline=true",
      "--no-pager",
      "--threshold=30",
    ];
    const { code, out } = await run([...analyze, unit]);
    expect([code, out.match(/Overall exposure level.*/)?.[0]]).toEqual([0, expect.any(String)]);
  });
});

describe("made from the help of the commands", () => {
  test("the man page has each command, option and setting, and each setting once", () => {
    const page = texts["cadastre.1"].replaceAll("\\-", "-");
    expect(help.commands.length).toBeGreaterThan(8);
    for (const { name, usage, settings } of help.commands) {
      expect(page).toContain(`\n.SS ${name}\n`);
      for (const line of usage)
        for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(page).toContain(option);
      for (const { names } of settings) expect(page.split(`\n.B ${names}\n`)).toHaveLength(2);
    }
    expect(page).toContain("\n.B DATABASE_URL\n");
    expect(page).not.toMatch(/^[.'](?!(TH|SH|SS|B|PP|TP|br|nf|fi)\b)/m);
  });

  test("bash completes commands, actions, options and files", async () => {
    const script = join(tree, "usr/share/bash-completion/completions/cadastre");
    const complete = async (...words: string[]) => {
      const ask = `source "$0"; COMP_WORDS=(cadastre "$@"); COMP_CWORD=$#; compopt() { COMPREPLY+=(FILES); }
        _cadastre; echo "\${COMPREPLY[*]}"`;
      const { out, err } = await run(["bash", "-c", ask, script, ...words]);
      return err || out.trim();
    };
    expect(await complete("se")).toBe("serve setup seed");
    expect(await complete("user", "a")).toBe("add activate");
    expect(await complete("user", "add", "bob", "--pass")).toBe("--password-stdin");
    expect(await complete("restore", "")).toBe("--help --replace FILES");
    expect(await complete("serve", "--w")).toBe("--workers");
  });
});

test("the list of components names what is in the binary, and is the same each time", async () => {
  const list = JSON.parse(texts["sbom.cdx.json"]);
  expect(list).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  const purls: string[] = list.components.map(({ purl }: { purl: string }) => purl);
  const part = (name: string) => purls.some((purl) => purl.startsWith(`pkg:${name}@`));
  for (const name of [
    "npm/elysia",
    "npm/htmx.org",
    "npm/%40oven/bun-linux-x64",
    "generic/postgresql",
  ]) {
    expect([name, part(name)]).toEqual([name, true]);
  }
  // Installed, but not in the binary.
  for (const name of ["npm/typescript", "npm/yargs"])
    expect([name, part(name)]).toEqual([name, false]);
  for (const { licenses, hashes, purl } of list.components) {
    expect(licenses[0].license.id).toMatch(/^[\w.-]{3,}$/);
    if (purl.startsWith("pkg:npm")) expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  }
  const refs = new Set([list.metadata.component["bom-ref"], ...purls]);
  for (const { ref, dependsOn } of list.dependencies) {
    for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
  }
  expect((await documents(platform!, VERSION))["sbom.cdx.json"]).toBe(texts["sbom.cdx.json"]);
  for (const name of purls.filter((purl) => purl.startsWith("pkg:npm/elysia@"))) {
    expect(texts["licenses.txt"]).toContain(name.replace("pkg:npm/", "").replace("@", " "));
  }
});
