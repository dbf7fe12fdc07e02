// The page of a network: its map, its addresses and its fields.

import { type Caller, isAdmin, may } from "../../../src/auth/auth.ts";
import { type Timeline, timelineOf } from "../../../src/history/history.ts";
import { formatBlock } from "../../../src/input/addresses.ts";
import type { Refusal } from "../../../src/input/errors.ts";
import * as maps from "../../../src/network/addresses/map.ts";
import { type AddressRows, addressRows } from "../../../src/network/addresses/rows.ts";
import { mayPutHosts } from "../../../src/network/networks/may_put_hosts.ts";
import { network as described, type NetworkRow } from "../../../src/network/networks/network.ts";
import { networkQuery } from "../../../src/network/networks/query.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import { findRow, positionIn } from "../../../src/store/crud.ts";
import { rowOf } from "../../../src/store/records.ts";
import { seenBy } from "../../../src/user/rights/seen_by.ts";
import { WatchButton } from "../../events/watch_button.tsx";
import { DeleteForm } from "../../layout/confirm.tsx";
import { page, wantsFragment } from "../../layout/page.tsx";
import { Copy } from "../../parts/copy.tsx";
import { RefusalNote } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { InList, listOf, type PlaceInList, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { readTyped } from "../../request/typed_search.ts";
import { ONLY_EMPTY_NETWORKS } from "../../texts.ts";
import { EDITORS, findOrRedirect, NETWORKS, networkPath } from "../paths.ts";
import { Vlan } from "../vlans/link.tsx";
import { AddressList } from "./address_list.tsx";
import { AddressMap } from "./address_map.tsx";
import { NetworkFacts } from "./facts.tsx";
import { Marks } from "./list.tsx";

const USERS = ["network", "admin"] as const;

export interface ViewRequest {
  name: string;
  params: URLSearchParams;
  /** Why the deletion was refused. */
  refusal?: Refusal;
}

interface NetworkPageProps {
  network: NetworkRow;
  map: maps.AddressMap;
  wider: string[];
  listed: AddressRows;
  timeline: Timeline;
  params: URLSearchParams;
  place: PlaceInList | undefined;
  mayUse: { free: boolean; outside: boolean };
  mayEdit: boolean;
  seenBy: string[];
  refusal?: Refusal;
}

export async function showNetwork(
  request: Request,
  caller: Caller,
  wanted: ViewRequest,
): Promise<Response> {
  const { name, params, refusal } = wanted;
  const found = await findOrRedirect(request, {
    table: "networks",
    name,
    find: (called) => findRow(described, caller, called),
    pathOf: networkPath,
  });
  if (found instanceof Response) return found;
  const network = rowOf(found);
  const place = { network, block: maps.partOf(network, params.get("block")) };
  const isPart = wantsFragment(request);
  const [listed, timeline, map] = await Promise.all([
    addressRows(caller, place, params),
    timelineOf(caller, { table: "networks", id: network.id }),
    isPart ? { kind: "none" as const, block: place.block } : maps.mapOf(caller, place),
  ]);
  const mayUse = may(caller, USERS) && (await mayPutHosts(caller, network));
  const shown: NetworkPageProps = {
    network,
    map,
    wider: maps.enclosingBlocks(network, place.block).map(formatBlock),
    listed,
    timeline,
    params,
    place: await placeIn(request.url, (list) =>
      positionIn(described, caller, network.id, readTyped(list, networkQuery)),
    ),
    mayUse: { free: mayUse, outside: isAdmin(caller) },
    mayEdit: may(caller, EDITORS),
    seenBy: network.sensitive ? await seenBy(caller, network.id) : [],
    refusal,
  };
  return page(request, {
    title: network.vlan_name,
    status: refusal?.status,
    live: liveRecord(described, network.id, ["interfaces"]),
    crumbs: [
      { label: "Network" },
      { label: "Networks", href: listOf(NETWORKS, request.url) },
      { label: network.vlan_name },
    ],
    body: <NetworkPage {...shown} />,
    fragment: <Addresses {...shown} />,
  });
}

function NetworkPage(shown: NetworkPageProps) {
  const { network, map, mayUse, mayEdit, refusal } = shown;
  const { vlan_name, vlan_id, address } = network;
  return (
    <>
      <header class="head">
        <div>
          <h1>
            {vlan_name} <Marks network={network} />
          </h1>
          <p class="lead">
            <Vlan id={vlan_id}>VLAN {vlan_id}</Vlan> · <span class="mono">{address}</span>{" "}
            <Copy text={address} />
          </p>
        </div>
        <div class="actions">
          <InList place={shown.place} pathOf={networkPath} />
          <WatchButton
            of={{ table: "networks", id: network.id }}
            name={vlan_name}
            watch={shown.timeline.watch}
          />
          {mayUse.free && (
            <a class="button" href={`/network/hosts/create?network=${vlan_name}`}>
              <Icon name="plus" /> Add host
            </a>
          )}
          {mayEdit && (
            <a class="button primary" href={`${NETWORKS}/edit/${vlan_name}`} data-key="e">
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      <RefusalNote refusal={refusal} />
      <div class="split record">
        <aside class="panel first" aria-label="Facts">
          <NetworkFacts network={network} size={networkSize(network)} seenBy={shown.seenBy} />
          {mayEdit && (
            <DeleteForm
              action={`${NETWORKS}/delete`}
              field={["vlan_name", vlan_name]}
              noun="network"
              name={vlan_name}
              detail={`Its addresses will be free in the scope. ${ONLY_EMPTY_NETWORKS}`}
            />
          )}
        </aside>
        <div class="stack">
          {map.kind !== "none" && (
            <section id="map" aria-labelledby="map-title">
              <h2 id="map-title">Map</h2>
              <BlockPath {...shown} />
              <AddressMap map={map} network={vlan_name} mayUse={mayUse} />
            </section>
          )}
          <section aria-labelledby="addresses-title">
            <h2 id="addresses-title">Addresses</h2>
            <Addresses {...shown} />
          </section>
        </div>
        <section class="late" aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <RecordTimeline timeline={shown.timeline} of={{ table: "networks", id: network.id }} />
        </section>
      </div>
    </>
  );
}

function Addresses({ network, listed, params, mayUse }: NetworkPageProps) {
  return (
    <AddressList network={network.vlan_name} listed={listed} params={params} mayUse={mayUse.free} />
  );
}

/** Links from a part of a large network to the enclosing blocks. */
function BlockPath({ network, wider, map }: NetworkPageProps) {
  if (wider.length === 0) return null;
  const path = networkPath(network.vlan_name);
  return (
    <nav class="crumbs" aria-label="Parts of the network">
      <ol>
        {wider.map((block, at) => (
          <li>
            <a href={at === 0 ? path : `${path}?block=${block}`}>{block}</a>
          </li>
        ))}
        <li aria-current="page">{formatBlock(map.block)}</li>
      </ol>
    </nav>
  );
}
