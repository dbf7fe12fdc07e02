// GET /inventory/items and POST /inventory/_retrieve_items: the list.
import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth.ts";
import { choices } from "../../src/inventory/item_choices.ts";
import * as items from "../../src/inventory/items.ts";
import { withParams } from "../address.ts";
import { door } from "../door.ts";
import { isHtmx, page, wantsFragment } from "../page.tsx";
import { asMeant } from "../typed.ts";
import { apiAddress, COLUMNS, ItemList, ItemsPage, PATH, type Shown } from "./items_list.tsx";
import { type Asked, readTable } from "./retrieve_items.ts";

export const EDITORS = ["inventory", "admin"] as const;

export const itemPages = new Elysia({ prefix: "/inventory", normalize: false })
  .use(door)
  .get("/items", ({ request, caller, search }) => show(request, caller, search), {
    see: "everyone",
  })
  .post(
    "/_retrieve_items",
    ({ request, caller, search, form }) => {
      const asked = readTable(form, search, COLUMNS);
      return isHtmx(request) ? show(request, caller, asked.params) : retrieve(caller, asked);
    },
    { see: "everyone" },
  );

const TOLD = ["id", "quantity", ...COLUMNS.map(({ name }) => name)];

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const shown = await read(caller, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Items",
    crumbs: [{ label: "Inventory" }, { label: "Items" }],
    body: isPart ? null : (
      <ItemsPage {...shown} choices={await choices(caller)} api={apiAddress(request, params)} />
    ),
    fragment: <ItemList {...shown} />,
    // The address without the fields that were left empty.
    headers: isPart ? { "hx-push-url": withParams(PATH, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<Shown> {
  const asked = asMeant(params);
  asked.delete("cols");
  asked.delete("selected");
  const listed = await items.listTelling(caller, TOLD, asked);
  return { params, listed, rows: JSON.parse(listed.json), mayEdit: may(caller, EDITORS) };
}

async function retrieve(caller: Caller, asked: Asked): Promise<Response> {
  const [rows, all] = await Promise.all([
    rowsFrom(caller, asked),
    items.list(caller, new URLSearchParams({ per_page: "1" })),
  ]);
  const { total, data } = rows;
  return Response.json({ draw: asked.draw, recordsTotal: all.total, recordsFiltered: total, data });
}

/** Where the rows begin in the midst of a page, they end in the midst of the next. */
async function rowsFrom(caller: Caller, { params: typed, skipped }: Asked) {
  const params = asMeant(typed);
  const { total, json, page, per_page } = await items.list(caller, params);
  const data = JSON.parse(json);
  if (skipped === 0) return { total, data };
  const next = new URLSearchParams(params);
  next.set("page", String(page + 1));
  const rest = JSON.parse((await items.list(caller, next)).json);
  return { total, data: [...data, ...rest].slice(skipped, skipped + per_page) };
}
