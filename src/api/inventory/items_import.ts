import { Type } from "@sinclair/typebox";
import { importedItem, itemImporter } from "../../inventory/import/import.ts";
import { importRoutes } from "../import.ts";

export const itemImportRoutes = importRoutes({
  importer: itemImporter,
  path: "/inventory/items",
  editors: ["inventory", "admin"],
  kinds: ["inventory"],
  tag: "Inventory: items",
  noun: "an item",
  row: importedItem,
  named: {
    ics_id: Type.Union([Type.String(), Type.Null()], { description: "Null for a temporary id" }),
  },
});
