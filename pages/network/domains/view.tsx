// GET /network/domains/view/(name): a domain with its scopes, its networks and its history.
import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { timelineOf } from "../../../src/history/history.ts";
import { notFound } from "../../../src/input/errors.ts";
import { textError } from "../../../src/input/text.ts";
import { domain } from "../../../src/network/domains/domain.ts";
import { listRows, positionIn } from "../../../src/store/crud.ts";
import { rowsOf } from "../../../src/store/records.ts";
import { page } from "../../layout/page.tsx";
import { listOf, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { referringTo } from "../../resource/contents.tsx";
import { RecordPage } from "../../resource/view.tsx";
import { DOMAINS, EDITORS } from "../paths.ts";
import { DETAIL } from "./list.tsx";

export const domainViewPages = new Elysia({ prefix: DOMAINS, normalize: false })
  .use(guard)
  .get("/view/:name", ({ request, caller, params }) => show(request, caller, params.name), {
    see: "everyone",
  });

async function show(request: Request, caller: Caller, name: string): Promise<Response> {
  if (textError(name)) throw notFound();
  const [row] = rowsOf(
    await listRows(domain, caller, new URLSearchParams({ name, per_page: "1" })),
  );
  if (!row) throw notFound();
  const [timeline, referring, place] = await Promise.all([
    timelineOf(caller, { table: domain.name, id: row.id }),
    referringTo(caller, domain, row.id),
    placeIn(request.url, (list) => positionIn(domain, caller, row.id, readTyped(list))),
  ]);
  return page(request, {
    title: row.name,
    live: liveRecord(domain, row.id),
    crumbs: [
      { label: "Network" },
      { label: "Domains", href: listOf(DOMAINS, request.url) },
      { label: row.name },
    ],
    body: (
      <RecordPage
        resource={domain}
        row={row}
        name={row.name}
        timeline={timeline}
        referring={referring}
        place={place}
        mayEdit={false}
        deletion={may(caller, EDITORS) ? { field: ["id", String(row.id)], detail: DETAIL } : null}
      />
    ),
  });
}
