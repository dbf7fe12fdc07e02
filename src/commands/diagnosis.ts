// Checks an installation without changing it.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SQL } from "bun";
import { connect, type DatabaseTarget } from "../../db/connect.ts";
import { CannotStart } from "../../db/embedded/cannot_start.ts";
import { CannotMigrate, explainConnectionError, pending } from "../../db/migrate.ts";
import { type Config, readConfig, WrongSetting } from "../config.ts";
import { commandLine, configFile } from "../config_file.ts";
import { CannotListen, listen } from "../http/server.ts";
import { waitForDatabase } from "../start.ts";
import { databaseFindings, dataDirectoryFinding } from "../system/checks.ts";
import { type Finding, ok, problem } from "../system/finding.ts";
import { databaseCommand, psqlCommand } from "../system/mending.ts";
import { readProviders } from "../user/sign_in/file.ts";

export async function* diagnose(): AsyncGenerator<Finding> {
  const config = readSettings();
  if ("ok" in config) return yield config;
  yield ok(`The settings can be read${configFile() ? ` from ${configFile()}` : ""}`);
  yield* configFileFindings();
  if (config.signInFile) yield signInFile(config.signInFile);
  yield dataDirectoryFinding(config.dataDir);
  yield await portFinding(config);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, "postgres"))) {
    yield ok("There is no database yet: cadastre serve makes it");
    return;
  }
  yield* database(config);
}

/** The first setting that is wrong, if one is. */
function readSettings(): Config | Finding {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error;
    const [name = ""] = /\b[A-Z0-9]+(?:_[A-Z0-9]+)*\b/.exec(error.message) ?? [];
    const file = configFile();
    return problem(
      error.message,
      file ? `sed -i '/^${name}=/d' ${file}   # or correct it there` : `unset ${name}`,
    );
  }
}

/** The file may hold a password of the database. */
function* configFileFindings(): Generator<Finding> {
  const file = configFile();
  if (!file || (statSync(file).mode & 0o007) === 0) return;
  yield problem(
    `Every user of this machine can read ${file}: let only its owner`,
    `chmod 600 ${file}`,
  );
}

function signInFile(path: string): Finding {
  try {
    const number = readProviders(path).length;
    return ok(`Providers of the login in ${path}: ${number}`);
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error;
    return problem(error.message, `ls -l ${path}   # and correct it`);
  }
}

export async function portFinding(config: Config): Promise<Finding> {
  try {
    await listen(config, () => new Response()).stop(true);
    return ok(`Port ${config.port} on ${config.host} is free`);
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    if (await isCadastre(config)) return ok(`Cadastre serves at port ${config.port}`);
    return problem(error.message, listenCommand(error.message, config));
  }
}

function listenCommand(message: string, { port }: Config): string {
  const set = configFile() ? "setup" : "serve";
  if (message.startsWith("Nothing can listen")) return commandLine(`${set} --host 127.0.0.1`);
  return commandLine(`${set} --port ${port < 1_024 ? 8_080 : port + 1}`);
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
    yield problem(error.message, databaseCommand(error.message, config));
  }
}

async function* checkDatabase(target: DatabaseTarget, config: Config): AsyncGenerator<Finding> {
  const sql = connect(target, 1, { application_name: "cadastre doctor", statement_timeout: 5_000 });
  try {
    yield* databaseFindings(sql, config);
    if ((await pending(sql)).length === 0) yield await freeAddresses(sql, config);
  } catch (error) {
    throw explainConnectionError(error, target);
  } finally {
    await sql.close({ timeout: 1 });
  }
}

/** The free addresses that the database keeps are those that the interfaces leave. Reads all interfaces. */
async function freeAddresses(sql: SQL, config: Config): Promise<Finding> {
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
  const statement = "select rebuild_free_addresses(id) from networks";
  return problem(
    `The free addresses of ${names} are not those that the interfaces leave: in the database run ${statement}`,
    await psqlCommand(sql, config, statement),
  );
}
