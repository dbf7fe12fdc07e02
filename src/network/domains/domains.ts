import type { Static } from "@sinclair/typebox";
import { eq, type SQL } from "drizzle-orm";
import { domains } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuse } from "../../input/errors.ts";
import { closed } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { creationFields } from "../../store/resource.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import type { Transaction } from "../../store/write.ts";
import { type Domain, domain } from "./domain.ts";

export const newDomain = closed(creationFields(domain));

export function create(
  caller: Caller,
  input: Static<typeof newDomain>,
): Promise<records.RecordJson<Domain>> {
  return crud.create(domain, caller, input);
}

/** Refused while scopes or networks use it. */
export function remove(caller: Caller, id: number): Promise<void> {
  return crud.remove(domain, caller, id);
}

/** The id of a domain that is given by its name or id; refused if there is none. */
export async function keyOf(
  tx: Transaction,
  caller: Caller,
  nameOrId: { name: string } | { id: number },
) {
  const [field, condition]: [string, SQL] =
    "name" in nameOrId
      ? ["domain", eq(domains.name, nameOrId.name.toLowerCase())]
      : ["domain_id", eq(domains.id, nameOrId.id)];
  const [found] = await tx.select({ id: domains.id }).from(domains).where(condition);
  if (found) return found.id;
  const name = "name" in nameOrId ? nameOrId.name : String(nameOrId.id);
  const wrong = { field, name, table: "domains", noun: "domain" };
  throw refuse([await unknownRecord(tx, caller, wrong)]);
}
