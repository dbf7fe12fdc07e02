// GET /_names/(table): suggestions for fields that contain the name of another record.
import { Elysia } from "elysia";
import { notFound } from "../../src/input/errors.ts";
import { resourceOf } from "../../src/resources.ts";
import * as crud from "../../src/store/crud.ts";
import { rowsOf } from "../../src/store/records.ts";
import { suggestTags } from "../../src/tags.ts";
import { guard } from "../request/guard.ts";

const MOST_NAMES = "20";

export const namePages = new Elysia({ normalize: false }).use(guard).get(
  "/_names/:table",
  async ({ caller, params, search }) => {
    if (params.table === "tags") {
      const names = await suggestTags(caller, search.get("q") ?? "");
      return Response.json({ data: names.map((name) => ({ name })) });
    }
    const resource = resourceOf(params.table);
    if (!resource) throw notFound();
    const { key } = resource;
    const query = { [`${key}__contains`]: search.get("q") ?? "", per_page: MOST_NAMES, sort: key };
    const listed = await crud.list(resource, caller, new URLSearchParams(query));
    const rows = rowsOf(listed) as Array<Record<string, unknown>>;
    return Response.json({ data: rows.map((row) => ({ name: row[key] })) });
  },
  { see: "everyone" },
);
