// The programs that read feeds, if they are installed: `.ci/run` installs them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allChecks } from "./checks.ts";
import { onTeardown } from "./teardown.ts";

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

/** A temporary folder, deleted when all files have run. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "cadastre-feeds-"));
  onTeardown(async () => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A temporary file with this content. */
export async function file(name: string, text: string): Promise<string> {
  const path = join(folder(), name);
  await Bun.write(path, text);
  return path;
}
