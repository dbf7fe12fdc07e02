import { contextOf } from "../../../src/http/request_context.ts";
import { ITEM_KINDS } from "../../../src/inventory/attributes/attribute.ts";
import { type ItemChoices, MOST_STATUSES } from "../../../src/inventory/items/choices.ts";
import { item } from "../../../src/inventory/items/item.ts";
import type { ShownItem } from "../../../src/inventory/items/items.ts";
import type { Offers } from "../../../src/search/suggest/did_you_mean.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { BulkBar } from "../../lists/bulk_bar.tsx";
import { ChoiceFilter } from "../../lists/choice_filter.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfStatus } from "../../lists/pill.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Filters, List, ListHead } from "../../parts/list.tsx";
import { pickBy, UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { useHx } from "../../request/frame.ts";
import { withParams } from "../../request/url_parameters.ts";
import { itemListParams, ORDER } from "./list_params.ts";

export const PATH = "/inventory/items";

/** The fields that the list always reads of an item. */
export const SHOWN = [
  ...(["id", "ics_id", "serial_number", "manufacturer", "model", "location", "status"] as const),
  ...(["status_colour", "parent", "host", "macs", "updated_at", "user"] as const),
] as const;

type ItemRow = Pick<ShownItem, (typeof SHOWN)[number]>;

export interface ItemListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: ItemRow[];
  mayEdit: boolean;
  /** Other queries, if this one found nothing. */
  offers?: Offers;
}

export function viewPath(ics_id: string): string {
  return `${PATH}/view/${ics_id}`;
}

export function ItemsPage({
  choices,
  api,
  ...shown
}: ItemListProps & { choices: ItemChoices; api: string }) {
  const { params, mayEdit } = shown;
  return (
    <>
      <ListHead
        title="Items"
        lead="Equipment with its location and status"
        path={PATH}
        noun="item"
        mayAdd={mayEdit}
      />
      <Filters path={PATH} params={params} noun="items">
        {ITEM_KINDS.map((kind) =>
          kind === "status" && choices.status.length < MOST_STATUSES ? (
            <ChoiceFilter
              name="status"
              label={item.fields.status.label}
              params={params}
              options={choices.status}
            />
          ) : (
            <Typeahead
              name={kind}
              id={`filter-${kind}`}
              label={item.fields[kind].label}
              value={params.getAll(kind).length === 1 ? (params.get(kind) ?? "") : ""}
              names={choices[kind]}
              suggest={`/inventory/_retrieve_attributes/${kind}`}
            />
          ),
        )}
      </Filters>
      <ItemList {...shown} />
      <dialog id="preview" aria-labelledby="preview-title" />
      <ApiCall address={api} />
    </>
  );
}

/** The same list in the API. */
export function apiAddress(request: Request, params: URLSearchParams): string {
  const path = `${contextOf(request).origin}/api/v1/inventory/items`;
  return withParams(path, itemListParams(params), { cols: null, selected: null });
}

export function ItemList({ params, listed, rows, mayEdit, offers }: ItemListProps) {
  return (
    <List
      noun="items"
      singular="item"
      path={PATH}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [pick, ...COLUMNS] : COLUMNS}
      fields={ITEM_KINDS}
      order={ORDER}
      excel={withParams(`${PATH}/_generate_excel_file`, params, UNPAGED)}
      offers={offers}
      ways={<ListActions params={params} mayEdit={mayEdit} />}
      empty={<Empty mayEdit={mayEdit} />}
      bulk={mayEdit && <Bulk params={params} total={listed.total} shown={rows.length} />}
    />
  );
}

function Bulk(list: { params: URLSearchParams; total: number; shown: number }) {
  return (
    <BulkBar action={`${PATH}/_bulk`} {...list}>
      <ItemButtons />
    </BulkBar>
  );
}

function ItemButtons() {
  return (
    <>
      <button type="submit">
        <Icon name="pencil" /> Change selected
      </button>
      <button type="submit" name="labels" value="true">
        <Icon name="qrcode" /> Print labels
      </button>
    </>
  );
}

/** The same list without what says which part of it is shown. */
const UNPAGED = { page: null, per_page: null, selected: null };

/** Links to the labels and the import. */
function ListActions({ params, mayEdit }: Pick<ItemListProps, "params" | "mayEdit">) {
  return (
    <>
      <a
        class="button quiet"
        href={withParams(`${PATH}/labels`, params, { ...UNPAGED, cols: null })}
      >
        <Icon name="qrcode" /> Labels
      </a>
      {mayEdit && (
        <a class="button quiet" href={`${PATH}/import`}>
          <Icon name="upload" /> Import
        </a>
      )}
    </>
  );
}

function ItemLink({ ics_id, href }: { ics_id: string; href: string }) {
  const hx = useHx();
  return (
    <span data-copied>
      <a class="open" href={href} {...hx({ get: href, trigger: "preview", target: "#preview" })}>
        {ics_id}
      </a>
    </span>
  );
}

const pick = pickBy<ItemRow & { mayWrite?: boolean }>(({ ics_id }) => ics_id);

/** In the order of their DataTables numbers. */
export const COLUMNS = columnsOf<ItemRow, ShownItem>(
  item,
  [
    {
      name: "ics_id",
      sortable: true,
      fixed: true,
      class: "mono",
      cell: ({ ics_id }, inList) => <ItemLink ics_id={ics_id} href={viewPath(ics_id) + inList} />,
    },
    { name: "serial_number", sortable: true, cell: (row) => row.serial_number },
    { name: "manufacturer", sortable: true },
    { name: "model", sortable: true },
    { name: "location", sortable: true },
    {
      name: "status",
      sortable: true,
      pill: (row) => colourOfStatus(row.status, row.status_colour),
    },
    { name: "parent", sortable: true, class: "mono" },
    { name: "host", sortable: true },
    { name: "macs", label: "MACs", class: "mono", cell: (row) => row.macs.join(" ") },
    UPDATED,
    { name: "user", sortable: true },
  ],
  ["children", "comments", "history"],
);

function Empty({ mayEdit }: { mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="box" />
      <p>No items yet</p>
      {mayEdit && (
        <p class="buttons">
          <a class="button" href={`${PATH}/create`}>
            Add the first item
          </a>
          <a class="button" href={`${PATH}/import`}>
            Import a file
          </a>
        </p>
      )}
    </div>
  );
}
