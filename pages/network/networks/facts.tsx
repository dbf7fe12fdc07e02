import type { NetworkRow } from "../../../src/network/networks/network.ts";
import { network as described } from "../../../src/network/networks/network.ts";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { Usage } from "../../parts/usage.tsx";

/** The fields of a network, except those in the heading of its page. */
export function NetworkFacts({
  network,
  size,
  seenBy,
}: {
  network: NetworkRow;
  size: bigint;
  /** Who sees it beside admins and auditors. */
  seenBy: string[];
}) {
  return (
    <dl class="facts">
      <Fact label="In use">
        <Usage used={network.used} size={size} />
      </Fact>
      <Facts
        of={described}
        row={network}
        elsewhere={["vlan_name", "vlan_id", "address", "admin_only", "sensitive"]}
      />
      {seenBy.length > 0 && (
        <Fact label="Seen by">{["admin", "auditor", ...seenBy].join(", ")}</Fact>
      )}
      <Stamps of={network} />
    </dl>
  );
}
