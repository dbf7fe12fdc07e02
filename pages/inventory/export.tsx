// GET /inventory/items/_generate_excel_file: begins to write the list that it was asked from.
import { Elysia } from "elysia";
import { forbidden } from "../../src/errors.ts";
import * as exports from "../../src/inventory/export.ts";
import { door } from "../door.ts";
import { requireOurSite } from "../posted.ts";
import { accepted } from "../status.tsx";
import { asMeant } from "../typed.ts";

export const exportPages = new Elysia({ prefix: "/inventory", normalize: false }).use(door).get(
  "/items/_generate_excel_file",
  async ({ request, caller, search }) => {
    requireOwnWish(request);
    return accepted(request, await exports.request(caller, asMeant(search)));
  },
  { see: "everyone" },
);

// A link or a picture on another site must not start anything here. Browsers tell where a request
// comes from; programs, which tell nothing, are not led by pages.
function requireOwnWish(request: Request): void {
  if (request.headers.has("sec-purpose") || request.headers.has("purpose"))
    throw forbidden("Not in advance");
  if (request.headers.has("sec-fetch-site") || request.headers.has("origin"))
    requireOurSite(request);
}
