// The parameters that all feeds have in common.
import { type TProperties, Type } from "@sinclair/typebox";
import { SEARCH_TEXT } from "../../input/kinds.ts";
import { query } from "../../input/query.ts";

export const SINCE = "Use a time in UTC that has passed, such as 2026-01-31 14:05, or an ETag";

const since = Type.Optional(
  Type.String({
    title: "A time or an ETag: answer 304 if nothing has changed since",
    description: SINCE,
  }),
);

/** Select the hosts, interfaces and networks of a feed. */
export const filters = {
  scope: Type.Optional(
    Type.Array(SEARCH_TEXT, { title: "Hosts of networks in this scope; repeat for several" }),
  ),
  network: Type.Optional(
    Type.Array(SEARCH_TEXT, { title: "Hosts of this network; repeat for several" }),
  ),
  group: Type.Optional(
    Type.Array(SEARCH_TEXT, { title: "Hosts of this group or its children; repeat for several" }),
  ),
};

export function feedQuery<Parameters extends TProperties>(parameters: Parameters) {
  return query({ ...parameters, since });
}
