// What a page shows of records that others may change meanwhile. static/live.js compares the words of data-live with each
// change, and asks the server for that part of the page again.
//
// hosts: every change of a host, or of a part of one; hosts:5: of this host or its parts; networks.vlan_name: networks that
// are added, deleted or renamed; jobs:5: a job, which is in no history and is announced by itself;
// jobs: the list of them.
import { resourceOf, resources } from "../../src/resources.ts";
import type { Resource } from "../../src/store/resource.ts";

/** All changes. */
export const ANY = "*";

/** The list of the jobs of all users. */
export const LIVE_JOBS = "jobs";

const lists = new WeakMap<Resource, string>();

/** A list of records; undefined if the history does not have them, because then nobody announces their changes. */
export function liveList(resource: Resource | undefined): string | undefined {
  if (!resource || !resourceOf(resource.name)) return undefined;
  const known = lists.get(resource);
  if (known) return known;
  const list = words([resource.name, ...namesIn(resource)]);
  lists.set(resource, list);
  return list;
}

/** The page of a record; `contents` are the tables of other records that it lists. */
export function liveRecord(
  resource: Resource,
  id: number,
  contents: readonly string[] = [],
): string {
  const { name } = resource;
  return words([`${name}:${id}`, ...contents, ...namesIn(resource), ...referringTo(name)]);
}

function words(all: string[]): string {
  return [...new Set(all)].join(" ");
}

/** The names of other records that its fields show. */
function namesIn({ name, fields }: Resource): string[] {
  return Object.values(fields).flatMap(({ shows }) => {
    const shown = shows === undefined || shows === name ? undefined : resourceOf(shows);
    return shown && shown.partOf !== name ? [`${shown.name}.${shown.key}`] : [];
  });
}

/** Other records that come to refer to it or no longer do. */
function referringTo(table: string): string[] {
  return resources
    .filter(({ partOf }) => partOf !== table)
    .flatMap(({ name, fields }) =>
      Object.entries(fields)
        .filter(([, { refersTo }]) => refersTo?.table === table)
        .map(([field]) => `${name}.${field}`),
    );
}
