// A scope as a person fills it in: its domain by name.
import type { Static } from "@sinclair/typebox";
import type { Caller } from "../auth.ts";
import type { Found } from "../records.ts";
import { closed } from "../shape.ts";
import { domainNamed } from "./scope_choices.ts";
import * as scopes from "./scopes.ts";
import * as shapes from "./shapes.ts";

const { domain_id, ...properties } = scopes.newScope.properties;

export const newEntry = closed({ ...properties, domain: shapes.DNS_NAME });

export async function create(caller: Caller, input: Static<typeof newEntry>): Promise<Found> {
  const { domain, ...plain } = input;
  return scopes.create(caller, { ...plain, domain_id: await domainNamed(domain) });
}
