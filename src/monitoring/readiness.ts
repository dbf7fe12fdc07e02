import { NO_ANSWER } from "../../db/errors.ts";
import { ping } from "../../db/servers.ts";

let draining = false;
let databaseProblem: () => string | null = () => null;

/** From now on the process is not ready for new requests. */
export function drain(): void {
  draining = true;
}

export function isDraining(): boolean {
  return draining;
}

/** Sets the function that says why there is no database at the moment. */
export function setDatabaseProblem(ask: () => string | null): void {
  databaseProblem = ask;
}

/** Why the process is not ready, in one sentence; null when it is ready. */
export async function whyNotReady(): Promise<string | null> {
  if (draining) return "Cadastre is ending";
  return databaseProblem() ?? ((await ping()) ? null : NO_ANSWER);
}
