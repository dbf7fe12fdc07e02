// Undoes changes over the API.
import { changes } from "./history.ts";
import { api, bob, type Person } from "./mod.ts";

/** The latest change set. */
export async function latest(): Promise<string> {
  return (await changes()).at(-1)!.change_set;
}

export async function undoing(id: string, by: Person = bob, query = "") {
  return api(by).post(`/changes/${id}/undo${query}`, {});
}

export async function undoLatest(by: Person = bob) {
  return undoing(await latest(), by);
}

/** Why it was refused, in one sentence. */
export function sentences({ status, body }: { status: number; body: any }) {
  return [status, body.errors?.map(({ message }: { message: string }) => message).join()];
}
