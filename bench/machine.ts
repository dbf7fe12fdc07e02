// What everything was measured on.
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
      `${version}, commit ${await said("git", "rev-parse", "--short=12", "HEAD")}${await changes()}`,
    ],
    ["Bun", Bun.version],
    ["PostgreSQL", postgres],
    ["wrk", (await said("wrk", "-v")).split(" ")[1] ?? "unknown"],
    ["pgbench", (await said("pgbench", "--version")) || "missing, so nothing was compared with it"],
    ["Measured", `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`],
  ];
}

/** What is not committed was measured too. The page of results is no part of what it tells of. */
async function changes(): Promise<string> {
  const changed = await said("git", "status", "--porcelain", "--", ".", ":!bench");
  return changed ? " with changes on top" : "";
}

/** The first line of what a program says; nothing, where there is no such program. */
async function said(program: string, ...args: string[]): Promise<string> {
  if (!Bun.which(program)) return "";
  const running = Bun.spawn([program, ...args], { stdout: "pipe", stderr: "ignore" });
  const [line = ""] = (await new Response(running.stdout).text()).split("\n");
  return line.trim();
}
