// The paths of all pages, and records to show on them.
import { aGroup, aHost, aLocation, aNetwork, anItem, aScope } from "./mod.ts";

const PAGES = [
  "/",
  "/?q=ben",
  "/user/profile",
  "/inventory/attributes/location",
  "/inventory/attributes/location?q=nothing",
  "/inventory/attributes/manufacturer",
  "/inventory/attributes/favorites",
  "/inventory/items",
  "/inventory/items/create",
  "/inventory/items/import",
  "/inventory/items/view/AAA001",
  "/inventory/items/labels",
  "/inventory/scanner",
  "/network/hosts",
  "/network/hosts?q=name:bench*",
  "/network/hosts/create?network=Bench",
  "/network/hosts/view/bench-01",
  "/network/hosts/edit/bench-01",
  "/network/hosts?q=location:x",
  "/network/hosts?q=(",
  "/network/interfaces",
  "/network/interfaces?q=bnech",
  "/network/interfaces/create/bench-01",
  "/network/interfaces/edit/bench-01",
  "/network/domains",
  "/network/scopes",
  "/network/scopes/create",
  "/network/scopes/view/Laboratory",
  "/network/networks",
  "/network/networks/create?scope=Laboratory",
  "/network/networks/edit/Bench",
  "/network/networks/view/Bench",
  "/network/groups",
  "/network/groups/create",
  "/network/groups/edit/Bench%20hosts",
  "/network/groups/view/Bench%20hosts",
  "/changes",
  "/changes?user=alice&kind=items&from=now-7d",
  "/changes?q=nothing",
  "/api/docs",
  "/nowhere",
];

/** Creates the records that these pages show, and returns the paths. */
export async function aSite(): Promise<string[]> {
  const { id } = await aLocation({ name: "Hall A", description: "The big one" });
  await anItem({ ics_id: "AAA001", location: "Hall A" });
  await aScope({ name: "Laboratory" });
  await aNetwork({ scope: "Laboratory", vlan_name: "Bench" });
  await aHost({ name: "bench-01", network: "Bench", automation_vars: { port: 1 } });
  await aGroup({ name: "Bench hosts", hosts: ["bench-01"], vars: { port: 2 } });
  return [...PAGES, `/inventory/attributes/location?selected=${id}`];
}
