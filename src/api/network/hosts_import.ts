import { Type } from "@sinclair/typebox";
import { EDITORS } from "../../network/hosts/view.ts";
import { hostImporter, importedHost } from "../../network/import/import.ts";
import { importRoutes } from "../import.ts";

const name = Type.Union([Type.String(), Type.Null()]);

export const hostImportRoutes = importRoutes({
  importer: hostImporter,
  path: "/network/hosts",
  editors: EDITORS,
  // A row can mount items.
  kinds: ["network", "inventory"],
  tag: "Network: hosts",
  noun: "a host and of one of its interfaces",
  row: importedHost,
  named: { host: name, interface: name },
});
