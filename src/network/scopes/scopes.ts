// Scopes: a range of VLANs and a block of addresses for networks.

import type { Static } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { scopes } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { invalid } from "../../input/errors.ts";
import { atLeastOne, closed, foreignKey } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { changeFields, creationFields } from "../../store/resource.ts";
import { type Transaction, write } from "../../store/write.ts";
import * as domains from "../domains/domains.ts";
import { type Scope, scope } from "./scope.ts";

export const newScope = closed({ ...creationFields(scope), domain_id: foreignKey("domain") });
export const changedScope = atLeastOne(changeFields(scope));

type NewScope = Static<typeof newScope>;
type ChangedScope = Static<typeof changedScope>;

/** A network as the diagrams of its scope show it. */
export interface ScopeNetwork {
  vlan_name: string;
  vlan_id: number;
  address: string;
}

/** The networks of a scope, by address. */
export function networksOf(caller: Caller, scope: number): Promise<ScopeNetwork[]> {
  return database.rows<ScopeNetwork>(sql`
    select vlan_name, vlan_id, address::text as address from networks
    where scope_id = ${scope} and ${mayKnowNetwork(caller)} order by networks.address`);
}

export function create(caller: Caller, input: NewScope): Promise<records.RecordJson<Scope>> {
  return crud.create(scope, caller, input, async (tx) => {
    refuseRange(input);
    await domains.keyOf(tx, caller, { id: input.domain_id });
  });
}

export function update(
  caller: Caller,
  id: number,
  input: ChangedScope,
): Promise<records.RecordJson<Scope>> {
  return write(
    caller,
    (tx) => change(tx, caller, { id, ...input }),
    (tx) => crud.find(scope, caller, id, { tx }),
  );
}

/** Part of a larger write. */
export function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedScope & { id: number },
): Promise<void> {
  const check = async () => {
    const [now] = await tx.select().from(scopes).where(eq(scopes.id, id));
    refuseRange({ ...now, ...input });
  };
  return crud.change(tx, caller, { resource: scope, id, check }, input);
}

/** Refused if it has networks. */
export function remove(caller: Caller, id: number): Promise<void> {
  return crud.remove(scope, caller, id);
}

type ScopeRange = Partial<Pick<NewScope, "first_vlan" | "last_vlan">>;

function refuseRange({ first_vlan = 1, last_vlan = 4094 }: ScopeRange): void {
  if (first_vlan > last_vlan) throw invalid("last_vlan", `Use ${first_vlan} or more`);
}
