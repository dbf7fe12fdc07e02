// Pages, fragments and redirects as answers.
import type { ComponentChildren, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import {
  ENCODINGS,
  type Encoding,
  LEAST_COMPRESSED,
  preferredEncoding,
} from "../../src/http/encoding.ts";
import { contextOf } from "../../src/http/request_context.ts";
import { settingsIn } from "../lists/settings.ts";
import { densityOf, endNotice, noticeOf, setNotice, themeOf } from "../request/cookies.ts";
import { type Frame, type Notice, withFrame } from "../request/frame.ts";
import { isHtmx, wantsFragment } from "../request/htmx.ts";
import { isLive } from "../request/live.ts";
import { type Crumb, Layout } from "./layout.tsx";

export { isHtmx, wantsFragment };

export interface Page {
  title: string;
  body: ComponentChildren;
  /** The fragment for htmx, if it is not the whole body: a component that the body also uses. */
  fragment?: VNode;
  crumbs?: Crumb[];
  status?: number;
  headers?: Record<string, string>;
  /** The class of the body element, for pages without the usual frame. */
  kind?: "login" | "error";
  /** What changes concern it, if it shows them: see records/live.tsx. */
  live?: string;
  /** Shows a secret: never compressed, so that its length reveals nothing. */
  isSecret?: boolean;
  /** The Trusted Types policies: of htmx, and on the scanner page of the worker. */
  trusts?: string[];
}

export function page(request: Request, shown: Page): Response {
  if (wantsFragment(request)) return fragment(request, shown.fragment ?? <>{shown.body}</>, shown);
  const frame = frameOf(request);
  const html = render(frame, <Layout {...shown}>{shown.body}</Layout>);
  const response = answer(request, `<!DOCTYPE html>${html}`, { ...shown, nonce: frame.nonce });
  // The page of another tab that asks for itself again leaves the notice to the page that it is for.
  if (frame.notice && !isLive(request)) response.headers.append("set-cookie", endNotice(request));
  return response;
}

export function fragment(
  request: Request,
  body: VNode | null,
  shown: Partial<Page> = {},
): Response {
  const frame = frameOf(request);
  return answer(request, render(frame, body), { ...shown, nonce: frame.nonce });
}

/** After a write: redirects to a page, which shows what was done. */
export function redirect(request: Request, to: string, said?: string | Notice): Response {
  const response = new Response(null, { status: 303, headers: { location: to } });
  const notice = typeof said === "string" ? { text: said } : said;
  if (notice) response.headers.append("set-cookie", setNotice(request, notice));
  return response;
}

/** What a request changed, with its undo. */
export function withUndo(request: Request, text: string): Notice {
  const { changeSet } = contextOf(request);
  return changeSet === undefined ? { text } : { text, undo: changeSet };
}

function frameOf(request: Request): Frame {
  const { pathname, search } = new URL(request.url);
  const { caller } = contextOf(request);
  const list = settingsIn(request);
  return {
    nonce: crypto.randomUUID().replaceAll("-", ""),
    here: pathname + search,
    pathname,
    theme: themeOf(request),
    density: densityOf(request),
    ...(list ? { list } : {}),
    ...(caller ? { caller } : {}),
    notice: noticeOf(request),
  };
}

function render(frame: Frame, body: VNode | null): string {
  return body ? withFrame(frame, () => renderToString(body)) : "";
}

interface AnswerOptions extends Partial<Page> {
  nonce: string;
}

function answer(
  request: Request,
  html: string,
  { nonce, status = 200, headers, isSecret, trusts = ["htmx"] }: AnswerOptions,
): Response {
  const [encoding, body] = isSecret
    ? [undefined, html]
    : compress(html, request.headers.get("accept-encoding"));
  return new Response(body, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(nonce, trusts),
      vary: VARY,
      ...(encoding ? { "content-encoding": encoding } : {}),
      ...headers,
    },
  });
}

const VARY =
  "accept-encoding, hx-request, hx-request-type, hx-boosted, hx-history-restore-request, cookie";

// Only our files run, only htmx may write markup, and only attributes with the nonce have an effect.
function policy(nonce: string, trusts: string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trusts.join(" ")}`,
  ].join("; ");
}

function compress(
  html: string,
  accepted: string | null,
): [Encoding | undefined, string | Uint8Array<ArrayBuffer>] {
  const isShort = html.length < LEAST_COMPRESSED;
  const encoding = isShort ? undefined : preferredEncoding(accepted, ENCODINGS);
  if (encoding === "zstd") {
    return [encoding, new Uint8Array(Bun.zstdCompressSync(html, { level: 6 }))];
  }
  return encoding ? [encoding, Bun.gzipSync(html)] : [undefined, html];
}
