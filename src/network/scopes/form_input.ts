// The input of the scope form: its domain by name.
import type { Static } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";
import { closed } from "../../input/shape.ts";
import type { RecordJson } from "../../store/records.ts";
import { domainNamed } from "./choices.ts";
import { type Scope, scope } from "./scope.ts";
import * as scopes from "./scopes.ts";

const { domain_id, ...properties } = scopes.newScope.properties;

export const newEntry = closed({ ...properties, domain: scope.fields.domain.change });

export async function create(
  caller: Caller,
  input: Static<typeof newEntry>,
): Promise<RecordJson<Scope>> {
  const { domain, ...plain } = input;
  return scopes.create(caller, { ...plain, domain_id: await domainNamed(caller, domain) });
}
