// The commands on records: each is one request, or a walk through a list.
import type { ClientOptions } from "./catalogue.ts";
import * as remote from "./document.ts";
import * as output from "./output.ts";
import * as service from "./service.ts";
import { bind, bytesOfFile, type GivenTexts, splitWords } from "./values.ts";

export interface RemoteClient extends remote.RemoteCommands {
  access: service.ServiceAccess;
  options: ClientOptions;
  /** Without --output. */
  usualFormat: output.ClientFormat;
}

export function operationNamed({ operations }: RemoteClient, id: string): remote.RemoteOperation {
  const found = operations.find((one) => one.operationId === id);
  if (!found) throw service.wrongUse(`There is no operation '${id}'`);
  return found;
}

function formatOf({ options, usualFormat }: RemoteClient): output.ClientFormat {
  const wanted = options.output ?? usualFormat;
  const found = output.FORMATS.find((one) => one === wanted);
  if (!found) throw service.wrongUse(`--output: Use one of ${output.FORMATS.join(", ")}`);
  return found;
}

/** Words of the form name=value go where the operation has the name; others are names of records, a file, or the query. */
export async function call(
  client: RemoteClient,
  operation: remote.RemoteOperation,
  words: string[],
): Promise<number> {
  const { options } = client;
  const { given, plain } = splitWords([...(options.filter ?? []), ...words]);
  for (const { name, in: place } of operation.parameters) {
    const word = place === "path" && !given.has(name) ? plain.shift() : undefined;
    if (word !== undefined) given.set(name, [word]);
  }
  const isImport = service.NDJSON in (operation.requestBody?.content ?? {});
  const file = isImport ? plain.shift() : undefined;
  if (isImport && file === undefined) throw service.wrongUse("FILE is missing");
  if (plain.length > 0 && remote.takes(operation, "q")) given.set("q", [plain.splice(0).join(" ")]);
  if (plain.length > 0) throw service.wrongUse(`'${plain[0]}' is not of the form NAME=VALUE`);
  if (options.fields !== undefined) given.set("fields", [options.fields]);
  if (options.sort !== undefined) given.set("sort", [options.sort]);
  if (options["dry-run"]) given.set("dry_run", ["true"]);
  if (options["if-match"] !== undefined && !remote.takes(operation, "if-match"))
    throw service.wrongUse("--if-match is for changes and deletions");
  if (remote.answerOf(client.document, operation)?.type === "array" && operation.method === "GET")
    return list(client, operation, given);
  if (remote.takes(operation, "last-event-id")) return followChanges(client, operation, given);
  if (file !== undefined) return importFile(client, operation, { given, file });
  return show(client, await request(client, operation, given));
}

export async function request(
  client: RemoteClient,
  operation: remote.RemoteOperation,
  given: GivenTexts,
): Promise<service.ServiceAnswer> {
  const match = client.options["if-match"];
  const { path, query, body } = await bound(client, operation, given);
  return service.send(client.access, {
    method: operation.method,
    path,
    query,
    headers: {
      ...(match !== undefined && { "if-match": match }),
      ...(remote.takes(operation, "idempotency-key") && { "idempotency-key": crypto.randomUUID() }),
    },
    body,
  });
}

function bound(client: RemoteClient, operation: remote.RemoteOperation, given: GivenTexts) {
  return bind(client.document, operation, given, (base, named) => idOf(client, base, named));
}

/** The id of the record that a part of a path names, by its id or by its name. */
async function idOf({ resources, access }: RemoteClient, base: string, named: string) {
  const all = [...resources.values()];
  const { key, verbs } = all.find((one) => `${one.verbs.list?.path}/` === base) ?? {};
  if (!key || !verbs?.list || /^\d+$/.test(named)) return named;
  const query = new URLSearchParams({ [key]: named, fields: "id" });
  const [one] = await service.jsonOf<service.RemoteRecord[]>(
    await service.send(access, { path: verbs.list.path, query }),
  );
  if (one) return String(one.id);
  throw service.missing(`${key}: There is no '${named}', or you may not see it`);
}

async function show(client: RemoteClient, answer: service.ServiceAnswer): Promise<number> {
  const { options } = client;
  if (options.etag) {
    await service.textOf(answer);
    await output.print(`${answer.headers.get("etag")}\n`);
  } else if (answer.type === "application/json") {
    await output.printValue(formatOf(client), await service.jsonOf(answer));
  } else await output.printChunks(answer.chunks);
  const change = answer.headers.get("change-set");
  const warning = answer.headers.get("warning");
  if (!options.quiet && warning) output.say(`Warning: ${warning}`);
  if (!options.quiet && options["dry-run"]) output.say("A dry run: nothing is written");
  else if (!options.quiet && change) output.say(TAKE_BACK + change);
  return 0;
}

const MOST_ON_PAGE = 100;
/** Of a list that has no end that one would wait for. */
const USUAL_CHANGES = 100;
/** Fields that do not fit in a line: images and histories. */
const WITHOUT = ["qrcode", "history"];

/** Walks through a list: by cursor, or by pages if it is sorted. */
async function list(
  client: RemoteClient,
  operation: remote.RemoteOperation,
  given: GivenTexts,
): Promise<number> {
  const { options, access } = client;
  const { path, query } = await bound(client, operation, given);
  const goesBack = remote.takes(operation, "before");
  const most = limitOf(client, goesBack ? USUAL_CHANGES : Number.POSITIVE_INFINITY);
  const isBusy = output.showsProgress() && !options.quiet;
  const total = isBusy ? Math.min(most, await totalOf(access, path, query)) : 0;
  query.set("per_page", String(Math.min(most, MOST_ON_PAGE)));
  const isWalk = remote.takes(operation, "cursor") && !query.has("sort") && !query.has("page");
  if (isWalk) query.set("cursor", options.resume ?? "*");
  else if (options.resume) query.set(goesBack ? "before" : "page", options.resume);
  const { items = {} } = remote.answerOf(client.document, operation) ?? {};
  const [record] = remote.alternatives(client.document, items);
  const known = Object.keys(record?.properties ?? {}).filter((one) => !WITHOUT.includes(one));
  const shown = options.fields?.split(",") ?? known;
  const writer = new output.ListWriter(formatOf(client), shown, options.resume === undefined);
  let count = 0;
  for await (const { records, isLast } of service.pagesOf(access, path, query)) {
    await writer.write(records.slice(0, most - count));
    count += records.length;
    if (isBusy) output.showProgress(isLast ? total : count, total);
    if (count < most || isLast) continue;
    if (options.limit === undefined && !options.quiet)
      output.say(`The newest ${most}; --limit shows more`);
    break;
  }
  await writer.end();
  return 0;
}

function limitOf({ options: { limit } }: RemoteClient, usual: number): number {
  if (limit === undefined) return usual;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw service.wrongUse("--limit: Use a whole number from 1");
  return Number(limit);
}

async function totalOf(access: service.ServiceAccess, path: string, given: URLSearchParams) {
  const query = new URLSearchParams([...given, ["per_page", "1"]]);
  const answer = await service.send(access, { path, query });
  await service.textOf(answer);
  return Number(answer.headers.get("x-total-count") ?? MOST_ON_PAGE);
}

/** Each change as it happens. */
async function followChanges(
  client: RemoteClient,
  operation: remote.RemoteOperation,
  given: GivenTexts,
): Promise<number> {
  const isTable = formatOf(client) === "table";
  const hint = client.options.quiet ? () => {} : output.say;
  const stream = await bound(client, operation, given);
  let left = limitOf(client, Number.POSITIVE_INFINITY);
  for await (const data of service.follow(client.access, stream, hint)) {
    const { at, user, kind, events, id } = service.parse<service.RemoteRecord>(data);
    const line = isTable ? [at, user, kind, output.cellText(events), id].join("  ") : data;
    await output.print(`${output.visible(line)}\n`);
    left -= 1;
    if (left === 0) break;
  }
  return 0;
}

const TAKE_BACK = "To take this back: cadastre undo ";
const CUT_OFF = "The answer broke off: look at cadastre changes for what was written";

/** The verdict of a row, or at the end the summary. */
interface ImportLine {
  line?: number;
  errors?: Array<{ field: string; message: string }>;
  warnings?: Array<{ field: string; message: string }>;
  applied: number;
  refused: number;
  change_set: string | null;
}

/** Milliseconds for an import: its rows are written before the first byte of the answer. */
const LONGEST_IMPORT = 900_000;

/** CSV, or a JSON object on each line. */
async function importFile(
  client: RemoteClient,
  operation: remote.RemoteOperation,
  { given, file }: { given: GivenTexts; file: string },
): Promise<number> {
  const { path, query } = await bound(client, operation, given);
  const bytes = bytesOfFile(file);
  const isJson = /^\s*\{/.test(Buffer.from(bytes.subarray(0, 1_000)).toString());
  const sent = service.send(client.access, {
    method: "POST",
    path,
    query,
    headers: { "content-type": isJson ? service.NDJSON : "text/csv" },
    body: bytes,
    patience: LONGEST_IMPORT,
  });
  const answer = await (client.options.quiet ? sent : output.whileWaiting(sent));
  const isTable = formatOf(client) === "table";
  let summary: ImportLine | undefined;
  for await (const text of service.linesOf(answer)) {
    if (!isTable) await output.print(`${output.visible(text)}\n`);
    const found = service.parse<ImportLine>(text);
    const warnings = client.options.quiet ? [] : (found.warnings ?? []);
    for (const { field, message } of [...(found.errors ?? []), ...warnings])
      output.say(`Line ${found.line}: ${field}: ${message}`);
    if (found.line === undefined) summary = found;
  }
  if (!summary) throw service.away(CUT_OFF);
  const { applied, refused, change_set } = summary;
  const verb = client.options["dry-run"] ? "could be applied" : "applied";
  if (isTable) await output.print(`${applied} rows ${verb}, ${refused} refused\n`);
  if (!client.options.quiet && change_set) output.say(TAKE_BACK + change_set);
  return refused > 0 ? service.EXIT.refused : 0;
}

/** The next free address of a network, as far as the caller sees what is in use. */
export async function printFree(client: RemoteClient, words: string[]): Promise<number> {
  const [named = "", ...others] = words;
  if (!named || others.length > 0) throw service.wrongUse("Give the name of one NETWORK");
  const operation = operationNamed(client, "getFreeAddress");
  const answer = await request(client, operation, new Map([["id", [named]]]));
  const { ip } = await service.jsonOf<{ ip: string | null }>(answer);
  if (ip === null) throw service.refused(`There is no free address in ${named}`);
  await output.print(`${ip}\n`);
  return 0;
}
