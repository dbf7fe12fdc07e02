import { Elysia } from "elysia";
import * as metrics from "../monitoring/metrics.ts";
import { whyNotReady } from "../monitoring/readiness.ts";

export const health = new Elysia()
  .get("/health/live", () => Response.json({ status: "ok" }), { detail: { hide: true } })
  .get("/health", ready, { detail: { hide: true } })
  .get("/health/ready", ready, { detail: { hide: true } })
  .get("/metrics", async () => new Response(await metrics.metricsText(), { headers: METRICS }), {
    detail: { hide: true },
  });

const METRICS = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

async function ready(): Promise<Response> {
  const reason = await whyNotReady();
  if (reason === null) return Response.json({ status: "ok" });
  return Response.json(
    { status: "unavailable", reason },
    { status: 503, headers: { "Retry-After": "2" } },
  );
}
