// The pages of networks: one with its map and its addresses.
import { isAdmin, may } from "../../../src/auth/auth.ts";
import { formatBlock } from "../../../src/input/addresses.ts";
import * as maps from "../../../src/network/addresses/map.ts";
import { addressRows } from "../../../src/network/addresses/rows.ts";
import { mayPutHosts } from "../../../src/network/networks/may_put_hosts.ts";
import { network as described, type NetworkRow } from "../../../src/network/networks/network.ts";
import * as networks from "../../../src/network/networks/networks.ts";
import { offersFor } from "../../../src/network/networks/query.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { findRow, listRows } from "../../../src/store/crud.ts";
import { seenBy } from "../../../src/user/rights/seen_by.ts";
import { HeadPicture, withFiles } from "../../files/picture.tsx";
import { Files, filesOf } from "../../files/section.tsx";
import { wantsFragment } from "../../layout/page.tsx";
import { filterValue } from "../../lists/choice_filter.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Icon } from "../../parts/icon.tsx";
import { columnsOf, Facts } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { Usage } from "../../parts/usage.tsx";
import type { ShownRecord } from "../../resource/hooks.ts";
import { readBy } from "../../resource/list.tsx";
import { ResourcePages } from "../../resource/pages.tsx";
import type { RecordParts } from "../../resource/view.tsx";
import { ONLY_EMPTY_NETWORKS } from "../../texts.ts";
import { NETWORKS, networkPath, scopePath } from "../paths.ts";
import { Vlan } from "../vlans/link.tsx";
import { AddressList } from "./address_list.tsx";
import { AddressMap } from "./address_map.tsx";
import { checkNetwork, networkChange, networkCreation, networkForm } from "./form.tsx";

const FIELDS = ["scope", "domain"] as const;
const USERS = ["network", "admin"] as const;

export const networkPages = new ResourcePages({
  resource: described,
  list: {
    lead: "VLANs and their addresses",
    icon: "network",
    read: readBy(NETWORKS, (caller, params) => listRows(described, caller, params), offersFor),
    columns: () => SHOWN_COLUMNS,
    filters,
    fields: FIELDS,
    order: "address",
    hasApi: true,
  },
  find: (caller, name) => findRow(described, caller, name),
  view,
  creation: networkCreation,
  change: networkChange,
  form: networkForm,
  answer: checkNetwork,
  removal: {
    detail: ({ address, scope }) =>
      `${address} will be free in the scope ${scope}. ${ONLY_EMPTY_NETWORKS}`,
    work: networks.remove,
    after: ({ scope }) => scopePath(scope),
  },
}).routes();

async function filters(params: URLSearchParams) {
  const { scopes, domains } = await choices();
  const offered = { scope: scopes, domain: domains };
  return FIELDS.map((name) => (
    <Typeahead
      name={name}
      id={`filter-${name}`}
      label={described.fields[name].label}
      value={filterValue(params, name)}
      names={offered[name]}
      suggest={`/network/_retrieve_names/${name}s`}
    />
  ));
}

async function view({
  request,
  caller,
  row: network,
  search: params = new URLSearchParams(),
}: ShownRecord<NetworkRow>): Promise<RecordParts> {
  const { vlan_name, vlan_id, address } = network;
  const place = { network, block: maps.partOf(network, params.get("block")) };
  const [listed, map, mayAdd, seers, held] = await Promise.all([
    addressRows(caller, place, params),
    wantsFragment(request) ? undefined : maps.mapOf(caller, place),
    may(caller, USERS) && mayPutHosts(caller, network),
    network.sensitive ? seenBy(caller, network.id) : [],
    wantsFragment(request) ? undefined : filesOf(caller, { table: "networks", id: network.id }),
  ]);
  const addresses = (
    <AddressList network={vlan_name} listed={listed} params={params} mayUse={mayAdd} />
  );
  return {
    ...(held && { picture: <HeadPicture {...held} /> }),
    live: ["interfaces"],
    heading: (
      <>
        {vlan_name} <Marks network={network} />
      </>
    ),
    lead: (
      <>
        <Vlan id={vlan_id}>VLAN {vlan_id}</Vlan> · <span class="mono">{address}</span>{" "}
        <Copy text={address} />
      </>
    ),
    actions: mayAdd && (
      <a class="button" href={`/network/hosts/create?network=${vlan_name}`}>
        <Icon name="plus" /> Add host
      </a>
    ),
    facts: <NetworkFacts network={network} seenBy={seers} />,
    contents: (
      <>
        {map && map.kind !== "none" && (
          <section id="map" aria-labelledby="map-title">
            <h2 id="map-title">Map</h2>
            <BlockPath network={network} block={map.block} />
            <AddressMap
              map={map}
              network={vlan_name}
              mayUse={{ free: mayAdd, outside: isAdmin(caller) }}
            />
          </section>
        )}
        <section aria-labelledby="addresses-title">
          <h2 id="addresses-title">Addresses</h2>
          {addresses}
        </section>
        {held && <Files {...held} />}
      </>
    ),
    fragment: addresses,
  };
}

interface NetworkFactsProps {
  network: NetworkRow;
  /** Who sees it beside admins and auditors. */
  seenBy: string[];
}

/** The fields of a network, except those in the heading of its page. */
function NetworkFacts({ network, seenBy: seers }: NetworkFactsProps) {
  return (
    <>
      <Fact label="In use">
        <Usage used={network.used} size={networkSize(network)} />
      </Fact>
      <Facts
        of={described}
        row={network}
        elsewhere={["vlan_name", "vlan_id", "address", "admin_only", "sensitive"]}
      >
        {seers.length > 0 && (
          <Fact label="Seen by">{["admin", "auditor", ...seers].join(", ")}</Fact>
        )}
        <Stamps of={network} />
      </Facts>
    </>
  );
}

/** Links from a part of a large network to the enclosing blocks. */
function BlockPath({
  network,
  block,
}: {
  network: NetworkRow;
  block: Parameters<typeof formatBlock>[0];
}) {
  const wider = maps.enclosingBlocks(network, block).map(formatBlock);
  if (wider.length === 0) return null;
  const path = networkPath(network.vlan_name);
  return (
    <nav class="crumbs" aria-label="Parts of the network">
      <ol>
        {wider.map((one, at) => (
          <li>
            <a href={at === 0 ? path : `${path}?block=${one}`}>{one}</a>
          </li>
        ))}
        <li aria-current="page">{formatBlock(block)}</li>
      </ol>
    </nav>
  );
}

export function Marks({ network }: { network: Pick<NetworkRow, "admin_only" | "sensitive"> }) {
  return (
    <>
      {network.admin_only && <span class="tag warn">admins only</span>}{" "}
      {network.sensitive && <span class="tag bad">sensitive</span>}
    </>
  );
}

const COLUMNS = columnsOf<NetworkRow>(
  described,
  [
    {
      name: "vlan_name",

      sortable: true,
      fixed: true,
      cell: (row, inList) => (
        <>
          <a class="open" href={networkPath(row.vlan_name) + inList}>
            {row.vlan_name}
          </a>{" "}
          <Marks network={row} />
        </>
      ),
    },
    { name: "vlan_id", sortable: true, class: "number", cell: (row) => <Vlan id={row.vlan_id} /> },
    { name: "address", sortable: true, class: "mono", cell: (row) => row.address },
    {
      name: "first_ip",
      label: "Range",
      sortable: true,
      class: "mono",
      cell: (row) => <span title={`${row.first_ip} – ${row.last_ip}`}>{endsOf(row)}</span>,
    },
    { name: "gateway", sortable: true, class: "mono", cell: (row) => row.gateway },
    { name: "scope", sortable: true },
    { name: "domain", sortable: true },
    {
      name: "utilisation",
      label: "In use",
      sortable: true,
      cell: (row) => <Usage used={row.used} size={networkSize(row)} />,
    },
  ],
  ["last_ip", "admin_only", "sensitive", "used"],
);

const SHOWN_COLUMNS = withFiles("networks", COLUMNS);

/** The range, without the common prefix. */
function endsOf({ first_ip, last_ip }: NetworkRow): string {
  const separator = first_ip.includes(":") ? ":" : ".";
  const [first, last] = [first_ip.split(separator), last_ip.split(separator)];
  const at = first.findIndex((part, index) => part !== last[index]);
  if (at < 1) return `${first_ip} – ${last_ip}`;
  const rest = (parts: string[]) => separator + parts.slice(at).join(separator);
  return `${rest(first)} – ${rest(last)}`;
}
