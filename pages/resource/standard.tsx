// The pages of a resource without code of its own, and the hooks for one that adds to them.
import { notFound } from "../../src/input/errors.ts";
import { standardArea, standardResources } from "../../src/resources.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import type { Resource } from "../../src/store/resource.ts";
import { RowLink } from "../lists/row_link.tsx";
import { columnsOf, fieldValue } from "../parts/resource_fields.tsx";
import { referencesTo } from "./contents.tsx";
import { type PageHooks, recordChange, recordCreation } from "./hooks.ts";
import { type ListHooks, readBy } from "./list.tsx";
import { ResourcePages } from "./pages.tsx";
import type { PagedRow } from "./view.tsx";

/** A record of a resource that has no type of its own. */
export type StandardRow = PagedRow & Record<string, unknown>;

const STAMPS = ["user", "created_at"];

export const standardPages = standardResources
  .filter(({ standard }) => !standard?.hasOwnPages)
  .map((resource) => new ResourcePages(standardHooks(resource)).routes());

export function standardHooks(resource: Resource): PageHooks<StandardRow, StandardRow> {
  const { created, changed, ...area } = standardArea(resource);
  const { key } = resource;
  const nameOf = (row: object) => String(fieldValue(row, key));
  return {
    resource,
    list: standardList(resource),
    find: async (caller, name) => {
      const one = new URLSearchParams({ [key]: name, per_page: "1" });
      const [row] = rowsOf(await area.list(caller, one));
      if (!row) throw notFound();
      const { json, version } = await area.find(caller, row.id);
      return { json, version };
    },
    view: async ({ caller, row }) => ({
      contents: await referencesTo(caller, resource, { id: row.id, name: nameOf(row) }),
    }),
    creation: recordCreation({
      shape: created,
      work: async (caller, input) => ({ name: nameOf(rowOf(await area.create(caller, input))) }),
    }),
    change:
      changed &&
      recordChange({
        shape: changed,
        work: async (caller, input, { edited }) => ({
          name: nameOf(rowOf(await area.update(caller, edited.id, input))),
        }),
      }),
    removal: { work: area.remove },
  };
}

/** All fields are shown, as these resources have few; the stamps only when chosen. */
function standardList(resource: Resource): ListHooks<StandardRow> {
  const { path, key } = resource;
  const columns = columnsOf<StandardRow>(resource, [
    {
      name: key,
      sortable: true,
      fixed: true,
      cell: (row, inList) => (
        <RowLink
          name={String(row[key])}
          href={`${path}/view/${encodeURIComponent(String(row[key]))}${inList}`}
        />
      ),
    },
  ]).map((column) => ({ ...column, rare: STAMPS.includes(column.name) }));
  return {
    lead: resource.standard?.lead ?? "",
    icon: "tag",
    read: readBy(path, async (caller, params) => {
      const { row, ...listed } = await standardArea(resource).list(caller, params);
      return listed;
    }),
    columns: () => columns,
  };
}
