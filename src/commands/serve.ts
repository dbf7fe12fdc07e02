import { handle } from "../app.ts";
import * as config from "../config.ts";
import * as log from "../log.ts";
import { drain } from "../readiness.ts";
import { listen } from "../server.ts";
import { openDatabase } from "../start.ts";

export async function run(): Promise<void> {
  const settings = config.read();
  log.configure(settings);
  const database = await openDatabase(settings);
  const server = listen(settings, handle);
  log.say(`Cadastre serves at ${settings.publicUrl?.origin ?? server.url.origin}`);
  await untilTold();
  drain();
  await Promise.race([server.stop(), Bun.sleep(6_000)]);
  await server.stop(true);
  await database.stop();
}

/** Until SIGTERM or SIGINT; a second one ends the process at once. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        resolve();
        process.on(signal, () => process.exit(1));
      });
    }
  });
}
