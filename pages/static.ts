import { Elysia } from "elysia";
import { contextOf } from "../src/http/request_context.ts";
import { notFound } from "../src/input/errors.ts";
import { serve } from "../static/mod.ts";

export const staticFiles = new Elysia().get("/static/*", ({ request }) => {
  contextOf(request).route = "/static/*";
  const found = serve(new URL(request.url).pathname, request.headers.get("accept-encoding"));
  if (!found) throw notFound();
  return found;
});
