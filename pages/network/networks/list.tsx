import { type NetworkRow, network } from "../../../src/network/networks/network.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import type { ScopeChoices } from "../../../src/network/scopes/choices.ts";
import type { Offers } from "../../../src/search/suggest/did_you_mean.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { ListBar } from "../../lists/bulk_bar.tsx";
import { filterValue } from "../../lists/choice_filter.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Filters, List, ListHead } from "../../parts/list.tsx";
import { pickBy } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { Usage } from "../../parts/usage.tsx";
import { NETWORKS, networkPath } from "../paths.ts";
import { Vlan } from "../vlans/link.tsx";

export interface NetworkListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: NetworkRow[];
  mayEdit: boolean;
  /** Other queries, if this one found nothing. */
  offers?: Offers;
}

const FIELDS = ["scope", "domain"] as const;

export function NetworksPage({
  choices,
  api,
  ...shown
}: NetworkListProps & { choices: ScopeChoices; api: string }) {
  const { params, mayEdit } = shown;
  const offered = { scope: choices.scopes, domain: choices.domains };
  return (
    <>
      <ListHead
        title="Networks"
        lead="VLANs and their addresses"
        path={NETWORKS}
        noun="network"
        mayAdd={mayEdit}
      />
      <Filters path={NETWORKS} params={params} noun="networks">
        {FIELDS.map((name) => (
          <Typeahead
            name={name}
            id={`filter-${name}`}
            label={network.fields[name].label}
            value={filterValue(params, name)}
            names={offered[name]}
            suggest={`/network/_retrieve_names/${name}s`}
          />
        ))}
      </Filters>
      <NetworkList {...shown} />
      <ApiCall address={api} />
    </>
  );
}

export function NetworkList({ params, listed, rows, mayEdit, offers }: NetworkListProps) {
  return (
    <List
      noun="networks"
      singular="network"
      path={NETWORKS}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK_NETWORK, ...COLUMNS] : COLUMNS}
      fields={FIELDS}
      order="address"
      offers={offers}
      empty={<Empty mayEdit={mayEdit} />}
      bulk={mayEdit && <ListBar path={NETWORKS} {...{ params, listed, rows }} />}
    />
  );
}

const PICK_NETWORK = pickBy<NetworkRow>(({ vlan_name }) => vlan_name);

export function Marks({ network }: { network: Pick<NetworkRow, "admin_only" | "sensitive"> }) {
  return (
    <>
      {network.admin_only && <span class="tag warn">admins only</span>}{" "}
      {network.sensitive && <span class="tag bad">sensitive</span>}
    </>
  );
}

const COLUMNS = columnsOf<NetworkRow>(
  network,
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

/** The range, without the common prefix. */
function endsOf({ first_ip, last_ip }: NetworkRow): string {
  const separator = first_ip.includes(":") ? ":" : ".";
  const [first, last] = [first_ip.split(separator), last_ip.split(separator)];
  const at = first.findIndex((part, index) => part !== last[index]);
  if (at < 1) return `${first_ip} – ${last_ip}`;
  const rest = (parts: string[]) => separator + parts.slice(at).join(separator);
  return `${rest(first)} – ${rest(last)}`;
}

function Empty({ mayEdit }: { mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="network" />
      <p>No networks yet</p>
      {mayEdit && (
        <a class="button" href={`${NETWORKS}/create`}>
          Add the first network
        </a>
      )}
    </div>
  );
}
