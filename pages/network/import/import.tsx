// The pages of the import of hosts: see pages/import/import.tsx.
import type { Caller } from "../../../src/auth/auth.ts";
import { storedSet } from "../../../src/history/sets.ts";
import { Refusal } from "../../../src/input/errors.ts";
import { choices } from "../../../src/network/hosts/choices.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import { columnLabel, type HostVerdict, hostImporter } from "../../../src/network/import/import.ts";
import { importRoutes } from "../../import/import.tsx";
import { type ImportPageRow, type ImportPages, SITE, TAGS } from "../../import/kind.ts";
import { countOf } from "../../parts/count.ts";
import type { Column } from "../../parts/list.tsx";
import { HOSTS, hostPath } from "../paths.ts";

const MEANINGS: Record<string, string> = {
  name: "An existing name changes that host; any other adds a host",
  is_ioc: "true or false",
  device_type: "An existing name; required for a new host",
  items: "The labels of the host's items, separated by commas or spaces",
  automation_vars: "The host's variables: a JSON object",
  automation_groups: "The host's static groups, separated by commas",
  interface: "Default: the host's name; required from the second row of a host on",
  network: "An existing name; a new interface needs it or an IP address",
  ip: "By default the first free address of the network",
  mac: "In any notation",
  tags: TAGS,
  site: SITE,
  interface_tags: TAGS,
  interface_site: SITE,
  cnames: "Further names, separated by commas or spaces; existing cnames are kept",
};

const TABLES: Record<string, string> = { network: "networks", device_type: "device_types" };

const hosts: ImportPages<HostVerdict> = {
  importer: hostImporter,
  list: HOSTS,
  crumbs: [{ label: "Network" }, { label: "Hosts", href: HOSTS }],
  lead: "Add and change hosts with their interfaces from a spreadsheet",
  rules:
    "A row is a host with one interface; further rows with the same name are its further interfaces, and the first is the main one. Headings such as Hostname and IP address also work. You can edit an export and import it again, if each interface has a row of its own.",
  meaningOf: (column) => MEANINGS[column] ?? "Any text",
  labelOf: columnLabel,
  tableOf: (column) => TABLES[column],
  nameOf: ({ host }) => host,
  columnsOf: () => COLUMNS,
  suggest: { network: "/network/_suggest/networks", device_type: "" },
  namesFor,
  appliedBy,
};

export const hostImportPages = importRoutes(hosts, EDITORS);

const COLUMNS: Column<ImportPageRow<HostVerdict>>[] = [
  { name: "host", label: "Host", class: "brief", cell: (row) => <Host {...row} /> },
  { name: "interface", label: "Interface", cell: (row) => row.interface },
];

/** A link, if it exists already. */
function Host({ host, verdict }: HostVerdict) {
  if (host === null) return null;
  if (verdict === "refused") return <span class="muted">{host}</span>;
  return verdict === "new" ? <span>{host}</span> : <a href={hostPath(host)}>{host}</a>;
}

async function namesFor(caller: Caller): Promise<Record<string, string[]>> {
  const { networks, device_types } = await choices(caller);
  return { network: networks.map(({ name }) => name), device_type: device_types };
}

const NOUNS = { hosts: "host", interfaces: "interface", cnames: "cname" };
const VERBS = { insert: "added", update: "changed" };

/** Added 2 hosts, 3 interfaces; changed 1 host. */
async function appliedBy(caller: Caller, change_set: number): Promise<string | undefined> {
  const set = await visibleSet(caller, change_set);
  if (!set) return undefined;
  const parts = Object.entries(VERBS).flatMap(([action, verb]) => {
    const counted = Object.entries(NOUNS).flatMap(([table, noun]) =>
      set.counts
        .filter((one) => one.table_name === table && one.action === action)
        .map(({ count }) => countOf(count, noun)),
    );
    return counted.length > 0 ? [`${verb} ${counted.join(", ")}`] : [];
  });
  return parts.length > 0 ? parts.join("; ") : `changed ${countOf(set.total, "record")}`;
}

/** Undefined if all of it is hidden from the caller by now. */
async function visibleSet(caller: Caller, id: number) {
  try {
    return await storedSet(caller, id);
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.status === 404) return undefined;
    throw refusal;
  }
}
