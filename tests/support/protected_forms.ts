// The requests of protected.ts through the forms of the pages.
import type { RouteRequest, World } from "./protected.ts";

const some = (path: string, ...bodies: object[]): RouteRequest[] =>
  bodies.map((body) => ({ path, body }));

export const FORMS: Record<string, (world: World) => RouteRequest[]> = {
  "POST /changes/:id": ({ sets }) =>
    sets.slice(0, 8).map((set) => ({ path: `/changes/${set}`, body: {} })),
  // A form with a file is tried in files_test.ts.
  "POST /files/:table/:id": () => [],
  "POST /files/:table/:id/:file": ({ core, file }) =>
    some(`/files/hosts/${core}/${file}`, { caption: "y" }),
  "POST /files/:table/:id/:file/delete": ({ core, file }) =>
    some(`/files/hosts/${core}/${file}/delete`, { confirmed: "true" }),
  "POST /inventory/items/import/": () => [],
  "POST /inventory/items/import/:id": () => [],
  "POST /network/hosts/import/": () => [],
  "POST /network/hosts/import/:id": () => [],
  "POST /inventory/items/place/:ics_id": () =>
    some("/inventory/items/place/AAA001", { parent: "AAA003" }, { parent: "" }),
  "POST /inventory/items/macs/:ics_id": () => some("/inventory/items/macs/AAA001", { macs: "" }),
  "POST /inventory/items/create": () =>
    some("/inventory/items/create", { serial_number: "S8", host: "core" }),
  "POST /inventory/items/edit/:ics_id": () => [
    ...some("/inventory/items/edit/AAA001", { serial_number: "S1", host: "mine" }),
    ...some("/inventory/items/edit/AAA001", { serial_number: "S1", host: "" }),
    ...some("/inventory/items/edit/AAA003", { serial_number: "S3", host: "core" }),
  ],
  "POST /inventory/items/_bulk": ({ item }) =>
    some("/inventory/items/_bulk", { id: String(item), location: "Hall", step: "apply" }),
  "POST /inventory/items/delete": () =>
    some("/inventory/items/delete", { ics_id: "AAA001", confirmed: "true" }),
  "POST /inventory/scanner": () => some("/inventory/scanner", { action: "apply" }),
  "POST /network/hosts/view/:name": ({ elsewhere, cname }) => [
    ...some("/network/hosts/view/core", { deed: "describe", description: "x" }),
    ...some("/network/hosts/view/core", { deed: "leave_group", group: "Put" }),
    ...some("/network/hosts/view/core", { deed: "join_group", automation_groups: "Apart" }),
    ...some("/network/hosts/view/core", {
      deed: "add_cname",
      interface: `${elsewhere}`,
      name: "w",
    }),
    ...some("/network/hosts/view/mine", {
      deed: "add_cname",
      interface: `${elsewhere}`,
      name: "w",
    }),
    ...some("/network/hosts/view/mine", { deed: "remove_cname", cname: `${cname}` }),
  ],
  "POST /network/hosts/create": () =>
    some("/network/hosts/create", {
      ...{ name: "n-2", device_type: "VME", items: "AAA001", take_items: "true" },
    }),
  "POST /network/hosts/edit/:name": () => [
    ...some("/network/hosts/edit/core", { name: "core", device_type: "VME", description: "x" }),
    ...some("/network/hosts/edit/mine", {
      ...{ name: "mine", device_type: "Network", items: "AAA001", take_items: "true" },
    }),
  ],
  "POST /network/hosts/_gather": ({ core }) =>
    ["Put", "Apart"].flatMap((group) =>
      ["join", "leave"].map((deed) => ({
        path: "/network/hosts/_gather",
        body: { id: String(core), deed, group, automation_groups: group, name: "G9" },
      })),
    ),
  "POST /network/interfaces/create/:hostname": () =>
    some("/network/interfaces/create/core", { network: "Open", name: "core-5" }),
  "POST /network/interfaces/edit/:name": () =>
    some("/network/interfaces/edit/core-2", { network: "Open", name: "core-7" }),
  "POST /network/interfaces/delete": ({ elsewhere }) =>
    some("/network/interfaces/delete", { id: String(elsewhere), confirmed: "true" }),
  "POST /network/groups/create": () => [
    ...some("/network/groups/create", { name: "F1", type: "query", query: "*", vars: "a: 1" }),
    ...some("/network/groups/create", {
      name: "F2",
      type: "static",
      children: "Put",
      vars: "a: 1",
    }),
  ],
  "POST /network/groups/edit/:name": () => [
    ...some("/network/groups/edit/Put", { name: "Put", type: "static", vars: "a: 1" }),
    ...some("/network/groups/edit/Put", { name: "Put", type: "static", hosts_before: "core" }),
  ],
  "POST /network/groups/view/:name": () => [
    ...some("/network/groups/view/Put", { remove: "core" }),
    ...some("/network/groups/view/Apart", { host: "core" }),
  ],
  "POST /network/groups/delete": ({ groups }) =>
    Object.values(groups).flatMap((id) =>
      some("/network/groups/delete", { id: String(id), confirmed: "true" }),
    ),
  "POST /network/hosts/_bulk": ({ core }) =>
    some("/network/hosts/_bulk", { id: String(core), deed: "delete", confirmed: "true" }),
  // The refusal after a preview is tested in tests/pages/lists_bulk_test.ts.
  "POST /lists/change": ({ core }) =>
    some("/lists/change", {
      ...{ list: "/network/hosts", id: String(core), description: "x", step: "preview" },
    }),
  "POST /lists/delete": ({ core }) =>
    some("/lists/delete", { list: "/network/hosts", id: String(core), step: "apply" }),
  "POST /network/hosts/delete": ({ core }) =>
    some("/network/hosts/delete", { id: String(core), confirmed: "true" }),
};
