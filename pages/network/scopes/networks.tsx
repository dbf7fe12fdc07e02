import type { NetworkRow } from "../../../src/network/networks/network.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import { Usage } from "../../parts/usage.tsx";
import { Marks } from "../networks/networks.tsx";
import { NETWORKS, networkPath } from "../paths.ts";
import { Vlan } from "../vlans/link.tsx";

interface Props {
  name: string;
  networks: NetworkRow[];
  total: number;
}

/** The first networks of a scope, and a link to all of them. */
export function ScopeNetworks({ name, networks, total }: Props) {
  return (
    <section class="region" aria-labelledby="networks-title">
      <h2 id="networks-title">Networks</h2>
      {networks.length === 0 ? <p class="muted">No networks yet</p> : <Table networks={networks} />}
      {total > networks.length && (
        <a class="button quiet" href={`${NETWORKS}?${new URLSearchParams({ scope: name })}`}>
          All {total.toLocaleString("en")} networks
        </a>
      )}
    </section>
  );
}

function Table({ networks }: Pick<Props, "networks">) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Network</th>
          <th scope="col" class="number">
            VLAN
          </th>
          <th scope="col">Address</th>
          <th scope="col">In use</th>
        </tr>
      </thead>
      <tbody>
        {networks.map((network) => (
          <tr>
            <td data-label="Network">
              <a class="open" href={networkPath(network.vlan_name)}>
                {network.vlan_name}
              </a>{" "}
              <Marks network={network} />
            </td>
            <td data-label="VLAN" class="number">
              <Vlan id={network.vlan_id} />
            </td>
            <td data-label="Address" class="mono">
              {network.address}
            </td>
            <td data-label="In use">
              <Usage used={network.used} size={networkSize(network)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
