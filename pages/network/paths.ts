// Where the pages of the network stand.
import { notFound, Refusal } from "../../src/input/errors.ts";
import { flaw } from "../../src/input/text.ts";
import { currentName } from "../../src/network/former_names.ts";
import type { Found } from "../../src/store/records.ts";
import { redirect } from "../layout/page.tsx";

export const HOSTS = "/network/hosts";
export const INTERFACES = "/network/interfaces";
export const NETWORKS = "/network/networks";
export const SCOPES = "/network/scopes";
export const DOMAINS = "/network/domains";
/** Who makes, changes and deletes scopes, networks and domains. */
export const EDITORS = ["admin"] as const;

export function networkPath(vlan_name: string): string {
  return `${NETWORKS}/view/${vlan_name}`;
}

export function scopePath(name: string): string {
  return `${SCOPES}/view/${name}`;
}

export function hostPath(name: string): string {
  return `${HOSTS}/view/${name}`;
}

interface Sought<Row> {
  table: "networks" | "scopes" | "groups" | "hosts" | "interfaces";
  name: string;
  find: (name: string) => Promise<Found<Row>>;
  pathOf: (name: string) => string;
}

/** The record of this name; or the way to what was called so, once the asker may know of it. */
export async function findOrLead<Row>(
  request: Request,
  sought: Sought<Row>,
): Promise<Found<Row> | Response> {
  const { table, name, find, pathOf } = sought;
  if (flaw(name)) throw notFound();
  try {
    return await find(name);
  } catch (fault) {
    const isGone = fault instanceof Refusal && fault.status === 404;
    const now = isGone ? await currentName(table, name) : undefined;
    if (now === undefined || now === name) throw fault;
    const found = await find(now);
    // A form that was opened under the former name goes on, with all that was typed.
    if (request.method === "POST") return found;
    return redirect(request, pathOf(now) + new URL(request.url).search);
  }
}
