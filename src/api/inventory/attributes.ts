import type { Caller } from "../../auth/auth.ts";
import type { AttributeKind } from "../../inventory/attributes/attribute.ts";
import * as attributes from "../../inventory/attributes/attributes.ts";
import { routesOf } from "../resource.ts";

export function attributeRoutes(of: AttributeKind) {
  const reading = {
    list: (caller: Caller, params: URLSearchParams) => attributes.list(caller, of, params),
    find: (caller: Caller, id: number, isRecursive?: boolean) =>
      attributes.find(caller, of, id, isRecursive),
  };
  if (of.name === "action") return routesOf(of.resource, { area: reading });
  return routesOf(of.resource, {
    area: {
      ...reading,
      create: (caller: Caller, input: attributes.NewAttribute) =>
        attributes.create(caller, of, input),
      update: (caller: Caller, id: number, input: attributes.ChangedAttribute) =>
        attributes.update(caller, { of, id }, input),
      remove: (caller: Caller, id: number) => attributes.remove(caller, of, id),
    },
    created: attributes.newAttribute,
    changed: attributes.changedAttribute,
    summaries: { remove: `Delete a ${of.name} that nothing uses` },
  });
}
