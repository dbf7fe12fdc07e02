// GET /network: the page that leads to all lists of the network.
import { Elysia } from "elysia";
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";
import { EDITORS as HOST_EDITORS } from "../../src/network/hosts/view.ts";
import { type NetworkCounts, networkCounts } from "../../src/network/overview.ts";
import { standardIn } from "../../src/resources.ts";
import { type AreaCardProps, AreaPage, TAGS_CARD } from "../layout/area_page.tsx";
import { page } from "../layout/page.tsx";
import { countOf } from "../parts/count.ts";
import { guard } from "../request/guard.ts";
import { inTitle } from "../texts.ts";
import { DOMAINS, EDITORS, HOSTS, INTERFACES, NETWORKS, SCOPES } from "./paths.ts";

export const networkRoomPages = new Elysia({ normalize: false }).use(guard).get(
  "/network",
  async ({ request, caller }) => {
    const cards = cardsFor(caller, await networkCounts(caller));
    return page(request, {
      title: "Network",
      crumbs: [{ label: "Network" }],
      body: (
        <AreaPage
          title="Network"
          lead="Hosts, addresses and the networks they are in"
          cards={cards}
        />
      ),
    });
  },
  { see: "everyone" },
);

function cardsFor(caller: Caller, counts: NetworkCounts | undefined): AreaCardProps[] {
  const figure = (name: keyof NetworkCounts, noun: string) => counts && countOf(counts[name], noun);
  const way = (allowed: Allowed, label: string, href: string) =>
    may(caller, allowed) ? [{ label, href }] : [];
  return [
    {
      title: "Hosts",
      href: HOSTS,
      figure: figure("hosts", "host"),
      text: "Machines with their names and addresses.",
      ways: [
        ...way(HOST_EDITORS, "Add host", `${HOSTS}/create`),
        ...way(HOST_EDITORS, "Import hosts", `${HOSTS}/import`),
      ],
    },
    {
      title: "Interfaces",
      href: INTERFACES,
      figure: figure("interfaces", "interface"),
      text: "Addresses in use, with their hosts and networks.",
    },
    {
      title: "Networks",
      href: NETWORKS,
      figure: figure("networks", "network"),
      text: "VLANs with their used and free addresses.",
      ways: way(EDITORS, "Add network", `${NETWORKS}/create`),
    },
    {
      title: "Scopes",
      href: SCOPES,
      figure: figure("scopes", "scope"),
      text: "VLAN ranges and address blocks for networks.",
      ways: way(EDITORS, "Add scope", `${SCOPES}/create`),
    },
    {
      title: "Domains",
      href: DOMAINS,
      figure: figure("domains", "domain"),
      text: "DNS domains for the full names of hosts.",
      ways: way(EDITORS, "Add domain", `${DOMAINS}/create`),
    },
    {
      title: "Groups",
      href: "/network/groups",
      figure: figure("groups", "group"),
      text: "Ansible groups of hosts, with their variables.",
      ways: way(HOST_EDITORS, "Add group", "/network/groups/create"),
    },
    TAGS_CARD,
    ...standardIn("/network").map(({ noun, plural, path, standard }) => ({
      title: inTitle(plural),
      href: path,
      figure: noun === "device type" ? figure("device_types", noun) : undefined,
      text: `${standard?.lead ?? ""}.`,
    })),
  ];
}
