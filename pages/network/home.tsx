// GET /network: the page that leads to all lists of the network.
import { Elysia } from "elysia";
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";
import { EDITORS as HOST_EDITORS } from "../../src/network/hosts/view.ts";
import { type NetworkCounts, networkCounts } from "../../src/network/overview.ts";
import { standardResources } from "../../src/resources.ts";
import { page } from "../layout/page.tsx";
import { type Room, RoomsPage } from "../layout/rooms.tsx";
import { countOf } from "../parts/count.ts";
import { guard } from "../request/guard.ts";
import { inTitle } from "../texts.ts";
import { DOMAINS, EDITORS, HOSTS, INTERFACES, NETWORKS, SCOPES } from "./paths.ts";

export const networkRoomPages = new Elysia({ normalize: false }).use(guard).get(
  "/network",
  async ({ request, caller }) => {
    const rooms = roomsFor(caller, await networkCounts(caller));
    return page(request, {
      title: "Network",
      crumbs: [{ label: "Network" }],
      body: <RoomsPage title="Network" lead="Hosts and their addresses" rooms={rooms} />,
    });
  },
  { see: "everyone" },
);

function roomsFor(caller: Caller, counts: NetworkCounts | undefined): Room[] {
  const figure = (name: keyof NetworkCounts, noun: string) => counts && countOf(counts[name], noun);
  const way = (allowed: Allowed, label: string, href: string) =>
    may(caller, allowed) ? [{ label, href }] : [];
  return [
    {
      title: "Hosts",
      href: HOSTS,
      figure: figure("hosts", "host"),
      text: "All machines with a name; most of them have an address.",
      ways: [
        ...way(HOST_EDITORS, "Add host", `${HOSTS}/create`),
        ...way(HOST_EDITORS, "Import hosts", `${HOSTS}/import`),
      ],
    },
    {
      title: "Interfaces",
      href: INTERFACES,
      figure: figure("interfaces", "interface"),
      text: "Every address that is in use, with its host and its network.",
    },
    {
      title: "Networks",
      href: NETWORKS,
      figure: figure("networks", "network"),
      text: "The VLANs, their blocks and their free addresses.",
      ways: way(EDITORS, "Add network", `${NETWORKS}/create`),
    },
    {
      title: "Scopes",
      href: SCOPES,
      figure: figure("scopes", "scope"),
      text: "Ranges of VLANs and address blocks for networks.",
      ways: way(EDITORS, "Add scope", `${SCOPES}/create`),
    },
    {
      title: "Domains",
      href: DOMAINS,
      figure: figure("domains", "domain"),
      text: "The DNS domains of the full names of hosts.",
      ways: way(EDITORS, "Add domain", `${DOMAINS}/create`),
    },
    {
      title: "Groups",
      href: "/network/groups",
      figure: figure("groups", "group"),
      text: "Hosts that belong together, with their variables for Ansible.",
      ways: way(HOST_EDITORS, "Add group", "/network/groups/create"),
    },
    ...standardResources.map(({ noun, plural, path, standard }) => ({
      title: inTitle(plural),
      href: path,
      figure: noun === "device type" ? figure("device_types", noun) : undefined,
      text: `${standard?.lead ?? ""}.`,
    })),
  ];
}
