// All lists that have pages, and the query of each: for exports, saved views and columns.
import type { Caller } from "../../src/auth/auth.ts";
import { kinds } from "../../src/inventory/attributes/attribute.ts";
import * as attributes from "../../src/inventory/attributes/attributes.ts";
import { item } from "../../src/inventory/items/item.ts";
import { domain } from "../../src/network/domains/domain.ts";
import * as domains from "../../src/network/domains/usage.ts";
import { group } from "../../src/network/groups/group.ts";
import * as groups from "../../src/network/groups/groups.ts";
import { host } from "../../src/network/hosts/host.ts";
import * as hosts from "../../src/network/hosts/hosts.ts";
import { networkInterface } from "../../src/network/interfaces/interface.ts";
import { interfaceQuery } from "../../src/network/interfaces/query.ts";
import { network } from "../../src/network/networks/network.ts";
import { networkQuery } from "../../src/network/networks/query.ts";
import * as networks from "../../src/network/networks/usage.ts";
import { scope } from "../../src/network/scopes/scope.ts";
import * as scopes from "../../src/network/scopes/usage.ts";
import { standardResources } from "../../src/resources.ts";
import { type BulkArea, standardBulk } from "../../src/store/bulk.ts";
import type { RecordQuery } from "../../src/store/records.ts";
import { type Resource, recordQuery } from "../../src/store/resource.ts";
import { itemListParams } from "../inventory/items/list_params.ts";
import { bestFirst, readTyped } from "../request/typed_search.ts";

export interface ListSource {
  resource: Resource;
  /** How many of its records are changed at once, if they can be. */
  bulk?: BulkArea;
  query: (caller: Caller) => RecordQuery | Promise<RecordQuery>;
  /** The parameters by which its records are read. */
  read: (params: URLSearchParams) => URLSearchParams;
}

function plain(
  resource: Resource,
  read: ListSource["read"] = readTyped,
): [path: string, source: ListSource] {
  return [resource.path, { resource, query: (caller) => recordQuery(resource, caller), read }];
}

/** By their paths. */
export const sources: ReadonlyMap<string, ListSource> = new Map<string, ListSource>([
  plain(item, itemListParams),
  ...kinds.map((kind): [string, ListSource] => [
    `/inventory/attributes/${kind.name}`,
    {
      resource: kind.resource,
      query: (caller) => attributes.queryWithUse(caller, kind),
      read: readTyped,
      bulk: {
        ...standardBulk(kind.resource),
        change: (tx, caller, id, input) => attributes.change(tx, caller, { of: kind, id }, input),
      },
    },
  ]),
  [
    host.path,
    {
      resource: host,
      query: (caller) => recordQuery(host, caller),
      read: bestFirst,
      bulk: {
        resource: host,
        change: (tx, caller, id, input) => hosts.change(tx, caller, { id, ...input }),
      },
    },
  ],
  plain(networkInterface, (params) => readTyped(params, interfaceQuery)),
  [
    network.path,
    {
      resource: network,
      query: networks.queryWithUse,
      read: (params) => readTyped(params, networkQuery),
    },
  ],
  [scope.path, { resource: scope, query: scopes.queryWithUse, read: readTyped }],
  [domain.path, { resource: domain, query: domains.queryWithUse, read: readTyped }],
  [group.path, { resource: group, query: groups.groupListQuery, read: readTyped }],
  ...standardResources.map((resource): [string, ListSource] => [
    resource.path,
    {
      resource,
      query: (caller) => recordQuery(resource, caller),
      read: readTyped,
      bulk: standardBulk(resource),
    },
  ]),
]);
