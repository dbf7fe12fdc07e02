// GET /lists/export: the whole list as a file, filtered as in the address.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { REACH_KINDS, type Reach, reachOf } from "../../src/auth/token_limits.ts";
import { type ListFile, NOT_IN_CELLS, respond } from "../../src/http/list_files.ts";
import type { Read } from "../../src/store/read.ts";
import * as records from "../../src/store/records.ts";
import { Icon } from "../parts/icon.tsx";
import { requireOnDemand, requireOurSite } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { type ListSource, requireList, sources } from "./sources.ts";

const PATH = "/lists/export";
/** Parameters of a list that change how it is displayed, and our own. */
const DISPLAY = ["page", "per_page", "cols", "selected", "recursive", "list", "format"];
function reachOfList(search: URLSearchParams): Reach {
  const source = sources.get(search.get("list") ?? "");
  return source ? reachOf(source.resource) : { kinds: REACH_KINDS };
}

export const listExportPages = new Elysia({ normalize: false }).use(guard).get(
  PATH,
  async ({ request, caller, search }) => {
    requireOnDemand(request);
    requireOurSite(request);
    const source = requireList(caller, search.get("list") ?? "");
    const format = search.get("format") === "xlsx" ? "xlsx" : "csv";
    return respond(caller, format, (read) => fileOf(caller, source, search, read));
  },
  { fetch: { allowed: "everyone", reach: reachOfList } },
);

async function fileOf(
  caller: Caller,
  { resource, query: queryFor, read: paramsOf }: ListSource,
  params: URLSearchParams,
  read: Read,
): Promise<ListFile> {
  const query = await queryFor(caller);
  const filters = [...params].filter(([name]) => !DISPLAY.includes(name));
  const ids = await records.keys(query, paramsOf(new URLSearchParams(filters)), { read });
  const known = Object.entries(query.fields)
    .filter(([name, { hidden }]) => !hidden && !NOT_IN_CELLS.includes(name))
    .map(([name]) => name);
  // Lists also show fields that are in a record only if they are picked, such as the IPs of a host.
  const further = Object.keys(resource.fields).filter((name) => !resource.fields[name]?.schema);
  const offered = [...known, ...further.filter((name) => name in query.fields)];
  const chosen = [resource.key, ...params.getAll("cols")].filter((name) => offered.includes(name));
  const titles = params.has("cols") ? [...new Set(chosen)] : known;
  const picked = records.pick(query, titles);
  return { name: resource.plural, titles, list: { query: picked, ids, read } };
}

interface ExportsProps {
  path: string;
  params: URLSearchParams;
  /** The page that starts a job for the Excel file, if the list has one. */
  excel?: string | undefined;
}

/** Links to the list as a file. */
export function Exports({ path, params, excel }: ExportsProps) {
  const address = (format: string) => {
    const listParams = new URLSearchParams(params);
    for (const name of ["page", "per_page", "selected"]) listParams.delete(name);
    return `${PATH}?${new URLSearchParams([["list", path], ["format", format], ...listParams])}`;
  };
  return (
    <details class="chooser menu">
      <summary>
        <Icon name="download" /> Export
      </summary>
      <ul>
        <li>
          <a href={address("csv")}>CSV</a>
        </li>
        <li>
          <a href={excel ?? address("xlsx")}>Excel</a>
        </li>
      </ul>
    </details>
  );
}
