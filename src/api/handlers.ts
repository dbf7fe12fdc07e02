// The five things that a route does with a record: list, find, create, update, remove. A resource's
// file says which paths, who may, and what is told; this says how it is answered.
import * as answer from "../answer.ts";
import type { Caller } from "../auth.ts";
import { keyNamed } from "../keys.ts";
import { type Found, type Listed, onlyParams } from "../records.ts";

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
