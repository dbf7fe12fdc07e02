// The five things that a route does with a record: list, find, create, update, remove. A resource's
// file says which paths, who may, and what is told; this says how it is answered.
import * as answer from "../answer.ts";
import type { Caller } from "../auth.ts";
import { type Fault, invalid, refuse } from "../errors.ts";
import { keyNamed } from "../keys.ts";
import { readMoment } from "../past.ts";
import { type Found, flag, type Listed, onlyParams } from "../records.ts";

interface Asked {
  request: Request;
  caller: Caller;
  search: URLSearchParams;
}

interface Named {
  params: { id: string };
}

interface Sent<Input> {
  caller: Caller;
  body: Input;
}

export function list(read: (caller: Caller, params: URLSearchParams) => Promise<Listed>) {
  return async ({ request, caller, search }: Asked) =>
    answer.list(request, await read(caller, search));
}

export function find(read: (caller: Caller, id: number) => Promise<Found>) {
  return async ({ request, caller, search, params }: Asked & Named) => {
    onlyParams(search, []);
    return answer.record(request, await read(caller, keyNamed(params.id)));
  };
}

type Reading = (caller: Caller, id: number, isRecursive: boolean) => Promise<Found>;
export type ReadingPast = (caller: Caller, when: { id: number; at: Date }) => Promise<Found>;

/** One record whole, as it is or as it was. */
export function look(read: Reading, readPast: ReadingPast) {
  return async ({ request, caller, search, params }: Asked & Named) => {
    const { at, isRecursive } = readAsking(search);
    const id = keyNamed(params.id);
    const found = at ? readPast(caller, { id, at }) : read(caller, id, isRecursive);
    return answer.record(request, await found);
  };
}

export function readAsking(search: URLSearchParams): { isRecursive: boolean; at?: Date } {
  onlyParams(search, ["recursive", "at"]);
  const faults: Fault[] = [];
  const isRecursive = flag(search, "recursive", faults);
  if (faults.length > 0) throw refuse(faults);
  if (!search.has("at")) return { isRecursive };
  if (isRecursive) throw invalid("recursive", "The past is told by names; leave this out");
  return { isRecursive, at: readMoment(search.getAll("at")) };
}

export function create<Input>(make: (caller: Caller, input: Input) => Promise<Found>) {
  return async ({ caller, body }: Sent<Input>) => answer.created(await make(caller, body));
}

export function update<Input>(
  change: (caller: Caller, id: number, input: Input) => Promise<Found>,
) {
  return async ({ caller, params, body }: Sent<Input> & Named) =>
    answer.changed(await change(caller, keyNamed(params.id), body));
}

export function remove(end: (caller: Caller, id: number) => Promise<unknown>) {
  return async ({ caller, params }: { caller: Caller } & Named) => {
    await end(caller, keyNamed(params.id));
    return answer.gone();
  };
}
