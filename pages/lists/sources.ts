// All lists that have pages, and the query of each: for exports, saved views, columns and changes of several records.
import { type Caller, permit, type UserGroup } from "../../src/auth/auth.ts";
import { invalid } from "../../src/input/errors.ts";
import { kinds } from "../../src/inventory/attributes/attribute.ts";
import * as attributes from "../../src/inventory/attributes/attributes.ts";
import { filterChoices as itemChoices } from "../../src/inventory/items/choices.ts";
import { item } from "../../src/inventory/items/item.ts";
import { hostsInGroups, impactOfInterfaces } from "../../src/network/deletion_impact.ts";
import { domain } from "../../src/network/domains/domain.ts";
import { groupBulk } from "../../src/network/groups/bulk.ts";
import { group } from "../../src/network/groups/group.ts";
import * as groups from "../../src/network/groups/groups.ts";
import { hostBulk } from "../../src/network/hosts/bulk.ts";
import { filterChoices as hostChoices } from "../../src/network/hosts/choices.ts";
import { host } from "../../src/network/hosts/host.ts";
import { hostQuery } from "../../src/network/hosts/query.ts";
import { networkInterface } from "../../src/network/interfaces/interface.ts";
import * as interfaces from "../../src/network/interfaces/interfaces.ts";
import { interfaceQuery } from "../../src/network/interfaces/query.ts";
import { network } from "../../src/network/networks/network.ts";
import { change as changeNetwork } from "../../src/network/networks/networks.ts";
import { networkQuery } from "../../src/network/networks/query.ts";
import { scope } from "../../src/network/scopes/scope.ts";
import { change as changeScope } from "../../src/network/scopes/scopes.ts";
import { standardResources } from "../../src/resources.ts";
import { type BulkArea, standardBulk } from "../../src/store/bulk.ts";
import type { Choices } from "../../src/store/choices.ts";
import type { RecordQuery } from "../../src/store/records.ts";
import { listedQuery, type Resource } from "../../src/store/resource.ts";
import { account } from "../../src/user/account.ts";
import { accountQuery, heldTokenQuery } from "../../src/user/administration.ts";
import { auditEntry } from "../../src/user/audit_entry.ts";
import { READERS } from "../../src/user/audit_log.ts";
import { heldToken } from "../../src/user/held_token.ts";
import { serviceAccount, serviceAccountQuery } from "../../src/user/service_accounts.ts";
import { AUDIT, SERVICE_ACCOUNTS } from "../admin/paths.ts";
import { itemListParams } from "../inventory/items/paths.ts";
import { countOf } from "../parts/count.ts";
import { readTyped, readTypedByTime } from "../request/typed_search.ts";

export interface ListSource {
  resource: Resource;
  /** How several of its records are changed and deleted at once, if they can be. */
  bulk?: BulkArea;
  /** Its records are never in use: their creators and admins delete them. */
  isOwned?: boolean;
  /** What else the deletion of records changes, in sentences. */
  losses?: (caller: Caller, ids: number[]) => Promise<string[]>;
  /** Who may see the list, if not everybody. */
  readers?: readonly UserGroup[];
  query: (caller: Caller) => RecordQuery | Promise<RecordQuery>;
  /** The choices of its filters, if it has such. */
  choices?: Choices<unknown>;
  /** The parameters by which its records are read. */
  read: (params: URLSearchParams) => URLSearchParams;
}

type Entry = [path: string, source: ListSource];

/** A list of its resource, with these differences. */
function listOf(resource: Resource, own: Partial<ListSource> = {}, path = resource.path): Entry {
  const query = (caller: Caller) => listedQuery(resource, caller);
  return [path, { resource, query, read: readTyped, ...own }];
}

const attributeLists = kinds.map((kind) =>
  listOf(
    kind.resource,
    {
      query: (caller) => attributes.attributesQuery(caller, kind),
      bulk: {
        ...standardBulk(kind.resource),
        change: (tx, caller, id, input) => attributes.change(tx, caller, { of: kind, id }, input),
      },
    },
    `/inventory/attributes/${kind.name}`,
  ),
);

const networkLists = [
  listOf(host, {
    read: (params) => readTyped(params, hostQuery),
    bulk: hostBulk,
    choices: hostChoices,
  }),
  listOf(networkInterface, {
    read: (params) => readTyped(params, interfaceQuery),
    bulk: {
      resource: networkInterface,
      change: (tx, caller, id, input) => interfaces.change(tx, caller, { id, ...input }),
      remove: interfaces.removeInterface,
    },
    isOwned: true,
    losses: async (_, ids) => {
      const { cnames } = await impactOfInterfaces(ids);
      return cnames > 0 ? [`${countOf(cnames, "cname")} deleted with them`] : [];
    },
  }),
  listOf(network, {
    read: (params) => readTyped(params, networkQuery),
    bulk: {
      ...standardBulk(network),
      change: (tx, caller, id, input) => changeNetwork(tx, caller, { id, ...input }),
    },
  }),
  listOf(scope, {
    bulk: {
      ...standardBulk(scope),
      change: (tx, caller, id, input) => changeScope(tx, caller, { id, ...input }),
    },
  }),
  listOf(domain, { bulk: standardBulk(domain) }),
  listOf(group, {
    query: groups.groupListQuery,
    bulk: groupBulk,
    isOwned: true,
    losses: async (caller, ids) => {
      const hosts = await hostsInGroups(caller, ids);
      return [`Hosts and child groups remain; ${countOf(hosts, "host")} will lose their variables`];
    },
  }),
];

const adminLists = [
  listOf(account, { readers: ["admin"], query: accountQuery }),
  listOf(serviceAccount, { readers: ["admin"], query: serviceAccountQuery }, SERVICE_ACCOUNTS),
  listOf(heldToken, { readers: ["admin"], query: heldTokenQuery }),
  listOf(auditEntry, { readers: READERS, read: readTypedByTime }, AUDIT),
];

/** By their paths. */
export const sources: ReadonlyMap<string, ListSource> = new Map<string, ListSource>([
  listOf(item, { read: itemListParams, choices: itemChoices }),
  ...attributeLists,
  ...networkLists,
  ...standardResources.map((resource) => listOf(resource, { bulk: standardBulk(resource) })),
  ...adminLists,
]);

/** The page with the list of these records. */
export function listPageOf(wanted: Pick<Resource, "path">): string {
  return [...sources].find(([, { resource }]) => resource.path === wanted.path)?.[0] ?? wanted.path;
}

/** A list that the caller may see. */
export function requireList(caller: Caller, path: string): ListSource {
  const source = sources.get(path);
  if (source?.readers) permit(caller, source.readers, false);
  if (source) return source;
  const open = [...sources].filter(([, { readers }]) => !readers).map(([one]) => one);
  throw invalid("list", `Use one of ${open.join(", ")}`);
}
