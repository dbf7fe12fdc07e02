// GET /inventory/items/_generate_excel_file: starts a job that exports the list.
import { Elysia } from "elysia";
import * as exports from "../../../src/inventory/items/export.ts";
import { accepted } from "../../jobs/status.tsx";
import { requireOnDemand, requireOurSite } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { itemListParams } from "./list_params.ts";

export const exportPages = new Elysia({ prefix: "/inventory", normalize: false }).use(guard).get(
  "/items/_generate_excel_file",
  async ({ request, caller, search }) => {
    // A link or an image on another site must not start a job.
    requireOnDemand(request);
    requireOurSite(request);
    return accepted(request, await exports.request(caller, itemListParams(search)));
  },
  { fetch: { allowed: "everyone", reach: { kinds: ["inventory"] } } },
);
