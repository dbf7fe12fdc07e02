// GET /inventory/items and POST /inventory/_retrieve_items: the list.

import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import { filterChoices } from "../../../src/inventory/items/choices.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { offersFor } from "../../../src/inventory/items/query.ts";
import * as records from "../../../src/store/records.ts";
import { markWritable } from "../../../src/store/rights/check.ts";
import { isHtmx, page, wantsFragment } from "../../layout/page.tsx";
import { choicesIn } from "../../lists/settings.ts";
import { fieldsToRead } from "../../parts/resource_fields.tsx";
import { readTableRequest, tableRows } from "../../request/data_table.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import {
  apiAddress,
  COLUMNS,
  ItemList,
  type ItemListProps,
  ItemsPage,
  PATH,
  SHOWN,
} from "./list.tsx";
import { itemListParams } from "./list_params.ts";

export const EDITORS = INVENTORY_EDITORS;

export const itemPages = new Elysia({ prefix: "/inventory", normalize: false })
  .use(guard)
  .get("/items", ({ request, caller, search }) => show(request, caller, search), {
    see: "everyone",
  })
  .post(
    "/_retrieve_items",
    ({ request, caller, search, form }) => {
      const table = readTableRequest(form, search, COLUMNS);
      return isHtmx(request)
        ? show(request, caller, table.params)
        : tableRows(table, (params) => items.list(caller, itemListParams(params)));
    },
    { see: "everyone" },
  );

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const shown = await read(caller, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Items",
    crumbs: [{ label: "Inventory" }, { label: "Items" }],
    body: isPart ? null : (
      <ItemsPage
        {...shown}
        choices={await choicesIn(request, caller, filterChoices)}
        api={apiAddress(request, params)}
      />
    ),
    fragment: <ItemList {...shown} />,
    // The URL without empty fields.
    headers: isPart ? { "hx-push-url": withParams(PATH, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<ItemListProps> {
  const listParams = itemListParams(params);
  listParams.delete("cols");
  listParams.delete("selected");
  const listed = await items.listPicked(caller, fieldsToRead(SHOWN, COLUMNS, params), listParams);
  const text = params.get("q") ?? "";
  const isMissed = text.trim() !== "" && listed.total === 0;
  return {
    params,
    listed,
    rows: await markWritable(caller, "items", records.rowsOf(listed)),
    mayEdit: may(caller, EDITORS),
    ...(isMissed && { offers: await offersFor(caller, text) }),
  };
}
