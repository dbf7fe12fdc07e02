import { Elysia } from "elysia";
import { notFound } from "../src/errors.ts";
import { visitOf } from "../src/visit.ts";
import { serve } from "../static/mod.ts";

export const staticFiles = new Elysia().get("/static/*", ({ request }) => {
  visitOf(request).route = "/static/*";
  const found = serve(new URL(request.url).pathname, request.headers.get("accept-encoding"));
  if (!found) throw notFound();
  return found;
});
