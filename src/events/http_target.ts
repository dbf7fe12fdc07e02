// Requests to servers that admins name: webhooks and triggers. The name is resolved once and each of its addresses is
// checked; the connection goes to the address that was checked. No redirect is followed, no proxy is used, and what is
// kept of an answer is limited in time and in size.
import { lookup } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { connectionReason } from "../http/connection_errors.ts";
import { formatAddress, readAddress } from "../input/addresses.ts";
import { invalid } from "../input/errors.ts";
import { LONGEST_TARGET_URL } from "../input/limits.ts";
import { portOf, type Resolve, targetRefusal } from "./target_address.ts";

export interface OutgoingRequest {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  /** Bytes of the answer that are kept. */
  most?: number;
  /** Milliseconds, for all of it. */
  timeout?: number;
  /** Certificates to trust besides those of the system. */
  ca?: string;
  resolve?: Resolve;
  /** Ends the request without an answer. */
  signal?: AbortSignal;
}

export interface TargetAnswer {
  status: number;
  headers: Record<string, string>;
  /** As much of it as is kept. */
  body: string;
  isCut: boolean;
}

/** There is no answer; the message says why, without the path of the URL. */
export class NoAnswer extends Error {}

const TIMEOUT = 15_000;
const LONGEST_LOOK_UP = 3_000;
/** Answers such as 100 Continue before the real one. A flood of them would keep the process busy. */
const MOST_INTERIM = 20;
export const KEPT_OF_ANSWER = 16_384;

/** Refuses a URL of which no name has to be resolved to see that it will not be used. */
export function requireTarget(text: string, field = "url"): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalid(field, "Use a URL such as https://hooks.example.org/cadastre");
  }
  if (url.port === "0") throw invalid(field, "Use a port from 1 to 65535");
  if (text.length > LONGEST_TARGET_URL) {
    throw invalid(field, `Use at most ${LONGEST_TARGET_URL} characters`);
  }
  if (url.username || url.password) {
    throw invalid(field, "Use a URL without a user and password, which logs would show");
  }
}

/** As requireTarget, and looks up the name: for a form, so that a mistake is seen at once. */
export async function requireReachable(
  text: string,
  field = "url",
  resolve: Resolve = addressesOf,
): Promise<void> {
  requireTarget(text, field);
  const checked = checkedAddress(new URL(text), resolve).catch((error) => {
    // A name may be added later.
    if (error instanceof ForbiddenTarget) throw invalid(field, error.message);
  });
  // A form does not wait for a name server that is down: the address is checked again before each request.
  await Promise.race([checked, Bun.sleep(LONGEST_LOOK_UP)]);
}

/** For logs: the parameters of a URL may be secret. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The header `Retry-After`, in seconds; it is a number of them or a date. Undefined if it asks for no pause. */
export function retryAfterOf({ headers }: Pick<TargetAnswer, "headers">): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return seconds > 0 ? seconds : undefined;
}

/** The server's answer, whatever its status. Throws NoAnswer. */
export async function sendTo(request: OutgoingRequest): Promise<TargetAnswer> {
  const url = new URL(request.url);
  const ending = new AbortController();
  const timeout = request.timeout ?? TIMEOUT;
  const end = () => ending.abort();
  const timer = setTimeout(end, timeout);
  request.signal?.addEventListener("abort", end);
  const late = new NoAnswer(`No answer within ${timeout / 1_000} seconds`);
  try {
    const address = await Promise.race([
      checkedAddress(url, request.resolve ?? addressesOf),
      new Promise<never>((_, reject) => {
        ending.signal.addEventListener("abort", () => reject(late));
      }),
    ]);
    return await exchange(url, address, { ...request, ending: ending.signal, late });
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", end);
  }
}

/** The address must not be used. */
class ForbiddenTarget extends NoAnswer {}

async function checkedAddress(url: URL, resolve: Resolve): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const names = await resolve(host).catch(() => {
    throw new NoAnswer(`The name ${host} is not known`);
  });
  const addresses = names.flatMap((name) => readAddress(name) ?? []);
  const [first] = addresses;
  if (!first || addresses.length < names.length) {
    throw new NoAnswer(`The name ${host} has no address that can be used`);
  }
  const place = { name: host, addresses, port: portOf(url), isSecure: url.protocol === "https:" };
  const refused = await targetRefusal(place, resolve);
  if (refused) throw new ForbiddenTarget(refused);
  return formatAddress(first);
}

async function addressesOf(name: string): Promise<string[]> {
  if (isIP(name)) return [name];
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

type Exchange = OutgoingRequest & { ending: AbortSignal; late: NoAnswer };

/** fetch would follow the proxy settings of the environment; node:http does not. */
function exchange(url: URL, address: string, request: Exchange): Promise<TargetAnswer> {
  const { method, headers, body, ca, ending, late, most = KEPT_OF_ANSWER } = request;
  const isSecure = url.protocol === "https:";
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const options: https.RequestOptions = {
    // An address: nothing is resolved again. The certificate is verified for the name.
    hostname: address,
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers: {
      ...headers,
      host: url.host,
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    },
    agent: false,
    signal: ending,
    ...(isSecure && isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca }),
  };
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    let interim = 0;
    const fail = (reason: NoAnswer) => {
      if (!isAnswered) reject(reason);
    };
    const outgoing = (isSecure ? https : http).request(options, (answer) => {
      isAnswered = true;
      readAnswer(answer, { most, ending }).then(resolve, reject);
    });
    outgoing.on("information", () => {
      interim += 1;
      if (interim <= MOST_INTERIM) return;
      fail(new NoAnswer("The server does not come to its answer"));
      outgoing.destroy();
    });
    ending.addEventListener("abort", () => fail(late));
    outgoing.on("error", (error) => fail(ending.aborted ? late : new NoAnswer(reasonOf(error))));
    outgoing.end(body);
  });
}

/** As soon as enough is read, or the time is over, the rest is dropped: the status is known. */
function readAnswer(
  answer: http.IncomingMessage,
  { most, ending }: { most: number; ending: AbortSignal },
): Promise<TargetAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const finish = (isCut: boolean) => {
      const body = Buffer.concat(parts).subarray(0, most).toString("utf8");
      resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), body, isCut });
      answer.destroy();
    };
    answer.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > most) finish(true);
    });
    answer.on("end", () => finish(false));
    answer.on("error", () => finish(true));
    answer.on("close", () => finish(true));
    ending.addEventListener("abort", () => finish(true));
  });
}

function headersOf({ headers }: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return connectionReason(error) ?? `The connection failed: ${error.code ?? error.name}`;
}
