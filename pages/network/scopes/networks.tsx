import type { NetworkRow } from "../../../src/network/networks/network.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import { PlainTable } from "../../parts/plain_table.tsx";
import { Usage } from "../../parts/usage.tsx";
import { whoAdds } from "../../texts.ts";
import { Marks } from "../networks/networks.tsx";
import { NETWORKS, networkPath } from "../paths.ts";
import { Vlan } from "../vlans/link.tsx";

interface Props {
  name: string;
  networks: NetworkRow[];
  total: number;
  /** The page that adds one, if the caller may. */
  add: string | undefined;
}

/** The first networks of a scope, and a link to all of them. */
export function ScopeNetworks({ name, networks, total, add }: Props) {
  return (
    <section class="region" aria-labelledby="networks-title">
      <h2 id="networks-title">Networks</h2>
      {networks.length === 0 ? (
        <p class="muted">
          No networks yet. {add ? <a href={add}>Add the first network</a> : whoAdds(["admin"])}
        </p>
      ) : (
        <PlainTable caption={`Networks of ${name}`} rows={networks} columns={COLUMNS} />
      )}
      {total > networks.length && (
        <a class="button quiet" href={`${NETWORKS}?${new URLSearchParams({ scope: name })}`}>
          All {total.toLocaleString("en")} networks
        </a>
      )}
    </section>
  );
}

const COLUMNS = [
  {
    label: "Network",
    cell: (network: NetworkRow) => (
      <>
        <a class="open" href={networkPath(network.vlan_name)}>
          {network.vlan_name}
        </a>{" "}
        <Marks network={network} />
      </>
    ),
  },
  {
    label: "VLAN",
    class: "number",
    cell: ({ vlan_id }: NetworkRow) => <Vlan id={vlan_id} />,
  },
  { label: "Address", class: "mono", cell: ({ address }: NetworkRow) => address },
  {
    label: "In use",
    cell: (network: NetworkRow) => <Usage used={network.used} size={networkSize(network)} />,
  },
];
