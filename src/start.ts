// From settings to a database that can be worked with: every command begins here.
import { sql } from "drizzle-orm";
import * as database from "../db/client.ts";
import * as embedded from "../db/embedded/mod.ts";
import { migrate } from "../db/migrate.ts";
import type { Config } from "./config.ts";
import { seedActions } from "./inventory/attributes.ts";
import * as jwt from "./jwt.ts";
import * as log from "./log.ts";
import { sessionSecret } from "./secret.ts";
import { ensureAdmin } from "./user/first_admin.ts";

export interface Started {
  target: database.Target;
  stop(): Promise<void>;
}

/** Opens the database that the settings name; a server of ours that runs already is joined, not owned. */
export async function openDatabase(config: Config, say = log.say): Promise<Started> {
  const server = config.databaseUrl ? undefined : await startServer(config, say);
  const target = server ?? { url: config.databaseUrl ?? "" };
  try {
    await migrate(target, say);
    database.open(target);
    await prepare(config);
  } catch (fault) {
    await server?.stop();
    throw fault;
  }
  return {
    target,
    stop: async () => {
      await database.close();
      await server?.stop();
    },
  };
}

async function startServer(
  config: Config,
  say: (line: string) => void,
): Promise<embedded.Embedded> {
  return (await embedded.join(config.dataDir)) ?? embedded.start(config.dataDir, say);
}

async function prepare(config: Config): Promise<void> {
  await seedActions();
  jwt.useKey(config.secretKey ?? (await keptSecret()));
  await ensureAdmin(config);
}

/** Generated once; every instance on this database signs with it. */
async function keptSecret(): Promise<string> {
  await database.change(
    sql`insert into settings (name, value) values ('secret_key', ${sessionSecret()}) on conflict do nothing`,
  );
  const kept = await database.row<{ value: string }>(
    sql`select value from settings where name = 'secret_key'`,
  );
  return kept?.value ?? "";
}
