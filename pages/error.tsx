import type { Refusal } from "../src/errors.ts";

export function errorPage(_request: Request, refusal: Refusal): Response {
  return new Response(refusal.message, {
    status: refusal.status,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}
