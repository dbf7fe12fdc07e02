// Detects requests through a proxy while TRUST_PROXY is off. All clients then have the proxy's address, and the limits
// on failed logins treat them as one client. Recorded in the database, for cadastre doctor.

import { eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { settings } from "../../db/tables/user.ts";
import type { Config } from "../config.ts";

/** The name of the setting with the address of the proxy and the time. */
export const SETTING = "untrusted_proxy";

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

/** Looks at each request of a server; writes at most once a day. */
export function watchForProxy({ trustProxy }: Pick<Config, "trustProxy">) {
  let next = 0;
  return (request: Request, peer: string): void => {
    if (performance.now() < next || !request.headers.has("x-forwarded-for")) return;
    next = performance.now() + DAY;
    recordProxy(trustProxy ? undefined : peer).catch(() => {
      // The database is unavailable or read-only.
      next = performance.now() + HOUR;
    });
  };
}

async function recordProxy(peer: string | undefined): Promise<void> {
  const { build } = database;
  if (peer === undefined) {
    await database.execute(build.delete(settings).where(eq(settings.name, SETTING)));
    return;
  }
  const value = sql`json_build_object('address', ${peer}::text, 'at', now())::text`;
  await database.execute(
    build
      .insert(settings)
      .values({ name: SETTING, value })
      .onConflictDoUpdate({ target: settings.name, set: { value } }),
  );
}
