// GET /network/vlans/(number): the networks of a VLAN.

import { Elysia } from "elysia";
import { notFound } from "../../../src/input/errors.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import { findVlan, type Vlan, type VlanNetwork } from "../../../src/network/vlans/vlan.ts";
import { page } from "../../layout/page.tsx";
import { PageHead } from "../../layout/page_head.tsx";
import { countOf } from "../../parts/count.ts";
import { PlainTable } from "../../parts/plain_table.tsx";
import { Usage } from "../../parts/usage.tsx";
import { RecordLink } from "../../records/links.tsx";
import { guard } from "../../request/guard.ts";
import { Marks } from "../networks/networks.tsx";
import { HOSTS, NETWORKS, networkPath } from "../paths.ts";
import { VLANS } from "./link.tsx";

export const vlanPages = new Elysia({ prefix: VLANS, normalize: false }).use(guard).get(
  "/:vlan_id",
  async ({ request, caller, params }) => {
    if (!/^[1-9][0-9]{0,3}$/.test(params.vlan_id)) throw notFound();
    const vlan = await findVlan(caller, Number(params.vlan_id));
    const title = `VLAN ${vlan.id}`;
    return page(request, {
      title,
      live: "networks interfaces",
      crumbs: [{ label: "Network" }, { label: "Networks", href: NETWORKS }, { label: title }],
      body: <VlanPage vlan={vlan} title={title} />,
    });
  },
  { see: "everyone" },
);

function VlanPage({ vlan, title }: { vlan: Vlan; title: string }) {
  const { id, networks, total } = vlan;
  const hosts = networks.reduce((sum, one) => sum + one.hosts, 0);
  return (
    <>
      <PageHead title={title} lead={`${countOf(total, "network")}, ${countOf(hosts, "host")}`} />
      <section class="region" aria-label="Networks">
        <PlainTable caption={`Networks of VLAN ${id}`} rows={networks} columns={COLUMNS} />
        {total > networks.length && (
          <a class="button quiet" href={`${NETWORKS}?vlan_id=${id}`}>
            All {countOf(total, "network")}
          </a>
        )}
      </section>
    </>
  );
}

const COLUMNS = [
  {
    label: "Network",
    cell: (network: VlanNetwork) => (
      <>
        <a class="open" href={networkPath(network.vlan_name)}>
          {network.vlan_name}
        </a>{" "}
        <Marks network={network} />
      </>
    ),
  },
  { label: "Scope", cell: ({ scope }: VlanNetwork) => <RecordLink table="scopes" name={scope} /> },
  { label: "Address", class: "mono", cell: ({ address }: VlanNetwork) => address },
  {
    label: "Domain",
    cell: ({ domain }: VlanNetwork) => <RecordLink table="domains" name={domain} />,
  },
  {
    label: "Hosts",
    class: "number",
    cell: ({ vlan_name, hosts }: VlanNetwork) => (
      <a href={`${HOSTS}?${new URLSearchParams({ network: vlan_name })}`}>
        {hosts.toLocaleString("en")}
      </a>
    ),
  },
  {
    label: "In use",
    cell: (network: VlanNetwork) => <Usage used={network.used} size={networkSize(network)} />,
  },
];
