// Requests to a running service, and what becomes of their answers.

/** The exit codes of the client. docs/command-line.md lists them. */
export const EXIT = { refused: 1, usage: 2, missing: 3, denied: 4, away: 5, changed: 6 } as const;

/** A command of the client ends; the message is one sentence. */
export class ClientFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export function wrongUse(message: string): ClientFailure {
  return new ClientFailure(EXIT.usage, message);
}

export function refused(message: string): ClientFailure {
  return new ClientFailure(EXIT.refused, message);
}

export function missing(message: string): ClientFailure {
  return new ClientFailure(EXIT.missing, message);
}

export function away(message: string): ClientFailure {
  return new ClientFailure(EXIT.away, message);
}

/** The service, and who calls it. */
export interface ServiceAccess {
  origin: string;
  token?: string | undefined;
}

interface ServiceRequest {
  method?: string;
  path: string;
  query?: URLSearchParams;
  headers?: Record<string, string>;
  /** Values other than bytes are sent as JSON. */
  body?: unknown;
  /** How many milliseconds may pass without a byte. */
  patience?: number;
}

export interface ServiceAnswer {
  status: number;
  headers: Headers;
  /** The first part of its content type: application/json. */
  type: string;
  chunks: AsyncGenerator<Uint8Array, void>;
}

const PATIENCE = 60_000;
const TRIES = 3;
/** Seconds. */
const LONGEST_PAUSE = 60;
/** Characters of an answer, or of a line of one, that is read as a whole. */
const LARGEST = 64 * 1024 * 1024;
export const NDJSON = "application/x-ndjson";
const CODES: Record<number, number> = {
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.missing,
  412: EXIT.changed,
  429: EXIT.away,
};

/** Waits and asks again where the service says so. */
export async function send(access: ServiceAccess, request: ServiceRequest): Promise<ServiceAnswer> {
  const mayRepeat = !request.method || "idempotency-key" in (request.headers ?? {});
  for (let tries = 1; ; tries += 1) {
    const answer = await sendOnce(access, request);
    const { status, type, headers } = answer;
    // A refused import answers with a verdict for each row.
    if (status < 300 || status === 304 || (status === 422 && type === NDJSON)) return answer;
    const failure = await failureOf(access, answer);
    const pause = Number(headers.get("retry-after"));
    const isBusy = status === 429 || (status === 503 && mayRepeat);
    if (!isBusy || !(pause > 0 && pause <= LONGEST_PAUSE) || tries === TRIES) throw failure;
    await Bun.sleep(pause * 1_000);
  }
}

async function sendOnce(
  { origin, token }: ServiceAccess,
  { path, query, headers, body, patience = PATIENCE, ...request }: ServiceRequest,
): Promise<ServiceAnswer> {
  const aborter = new AbortController();
  // An answer that is not read, such as 304, keeps nobody waiting.
  const start = () => setTimeout(() => aborter.abort(), patience).unref();
  let timer = start();
  const fail = (error: Error): never => {
    clearTimeout(timer);
    const silence = `has said nothing for ${patience / 1_000} seconds`;
    throw away(`${origin} ${aborter.signal.aborted ? silence : `is away: ${error.message}`}`);
  };
  const isBytes = body instanceof Uint8Array;
  const response = await fetch(`${origin}${path}${query?.size ? `?${query}` : ""}`, {
    ...request,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    // The token is for this address alone.
    redirect: "manual",
    signal: aborter.signal,
  }).catch(fail);
  async function* chunks() {
    try {
      for await (const chunk of response.body ?? []) {
        clearTimeout(timer);
        yield chunk;
        timer = start();
      }
    } catch (error) {
      fail(error as Error);
    } finally {
      clearTimeout(timer);
    }
  }
  const [type = ""] = response.headers.get("content-type")?.split(";") ?? [];
  return { status: response.status, headers: response.headers, type, chunks: chunks() };
}

async function failureOf({ origin }: ServiceAccess, answer: ServiceAnswer): Promise<ClientFailure> {
  const { status, type, headers } = answer;
  const text = await textOf(answer);
  const isProblem = type === "application/problem+json";
  const problem = isProblem ? parse<Record<string, string>>(text) : {};
  const parts = [
    problem.detail ?? `${origin} answers with the status ${status}`,
    ...(problem.hint ? [`try ${problem.hint}`] : []),
    ...(status === 401 ? [`log in with cadastre login ${origin}`] : []),
    ...(status < 400 ? [`it says that it is at ${headers.get("location")}`] : []),
  ];
  const code = CODES[status] ?? (status >= 500 ? EXIT.away : EXIT.refused);
  return new ClientFailure(code, parts.join("; "));
}

export async function textOf({ chunks }: ServiceAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST) throw away("The answer is larger than this program reads");
  }
  return text + decoder.decode();
}

export async function jsonOf<T>(answer: ServiceAnswer): Promise<T> {
  return parse(await textOf(answer));
}

export function parse<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch {
    throw away("The answer is no JSON, or broke off: is this Cadastre's address?");
  }
}

/** Without their ends; the last line may have none. */
export async function* linesOf({ chunks }: ServiceAnswer): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LARGEST) throw away("A line is larger than this program reads");
    yield* lines;
  }
  if (rest !== "") yield rest;
}

export type RemoteRecord = Record<string, unknown>;

/** The pages of a list from this one on. A walk that breaks off says how to go on. */
export async function* pagesOf(
  access: ServiceAccess,
  path: string,
  first: URLSearchParams,
): AsyncGenerator<{ records: RemoteRecord[]; isLast: boolean }, void> {
  let query: URLSearchParams | undefined = first;
  for (let count = 0; query; ) {
    const { cursor, page, before }: Record<string, string> = Object.fromEntries(query);
    const answer: ServiceAnswer = await send(access, { path, query }).catch((error) => {
      if (!(error instanceof ClientFailure) || count === 0) throw error;
      const hint = `${count} records came before; go on with --resume ${cursor ?? page ?? before}`;
      throw new ClientFailure(error.code, `${error.message}; ${hint}`);
    });
    if (answer.headers.has("x-link-omitted"))
      throw refused("These filters are too long to be followed; use fewer");
    const [, address] = /<([^>]*)>; rel="next"/.exec(answer.headers.get("link") ?? "") ?? [];
    // Its origin is how the service knows itself: a proxy may have another one.
    query = address ? new URL(address, access.origin).searchParams : undefined;
    const records = await jsonOf<RemoteRecord[]>(answer);
    count += records.length;
    yield { records, isLast: !query };
  }
}

/** How long a stream may be silent: it has a comment every 8 seconds. */
const SILENCE = 30_000;
const LONGEST_WAIT = 60_000;

/** The data of server-sent events, without an end: connects again after the last one. */
export async function* follow(
  access: ServiceAccess,
  { path, query }: ServiceRequest,
  say: (message: string) => void,
): AsyncGenerator<string, void> {
  let [last, shortest, wait]: [string | undefined, number, number] = [undefined, 2_000, 2_000];
  for (;;) {
    try {
      const headers = { accept: "text/event-stream", ...(last && { "last-event-id": last }) };
      const answer = await send(access, { path, query, headers, patience: SILENCE });
      let [data, id]: [string, string | undefined] = ["", last];
      for await (const line of linesOf(answer)) {
        const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (field === "retry") shortest = Number(value) || shortest;
        if (field === "data") data += value;
        if (field === "id") id = value;
        if (line !== "") continue;
        // What breaks off before its blank line comes again.
        [last, wait] = [id, shortest];
        if (data !== "") yield data;
        data = "";
      }
    } catch (error) {
      const isAway = error instanceof ClientFailure && error.code === EXIT.away;
      if (!isAway || last === undefined) throw error;
      say(`${error.message}; trying again`);
    }
    await Bun.sleep(wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}
