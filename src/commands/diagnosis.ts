// Checks an installation without changing it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SQL } from "bun";
import { connect, type DatabaseTarget } from "../../db/client.ts";
import { CannotStart } from "../../db/embedded/cannot_start.ts";
import { CannotMigrate, inWords } from "../../db/migrate.ts";
import type { Config } from "../config.ts";
import { CannotListen, listen } from "../http/server.ts";
import { waitForDatabase } from "../start.ts";
import { databaseFindings, directory, type Finding, ok, problem } from "../system/checks.ts";

export async function* diagnose(config: Config): AsyncGenerator<Finding> {
  yield ok("The settings can be read");
  yield directory(config.dataDir);
  yield await port(config);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, "postgres"))) {
    yield ok("There is no database yet: cadastre serve makes it");
    return;
  }
  yield* database(config);
}

async function port(config: Config): Promise<Finding> {
  try {
    await listen(config, () => new Response()).stop(true);
    return ok(`Port ${config.port} on ${config.host} is free`);
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    if (await isCadastre(config)) return ok(`Cadastre serves at port ${config.port}`);
    return problem(error.message);
  }
}

async function isCadastre({ host, port }: Config): Promise<boolean> {
  const name = host.includes(":") ? `[${host}]` : host;
  const response = fetch(`http://${name}:${port}/health/live`, {
    signal: AbortSignal.timeout(2_000),
  });
  const answer = await response.catch(() => undefined);
  return answer?.headers.get("content-type")?.startsWith("application/json") ?? false;
}

async function* database(config: Config): AsyncGenerator<Finding> {
  try {
    const server = await waitForDatabase(config, () => {});
    try {
      yield* checkDatabase(server.target, config);
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (!(error instanceof CannotStart || error instanceof CannotMigrate)) throw error;
    yield problem(error.message);
  }
}

async function* checkDatabase(target: DatabaseTarget, config: Config): AsyncGenerator<Finding> {
  const sql = connect(target, 1, { application_name: "cadastre doctor", statement_timeout: 5_000 });
  try {
    let isReady = true;
    for await (const finding of databaseFindings(sql, config)) {
      isReady &&= finding.ok;
      yield finding;
    }
    if (isReady) yield await freeAddresses(sql);
  } catch (error) {
    throw inWords(error, target);
  } finally {
    await sql.close({ timeout: 1 });
  }
}

/** The free addresses that the database keeps are those that the interfaces leave. Reads all interfaces. */
async function freeAddresses(sql: SQL): Promise<Finding> {
  const wrong: Array<{ name: string }> = await sql.begin(async (tx) => {
    await tx`set local statement_timeout = '5min'`;
    return tx`
      select vlan_name as name from networks where exists (
        (select * from computed_free_addresses(id) except select * from merged_free_addresses(id))
        union all (select * from merged_free_addresses(id) except select * from computed_free_addresses(id)))
      order by vlan_name`;
  });
  const names = wrong.map(({ name }) => name).join(", ");
  if (names === "") return ok("The free addresses of all networks are right");
  return problem(
    `The free addresses of ${names} are not those that the interfaces leave: in the database run ` +
      "select rebuild_free_addresses(id) from networks",
  );
}
