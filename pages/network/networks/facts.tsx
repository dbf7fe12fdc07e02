import type { NetworkRow } from "../../../src/network/networks/usage.ts";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Usage } from "../../parts/usage.tsx";
import { NETWORKS, scopePath } from "../paths.ts";

/** What a network says of itself. */
export function NetworkFacts({ network, size }: { network: NetworkRow; size: bigint }) {
  const { scope, domain, description } = network;
  return (
    <dl class="facts">
      <Fact label="In use">
        <Usage used={network.used} size={size} />
      </Fact>
      <Fact label="First">
        <span class="mono">{network.first_ip}</span>
      </Fact>
      <Fact label="Last">
        <span class="mono">{network.last_ip}</span>
      </Fact>
      <Fact label="Gateway">{network.gateway && <span class="mono">{network.gateway}</span>}</Fact>
      <Fact label="Netmask">
        <span class="mono">{network.netmask}</span>
      </Fact>
      <Fact label="Scope">
        <a href={scopePath(scope)}>{scope}</a>
      </Fact>
      <Fact label="Domain">
        <a href={`${NETWORKS}?domain=${domain}`}>{domain}</a>
      </Fact>
      <Fact label="Description">{description && <Prose text={description} />}</Fact>
      <Stamps of={network} />
    </dl>
  );
}
