import { Elysia } from "elysia";
import { contextOf } from "../src/http/request_context.ts";
import { notFound } from "../src/input/errors.ts";
import { asset, serve } from "../static/mod.ts";
import { BAR_COLOURS, MANIFEST } from "./layout/app_links.tsx";

export const staticFiles = new Elysia()
  .get("/static/*", ({ request }) => {
    contextOf(request).route = "/static/*";
    const found = serve(new URL(request.url).pathname, request.headers.get("accept-encoding"));
    if (!found) throw notFound();
    return found;
  })
  .get(MANIFEST, ({ request }) => {
    contextOf(request).route = MANIFEST;
    return new Response(manifest(), {
      headers: { "content-type": "application/manifest+json", "cache-control": "max-age=86400" },
    });
  });

/** What a phone needs to install the site as an app. static/app.js leads from its start to the page that was left. */
function manifest(): string {
  const icons = ([192, 512] as const).map((size) => ({
    src: asset(`icon-${size}.png`),
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose: "any maskable",
  }));
  return JSON.stringify({
    id: "/",
    name: "Cadastre",
    short_name: "Cadastre",
    start_url: "/?source=app",
    scope: "/",
    display: "standalone",
    background_color: BAR_COLOURS.light,
    theme_color: BAR_COLOURS.light,
    icons,
  });
}
