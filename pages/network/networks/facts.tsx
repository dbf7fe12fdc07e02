import { network as described } from "../../../src/network/networks/network.ts";
import type { NetworkRow } from "../../../src/network/networks/usage.ts";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { Usage } from "../../parts/usage.tsx";
import { NETWORKS, scopePath } from "../paths.ts";

/** The fields of a network, except those in the heading of its page. */
export function NetworkFacts({ network, size }: { network: NetworkRow; size: bigint }) {
  const { scope, domain } = network;
  return (
    <dl class="facts">
      <Fact label="In use">
        <Usage used={network.used} size={size} />
      </Fact>
      <Facts
        of={described}
        row={network}
        own={{
          scope: <a href={scopePath(scope)}>{scope}</a>,
          domain: <a href={`${NETWORKS}?domain=${domain}`}>{domain}</a>,
        }}
        elsewhere={["vlan_name", "vlan_id", "address", "admin_only", "sensitive"]}
      />
      <Stamps of={network} />
    </dl>
  );
}
