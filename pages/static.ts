import { Elysia } from "elysia";
import { visitOf } from "../src/http/visit.ts";
import { notFound } from "../src/input/errors.ts";
import { serve } from "../static/mod.ts";

export const staticFiles = new Elysia().get("/static/*", ({ request }) => {
  visitOf(request).route = "/static/*";
  const found = serve(new URL(request.url).pathname, request.headers.get("accept-encoding"));
  if (!found) throw notFound();
  return found;
});
