import { ping } from "../db/client.ts";

let draining = false;

/** From now on nobody should send us more. */
export function drain(): void {
  draining = true;
}

export function isDraining(): boolean {
  return draining;
}

export async function isReady(): Promise<boolean> {
  return !draining && (await ping());
}
