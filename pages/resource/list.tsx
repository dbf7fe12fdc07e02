import type { ListJson } from "../../src/store/records.ts";
import type { Resource } from "../../src/store/resource.ts";
import { ListBar } from "../lists/bulk_bar.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { RowLink } from "../lists/row_link.tsx";
import { Filters, List, ListHead } from "../parts/list.tsx";
import { pickBy } from "../parts/list_columns.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { inTitle } from "../texts.ts";
import type { StandardRow } from "./row.ts";

export interface ResourceListProps {
  resource: Resource;
  params: URLSearchParams;
  listed: ListJson;
  rows: StandardRow[];
  mayEdit: boolean;
  mayDelete: boolean;
}

export function ResourceListPage(shown: ResourceListProps) {
  const { resource, params, mayEdit } = shown;
  const { noun, plural, path, standard } = resource;
  return (
    <>
      <ListHead
        title={inTitle(plural)}
        lead={standard?.lead}
        path={path}
        noun={noun}
        mayAdd={mayEdit}
      />
      <Filters path={path} params={params} noun={plural} />
      <ResourceList {...shown} />
    </>
  );
}

export function ResourceList(shown: ResourceListProps) {
  const { resource, params, listed, rows, mayEdit, mayDelete } = shown;
  const { noun, plural, path, key } = resource;
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
  ]);
  return (
    <List
      noun={plural}
      singular={noun}
      path={path}
      params={params}
      listed={listed}
      rows={rows}
      bulk={mayEdit && <ListBar path={path} mayDelete={mayDelete} {...{ params, listed, rows }} />}
      // These resources have few fields, so all are shown; the stamps only when chosen.
      columns={[
        ...(mayEdit ? [pickBy<StandardRow>((row) => String(row[key]))] : []),
        ...columns.map((column) => ({ ...column, rare: STAMPS.includes(column.name) })),
      ]}
      empty={<Empty resource={resource} mayEdit={mayEdit} />}
    />
  );
}

const STAMPS = ["user", "created_at"];

function Empty({ resource, mayEdit }: Pick<ResourceListProps, "resource" | "mayEdit">) {
  return (
    <div class="empty">
      <EmptyPicture icon="tag" />
      <p>No {resource.plural} yet</p>
      {mayEdit && (
        <a class="button" href={`${resource.path}/create`}>
          Add the first {resource.noun}
        </a>
      )}
    </div>
  );
}
