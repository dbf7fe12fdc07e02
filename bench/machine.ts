// Describes the machine and the commit that were measured.
import { cpus, release, totalmem } from "node:os";
import { version } from "../package.json";

export async function machine(postgres: string): Promise<Array<[string, string]>> {
  const [first] = cpus();
  return [
    ["Processor", `${cpus().length} × ${first?.model.trim() ?? "unknown"}`],
    ["Memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ["System", `${process.platform} ${release()}`],
    [
      "Cadastre",
      `${version}, commit ${await outputOf("git", "rev-parse", "--short=12", "HEAD")}${await changes()}`,
    ],
    ["Bun", Bun.version],
    ["PostgreSQL", postgres],
    ["wrk", (await outputOf("wrk", "-v")).split(" ")[1] ?? "unknown"],
    [
      "pgbench",
      (await outputOf("pgbench", "--version")) || "missing, so nothing was compared with it",
    ],
    ["Measured", `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`],
  ];
}

/** Notes uncommitted changes, except those of the results page itself. */
async function changes(): Promise<string> {
  const changed = await outputOf("git", "status", "--porcelain", "--", ".", ":!bench");
  return changed ? " with changes on top" : "";
}

/** The first line of output of a program; empty if there is no such program. */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  if (!Bun.which(program)) return "";
  const running = Bun.spawn([program, ...args], { stdout: "pipe", stderr: "ignore" });
  const [line = ""] = (await new Response(running.stdout).text()).split("\n");
  return line.trim();
}
