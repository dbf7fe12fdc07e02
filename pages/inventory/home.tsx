// GET /inventory: the page that leads to all lists of the inventory.
import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth/auth.ts";
import { type InventoryCounts, inventoryCounts } from "../../src/inventory/overview.ts";
import { page } from "../layout/page.tsx";
import { type Room, RoomsPage } from "../layout/rooms.tsx";
import { countOf } from "../parts/count.ts";
import { guard } from "../request/guard.ts";

const ITEMS = "/inventory/items";
const ATTRIBUTES = "/inventory/attributes";

export const inventoryPages = new Elysia({ normalize: false }).use(guard).get(
  "/inventory",
  async ({ request, caller }) => {
    const rooms = roomsFor(caller, await inventoryCounts());
    return page(request, {
      title: "Inventory",
      crumbs: [{ label: "Inventory" }],
      body: <RoomsPage title="Inventory" lead="The equipment and its places" rooms={rooms} />,
    });
  },
  { see: "everyone" },
);

function roomsFor(caller: Caller, counts: InventoryCounts | undefined): Room[] {
  const mayEdit = may(caller, ["inventory", "admin"]);
  const figure = (name: keyof InventoryCounts, noun: string) =>
    counts && countOf(counts[name], noun);
  return [
    {
      title: "Items",
      href: ITEMS,
      figure: figure("items", "item"),
      text: "Every piece of equipment, with its place, its model and its history.",
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
      text: "Buildings, rooms and racks in which items are.",
    },
    {
      title: "Models",
      href: `${ATTRIBUTES}/model`,
      figure: figure("models", "model"),
      text: "Models of items, as their manufacturers name them.",
    },
    {
      title: "Manufacturers",
      href: `${ATTRIBUTES}/manufacturer`,
      figure: figure("manufacturers", "manufacturer"),
      text: "Who made them.",
    },
    {
      title: "Statuses",
      href: `${ATTRIBUTES}/status`,
      figure: counts && `${counts.statuses} ${counts.statuses === 1 ? "status" : "statuses"}`,
      text: "The condition of items.",
    },
    {
      title: "Actions",
      href: `${ATTRIBUTES}/action`,
      figure: figure("actions", "action"),
      text: "The commands of the scan desk, as codes.",
    },
    {
      title: "Favourites",
      href: `${ATTRIBUTES}/favorites`,
      text: "The attributes that you marked with a star, on one sheet of codes.",
    },
    ...(mayEdit
      ? [
          {
            title: "Scan desk",
            href: "/inventory/scanner",
            text: "Register and move items by scanning codes.",
          },
        ]
      : []),
  ];
}
