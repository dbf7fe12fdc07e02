// The list of items.
import { ITEM_KINDS } from "../../../src/inventory/attributes/attribute.ts";
import { filterChoices, MOST_STATUSES } from "../../../src/inventory/items/choices.ts";
import { item } from "../../../src/inventory/items/item.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { offersFor } from "../../../src/inventory/items/query.ts";
import { withFiles } from "../../files/picture.tsx";
import { BulkBar } from "../../lists/bulk_bar.tsx";
import { ChoiceFilter, filterValue } from "../../lists/choice_filter.tsx";
import { colourOfStatus } from "../../lists/pill.tsx";
import type { Example } from "../../lists/search_examples.tsx";
import { choicesIn } from "../../lists/settings.ts";
import { Icon } from "../../parts/icon.tsx";
import { UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf, fieldsToRead } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { recordPath } from "../../records/links.tsx";
import { tableRows } from "../../request/data_table.ts";
import { useHx } from "../../request/frame.ts";
import { withParams } from "../../request/url_parameters.ts";
import { type ListHooks, readBy, type ShownList } from "../../resource/list.tsx";
import { ITEMS, itemListParams, itemPath, ORDER } from "./paths.ts";

/** The fields that the list always reads of an item. */
const SHOWN = [
  ...(["id", "ics_id", "serial_number", "manufacturer", "model", "location", "status"] as const),
  ...(["status_colour", "parent", "host", "macs", "updated_at", "user", "picture"] as const),
] as const;

type ItemRow = Pick<items.ShownItem, (typeof SHOWN)[number]>;

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

/** The end of a place says most, so a long one is cut at its beginning. */
function Place({ name }: { name: string }) {
  return (
    <a class="cut" href={recordPath("locations", name)} title={name}>
      <span>
        <bdi>{name}</bdi>
      </span>
    </a>
  );
}

/** In the order of their DataTables numbers. */
const COLUMNS = columnsOf<ItemRow, items.ShownItem>(
  item,
  [
    {
      name: "ics_id",
      sortable: true,
      fixed: true,
      class: "mono",
      cell: ({ ics_id }, inList) => <ItemLink ics_id={ics_id} href={itemPath(ics_id) + inList} />,
    },
    { name: "serial_number", sortable: true, cell: (row) => row.serial_number },
    { name: "manufacturer", sortable: true },
    { name: "model", sortable: true },
    {
      name: "location",
      sortable: true,
      class: "end",
      cell: ({ location }) => location && <Place name={location} />,
    },
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

const SHOWN_COLUMNS = withFiles("items", COLUMNS);

const EXAMPLES: Example[] = [
  ["AAA0*", "any field starts with AAA0"],
  ["manufacturer:Siemens AND location:A01*", "both conditions"],
  ["model:SIS8300* OR model:MTCA*", "at least one condition"],
  ['NOT status:"In service"', "items of all other statuses"],
  ["mac:0a:25*", "start of a MAC address"],
  ["comment:fan", "word in a comment"],
  ["seimens~", "up to two letters differ"],
  ["created_at:[2026-01 TO now]", "since January"],
  ["_exists_:host", "items on a host"],
];

export const itemList: ListHooks<ItemRow> = {
  lead: "Equipment with its location and status",
  icon: "box",
  read: readBy(
    ITEMS,
    (caller, listParams, params) =>
      items.listPicked(caller, fieldsToRead(SHOWN, SHOWN_COLUMNS, params), listParams),
    offersFor,
  ),
  columns: () => SHOWN_COLUMNS,
  filters: async (params, request, caller) => {
    const choices = await choicesIn(request, caller, filterChoices);
    return ITEM_KINDS.map((kind) =>
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
          value={filterValue(params, kind)}
          names={choices[kind]}
          suggest={`/inventory/_retrieve_attributes/${kind}`}
        />
      ),
    );
  },
  fields: ITEM_KINDS,
  order: ORDER,
  examples: EXAMPLES,
  hasApi: true,
  hasImport: true,
  excel: (params) => withParams(`${ITEMS}/_generate_excel_file`, params, UNPAGED),
  ways: ListActions,
  bulk: Bulk,
  below: <dialog id="preview" aria-labelledby="preview-title" />,
  table: {
    path: "/inventory/_retrieve_items",
    columns: COLUMNS,
    rows: (caller, table) =>
      tableRows(table, (params) => items.list(caller, itemListParams(params))),
  },
};

function Bulk({ params, listed, rows }: ShownList<ItemRow>) {
  return (
    <BulkBar action={`${ITEMS}/_bulk`} params={params} total={listed.total} shown={rows.length}>
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
function ListActions({ params, mayEdit }: ShownList<ItemRow>) {
  return (
    <>
      <a
        class="button quiet"
        href={withParams(`${ITEMS}/labels`, params, { ...UNPAGED, cols: null })}
      >
        <Icon name="qrcode" /> Labels
      </a>
      {mayEdit && (
        <a class="button quiet" href={`${ITEMS}/import`}>
          <Icon name="upload" /> Import
        </a>
      )}
    </>
  );
}
