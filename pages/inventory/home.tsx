// GET /inventory: the page that leads to all lists of the inventory.

import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../src/auth/rights.ts";
import { type InventoryCounts, inventoryCounts } from "../../src/inventory/overview.ts";
import { standardIn } from "../../src/resources.ts";
import { type AreaCardProps, AreaPage, TAGS_CARD } from "../layout/area_page.tsx";
import { page } from "../layout/page.tsx";
import { countOf } from "../parts/count.ts";
import { guard } from "../request/guard.ts";
import { inTitle } from "../texts.ts";

const ITEMS = "/inventory/items";
const ATTRIBUTES = "/inventory/attributes";

export const inventoryPages = new Elysia({ normalize: false }).use(guard).get(
  "/inventory",
  async ({ request, caller }) => {
    const cards = cardsFor(caller, await inventoryCounts());
    return page(request, {
      title: "Inventory",
      crumbs: [{ label: "Inventory" }],
      body: <AreaPage title="Inventory" lead="Equipment and where it is" cards={cards} />,
    });
  },
  { see: "everyone" },
);

function cardsFor(caller: Caller, counts: InventoryCounts | undefined): AreaCardProps[] {
  const mayEdit = may(caller, INVENTORY_EDITORS);
  const figure = (name: keyof InventoryCounts, noun: string) =>
    counts && countOf(counts[name], noun);
  return [
    {
      title: "Items",
      href: ITEMS,
      figure: figure("items", "item"),
      text: "All equipment with its location, model and history.",
      ways: mayEdit
        ? [
            { label: "Add item", href: `${ITEMS}/create` },
            { label: "Import items", href: `${ITEMS}/import` },
          ]
        : [],
    },
    {
      title: "Locations",
      href: `${ATTRIBUTES}/location`,
      figure: figure("locations", "location"),
      text: "Buildings, rooms and racks.",
    },
    {
      title: "Models",
      href: `${ATTRIBUTES}/model`,
      figure: figure("models", "model"),
      text: "Model names, as the manufacturers use them.",
    },
    {
      title: "Manufacturers",
      href: `${ATTRIBUTES}/manufacturer`,
      figure: figure("manufacturers", "manufacturer"),
      text: "Manufacturers of items.",
    },
    {
      title: "Statuses",
      href: `${ATTRIBUTES}/status`,
      figure: counts && `${counts.statuses} ${counts.statuses === 1 ? "status" : "statuses"}`,
      text: "Such as in service, in stock or in repair.",
    },
    {
      title: "Actions",
      href: `${ATTRIBUTES}/action`,
      figure: figure("actions", "action"),
      text: "Commands for the scan desk, as codes.",
    },
    {
      title: "Favourites",
      href: `${ATTRIBUTES}/favorites`,
      text: "Your starred attributes, on a sheet of codes to print.",
    },
    TAGS_CARD,
    ...standardIn("/inventory").map(({ plural, path, standard }) => ({
      title: inTitle(plural),
      href: path,
      text: `${standard?.lead ?? ""}.`,
    })),
    ...(mayEdit
      ? [
          {
            title: "Scan desk",
            href: "/inventory/scanner",
            text: "Add and move items by scanning codes.",
          },
        ]
      : []),
  ];
}
