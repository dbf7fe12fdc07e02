// The handlers of the usual routes: list, find, create, update, remove. The file of a resource gives the paths, the
// permissions and the schemas.

import type { Caller } from "../auth/auth.ts";
import * as answer from "../http/answers.ts";
import { contextOf } from "../http/request_context.ts";
import { makeSo, type Settable } from "../import/make_so.ts";
import { invalid } from "../input/errors.ts";
import { keyNamed } from "../input/keys.ts";
import { NO_QUERY, readQuery } from "../input/query.ts";
import { readMoment } from "../store/past/rows.ts";
import type { ListJson, RecordJson } from "../store/records.ts";
import { nestingQuery, pastQuery } from "./answers.ts";

/** Of the API. */
const ROOT = "/api/v1";

interface ReadContext {
  request: Request;
  caller: Caller;
  search: URLSearchParams;
}

interface WithId {
  params: { id: string };
}

interface WriteContext<Input> {
  request: Request;
  caller: Caller;
  body: Input;
}

export function list(read: (caller: Caller, params: URLSearchParams) => Promise<ListJson>) {
  return async ({ request, caller, search }: ReadContext) =>
    answer.list(request, await read(caller, search));
}

export function find(read: (caller: Caller, id: number) => Promise<RecordJson>) {
  return async ({ request, caller, search, params }: ReadContext & WithId) => {
    readQuery(NO_QUERY, search);
    return answer.record(request, await read(caller, keyNamed(params.id)));
  };
}

type ReadRecord = (caller: Caller, id: number, isRecursive: boolean) => Promise<RecordJson>;
export type ReadPastRecord = (
  caller: Caller,
  when: { id: number; at: Date },
) => Promise<RecordJson>;

/** One record, optionally with nested records, or as it was at a time if it has past states. */
export function findRecord(read: ReadRecord, readPast?: ReadPastRecord) {
  return async ({ request, caller, search, params }: ReadContext & WithId) => {
    const id = keyNamed(params.id);
    if (!readPast) {
      const { recursive } = readQuery(nestingQuery, search);
      return answer.record(request, await read(caller, id, recursive));
    }
    const { at, isRecursive } = readPastQuery(search);
    const found = at ? readPast(caller, { id, at }) : read(caller, id, isRecursive);
    return answer.record(request, await found);
  };
}

export function readPastQuery(search: URLSearchParams): { isRecursive: boolean; at?: Date } {
  const { recursive: isRecursive, at } = readQuery(pastQuery, search);
  if (at === undefined) return { isRecursive };
  if (isRecursive)
    throw invalid("recursive", "Records of the past contain names only; leave this out");
  return { isRecursive, at: readMoment(at) };
}

export function create<Input>(createRecord: (caller: Caller, input: Input) => Promise<RecordJson>) {
  return async ({ request, caller, body }: WriteContext<Input>) =>
    createdAnswer({ request, caller }, await createRecord(caller, body));
}

interface CreateContext {
  request: Request;
  caller: Caller;
  /** The path for reading, if it is not that of creating: /inventory/items/comments. */
  path?: string;
}

/** The response with a new record and its `Location`; a dry run has none. */
export function createdAnswer(
  { request, caller, path }: CreateContext,
  found: RecordJson,
): Response {
  if (caller.options?.dry_run) return answer.created(found);
  const { pathname } = new URL(request.url);
  const base = path === undefined ? pathname.replace(/\/$/, "") : `${ROOT}${path}`;
  const { id } = JSON.parse(found.json);
  return answer.created(found, `${contextOf(request).origin}${base}/${id}`);
}

export function update<Input>(
  changeRecord: (caller: Caller, id: number, input: Input) => Promise<RecordJson>,
) {
  return async ({ caller, params, body }: WriteContext<Input> & WithId) =>
    answer.changed(await changeRecord(caller, keyNamed(params.id), body));
}

/** The record that the path names is made, changed, or left as it is: 201, 200 or 204. */
export function put(of: Settable) {
  const { path, key } = of.resource;
  return async ({ request, caller, params, body }: PutContext) => {
    const { verdict, record } = await makeSo(of, caller, { name: params[key] ?? "", given: body });
    if (verdict === "new") return createdAnswer({ request, caller, path }, record);
    if (verdict === "change") return answer.changed(record);
    delete contextOf(request).changeSet;
    return answer.same(record);
  };
}

interface PutContext extends WriteContext<Record<string, unknown>> {
  params: Record<string, string>;
}

export function remove(removeRecord: (caller: Caller, id: number) => Promise<unknown>) {
  return async ({ caller, params }: { caller: Caller } & WithId) => {
    await removeRecord(caller, keyNamed(params.id));
    return answer.gone();
  };
}
