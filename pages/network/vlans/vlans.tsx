// GET /network/vlans/(number): the networks of a VLAN.
import { Elysia } from "elysia";
import { notFound } from "../../../src/input/errors.ts";
import { networkSize } from "../../../src/network/networks/usage.ts";
import { findVlan, type Vlan, type VlanNetwork } from "../../../src/network/vlans/vlan.ts";
import { page } from "../../layout/page.tsx";
import { PageHead } from "../../layout/page_head.tsx";
import { countOf } from "../../parts/count.ts";
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
        <table class="list">
          <caption class="hidden">Networks of VLAN {id}</caption>
          <thead>
            <tr>
              <th scope="col">Network</th>
              <th scope="col">Scope</th>
              <th scope="col">Address</th>
              <th scope="col">Domain</th>
              <th scope="col" class="number">
                Hosts
              </th>
              <th scope="col">In use</th>
            </tr>
          </thead>
          <tbody>
            {networks.map((network) => (
              <Row network={network} />
            ))}
          </tbody>
        </table>
        {total > networks.length && (
          <a class="button quiet" href={`${NETWORKS}?vlan_id=${id}`}>
            All {countOf(total, "network")}
          </a>
        )}
      </section>
    </>
  );
}

function Row({ network }: { network: VlanNetwork }) {
  const { vlan_name, scope, address, domain, hosts } = network;
  return (
    <tr>
      <td data-label="Network">
        <a class="open" href={networkPath(vlan_name)}>
          {vlan_name}
        </a>{" "}
        <Marks network={network} />
      </td>
      <td data-label="Scope">
        <RecordLink table="scopes" name={scope} />
      </td>
      <td data-label="Address" class="mono">
        {address}
      </td>
      <td data-label="Domain">
        <RecordLink table="domains" name={domain} />
      </td>
      <td data-label="Hosts" class="number">
        <a href={`${HOSTS}?${new URLSearchParams({ network: vlan_name })}`}>
          {hosts.toLocaleString("en")}
        </a>
      </td>
      <td data-label="In use">
        <Usage used={network.used} size={networkSize(network)} />
      </td>
    </tr>
  );
}
