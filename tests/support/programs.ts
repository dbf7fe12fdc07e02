// The programs that read feeds, if they are installed: `.ci/run` installs them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allChecks } from "./checks.ts";

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
/** Whether to skip tests with a program. With CADASTRE_CHECKS=all none is skipped, so a missing program fails. */
export function isMissing(program: string): boolean {
  return !allChecks && Bun.which(program, { PATH }) === null;
}

export async function run(command: string[], env: Record<string, string> = {}) {
  const running = Bun.spawn(command, {
    env: { ...process.env, PATH, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
  ]);
  return { code: await running.exited, out, err, said: out + err };
}

const folders: string[] = [];

/** A temporary folder, deleted by removeFolders. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "cadastre-feeds-"));
  folders.push(made);
  return made;
}

export function removeFolders(): void {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
}

/** A temporary file with this content. */
export async function file(name: string, text: string): Promise<string> {
  const path = join(folder(), name);
  await Bun.write(path, text);
  return path;
}
