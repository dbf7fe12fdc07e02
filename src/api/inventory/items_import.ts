import { Type } from "@sinclair/typebox";
import { INVENTORY_EDITORS } from "../../auth/rights.ts";
import { importedItem, itemImporter } from "../../inventory/import/import.ts";
import { importRoutes } from "../import.ts";

export const itemImportRoutes = importRoutes({
  importer: itemImporter,
  path: "/inventory/items",
  editors: INVENTORY_EDITORS,
  kinds: ["inventory"],
  tag: "Inventory: items",
  noun: "an item",
  row: importedItem,
  named: {
    ics_id: Type.Union([Type.String(), Type.Null()], { description: "Null for a temporary id" }),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String(),
          message: Type.String(),
          instead: Type.Optional(Type.Object({ ics_id: Type.String() })),
        }),
        { description: "Why the row is probably a mistake, although it can be applied" },
      ),
    ),
  },
});
