import { ping } from "../../db/client.ts";

let draining = false;
let trouble: () => string | null = () => null;

/** From now on nobody should send us more. */
export function drain(): void {
  draining = true;
}

export function isDraining(): boolean {
  return draining;
}

/** What tells why there is no database at the moment, where somebody knows. */
export function askAboutDatabase(ask: () => string | null): void {
  trouble = ask;
}

/** In one sentence why nobody should send us requests; null when we are ready. */
export async function whyNotReady(): Promise<string | null> {
  if (draining) return "Cadastre is ending";
  return trouble() ?? ((await ping()) ? null : "The database does not answer");
}
