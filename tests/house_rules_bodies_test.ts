// Rules for the bodies of all routes.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { app } from "../src/app.ts";
import {
  LARGEST_BODY,
  LARGEST_FILE_FORM,
  LARGEST_LOGIN,
  LARGEST_LOGIN_FORM,
  LARGEST_REQUEST,
  LARGEST_ROWS,
  LARGEST_UPLOAD,
  MOST_DROPPED,
} from "../src/input/limits.ts";
import { browser } from "./support/browser.ts";
import { sendEndlessBody } from "./support/endless_body.ts";
import { alice, reference, service, tokenOf } from "./support/mod.ts";

setDefaultTimeout(120_000);

/** Routes with other limits. */
const LIMITS: Record<string, number> = {
  "POST /api/v1/user/login": LARGEST_LOGIN,
  "POST /user/login": LARGEST_LOGIN_FORM,
  "POST /user/login/passkey": LARGEST_LOGIN_FORM,
  "POST /user/login/passkey/options": LARGEST_LOGIN_FORM,
  "POST /user/login/second-step": LARGEST_LOGIN_FORM,
  "POST /user/login/second-step/options": LARGEST_LOGIN_FORM,
  "POST /inventory/items/import": LARGEST_FILE_FORM,
  "POST /network/hosts/import": LARGEST_FILE_FORM,
};
const FILE = /^POST \/api\/.*\/files$/;
const ROWS = /^POST \/api\/.*\/import$/;
/** Routes that read no body. */
const DEAF = ["POST /user/logout", "POST /notices/unsubscribe/:link"];
const OPEN = [
  "POST /notices/unsubscribe/:link",
  "POST /api/v1/user/login",
  "POST /user/login",
  "POST /user/login/passkey",
  "POST /user/login/passkey/options",
  "POST /user/login/second-step",
  "POST /user/login/second-step/options",
  "POST /user/logout",
];

const routes = app.routes
  .filter(({ method }) => method !== "GET")
  .map(({ method, path }) => {
    const name = `${method} ${path.replace(/(.)\/$/, "$1")}`;
    const at = path.replace(/:kind/, "location").replace(/:[^/]+/g, "2147483647");
    return {
      name,
      method,
      path: at,
      limit: limitOf(name),
    };
  });

function limitOf(name: string): number {
  if (FILE.test(name)) return LARGEST_UPLOAD;
  return ROWS.test(name) ? LARGEST_ROWS : (LIMITS[name] ?? LARGEST_BODY);
}

function typeOf(name: string): string {
  if (ROWS.test(name)) return "application/x-ndjson";
  return name.includes("/api/") ? "application/json" : "application/x-www-form-urlencoded";
}

function headersFor(
  name: string,
  { authorization, cookie }: Record<"authorization" | "cookie", string>,
): Record<string, string> {
  return {
    "content-type": typeOf(name),
    "sec-fetch-site": "same-origin",
    ...(name.includes("/api/") ? { authorization } : { cookie }),
  };
}

describe("the body of every route", () => {
  test("is accepted up to its limit, also without a Content-Length", async () => {
    const { origin } = await service();
    const { cookie } = await browser(alice);
    const authorization = `Bearer ${await tokenOf(alice)}`;
    for (const { name, limit, ...route } of routes.filter((one) => !DEAF.includes(one.name))) {
      const headers = headersFor(name, { authorization, cookie });
      const { status } = await sendEndlessBody(origin, { ...route, headers, most: limit + 1 });
      expect([name, status]).toEqual([name, 413]);
    }
  });

  test("of an unauthenticated request is discarded", async () => {
    const { origin } = await service();
    for (const { name, ...route } of routes.filter((one) => !OPEN.includes(one.name))) {
      const headers = { "content-type": typeOf(name), "sec-fetch-site": "same-origin" };
      const { status } = await sendEndlessBody(origin, {
        ...route,
        headers,
        most: LARGEST_BODY + 1,
      });
      expect([name, status === 401 || status === 303]).toEqual([name, true]);
    }
  });

  test("that is too long is read no further and not kept", async () => {
    const { origin } = await service();
    const authorization = `Bearer ${await tokenOf(alice)}`;
    const most = 4 * LARGEST_REQUEST;
    for (const { name, limit, ...route } of routes) {
      const isExemplary = name in LIMITS || DEAF.includes(name) || name.endsWith("/locations");
      if (!isExemplary || limit > LARGEST_FILE_FORM) continue;
      const { cookie } = await browser(alice);
      const headers = headersFor(name, { authorization, cookie });
      const ended = await sendEndlessBody(origin, { ...route, headers, most });
      // The buffers of both sockets are added.
      const [read, kept] = [limit + MOST_DROPPED, 16 * LARGEST_BODY];
      expect([name, ended.isClosed, ended.sent < read + kept]).toEqual([name, true, true]);
    }
  });

  test("is limited in the reference: texts, lists, and numbers of fields", async () => {
    const { paths } = await reference();
    const unbounded = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) => {
        const { schema } = requestBody?.content?.["application/json"] ?? {};
        return schema ? openEnds(schema).map((place) => `${method} ${path} ${place}`) : [];
      }),
    );
    expect(unbounded).toEqual([]);
  });
});

/** Variables: src/network/variables/limits.ts bounds them. What triggers send: src/events/triggers/settings.ts does. */
const FREE = ["site", "automation_vars", "vars", "variables", "headers"];

function openEnds(schema: any, place = "body"): string[] {
  const inner: Array<[string, any]> = [
    ...Object.entries(schema.properties ?? {}).filter(([name]) => !FREE.includes(name)),
    ...(schema.anyOf ?? []).map((one: unknown) => ["", one]),
    ...(schema.items ? [["[]", schema.items]] : []),
  ];
  const isOpen =
    (schema.type === "array" && !(schema.maxItems <= 10_000)) ||
    (schema.type === "string" && !("maxLength" in schema || isShort(schema))) ||
    (schema.type === "object" && schema.additionalProperties !== false);
  return [
    ...(isOpen ? [place] : []),
    ...inner.flatMap(([name, one]) => openEnds(one, `${place}.${name}`)),
  ];
}

/** Whether a pattern or a list of values limits the length of a text. */
function isShort({ const: only, enum: all, pattern = "" }: any): boolean {
  return only !== undefined || all !== undefined || (pattern !== "" && !/[*+]|,\}/.test(pattern));
}
