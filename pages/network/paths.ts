// The paths of the pages of the network.
import { notFound, Refusal } from "../../src/input/errors.ts";
import { textError } from "../../src/input/text.ts";
import { currentName } from "../../src/network/former_names.ts";
import type { RecordJson } from "../../src/store/records.ts";
import { redirect } from "../layout/page.tsx";

export const HOSTS = "/network/hosts";
export const INTERFACES = "/network/interfaces";
export const NETWORKS = "/network/networks";
export const SCOPES = "/network/scopes";
export const DOMAINS = "/network/domains";
/** Who may create, change and delete scopes, networks and domains. */
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

interface NamedRecord<Row> {
  table: "networks" | "scopes" | "groups" | "hosts" | "interfaces";
  name: string;
  find: (name: string) => Promise<RecordJson<Row>>;
  pathOf: (name: string) => string;
}

/** The record of this name, or a redirect to the record that had this name before, if it is visible to the caller. */
export async function findOrRedirect<Row>(
  request: Request,
  wanted: NamedRecord<Row>,
): Promise<RecordJson<Row> | Response> {
  const { table, name, find, pathOf } = wanted;
  if (textError(name)) throw notFound();
  try {
    return await find(name);
  } catch (error) {
    const isGone = error instanceof Refusal && error.status === 404;
    const now = isGone ? await currentName(table, name) : undefined;
    if (now === undefined || now === name) throw error;
    const found = await find(now);
    // A form that was opened under the former name is processed, so that no input is lost.
    if (request.method === "POST") return found;
    return redirect(request, pathOf(now) + new URL(request.url).search);
  }
}
