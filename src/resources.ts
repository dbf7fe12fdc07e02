// All resources. A resource comes after those that it refers to: undo restores rows in this order and deletes them in
// the opposite one.
import type { Caller } from "./auth/auth.ts";
import { file } from "./files/file.ts";
import { atLeastOne, closed } from "./input/shape.ts";
import { kinds } from "./inventory/attributes/attribute.ts";
import { comment } from "./inventory/comments/comment.ts";
import { item } from "./inventory/items/item.ts";
import { mac } from "./inventory/macs/mac.ts";
import { cname } from "./network/cnames/cname.ts";
import { deviceType } from "./network/device_types/device_type.ts";
import { domain } from "./network/domains/domain.ts";
import { group } from "./network/groups/group.ts";
import { host } from "./network/hosts/host.ts";
import { networkInterface } from "./network/interfaces/interface.ts";
import { network } from "./network/networks/network.ts";
import { scope } from "./network/scopes/scope.ts";
import { siteField } from "./site/site_field.ts";
import * as crud from "./store/crud.ts";
import { findPast, type PastRecord } from "./store/past/record.ts";
import { changeFields, creationFields, type Resource } from "./store/resource.ts";

export const resources: readonly Resource[] = [
  siteField,
  ...kinds.map((kind) => kind.resource),
  domain,
  deviceType,
  scope,
  network,
  host,
  networkInterface,
  cname,
  group,
  item,
  mac,
  comment,
  file,
];

/** Resources without rules of their own: the API and the pages are made from their descriptions. */
export const standardResources = resources.filter(({ standard }) => standard);

/** Those of an area: /network or /inventory. */
export function standardIn(area: string): Resource[] {
  return standardResources.filter(({ path }) => path.startsWith(`${area}/`));
}

const byTable = new Map(resources.map((resource) => [resource.name, resource]));

/** The resource of a table. */
export function resourceOf(table: string): Resource | undefined {
  return byTable.get(table);
}

/** The operations of a standard resource. */
export function standardArea(resource: Resource) {
  const changed = changeFields(resource);
  return {
    created: closed(creationFields(resource)),
    changed: Object.keys(changed).length > 0 ? atLeastOne(changed) : undefined,
    list: (caller: Caller, params: URLSearchParams) => crud.list(resource, caller, params),
    find: (caller: Caller, id: number, isRecursive = false) =>
      crud.find(resource, caller, id, { isRecursive }),
    findAt: (caller: Caller, when: PastRecord) => findPast(caller, resource, when),
    create: (caller: Caller, input: object) => crud.create(resource, caller, { ...input }),
    update: (caller: Caller, id: number, input: object) =>
      crud.update(resource, caller, id, { ...input }),
    remove: (caller: Caller, id: number) => crud.remove(resource, caller, id),
  };
}
