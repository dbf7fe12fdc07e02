// Cnames: further names of interfaces.
import type { Static } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { cnames } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { closed, foreignKey } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import { mayEdit, requireCreator } from "../../store/may_edit.ts";
import type * as records from "../../store/records.ts";
import { creationFields } from "../../store/resource.ts";
import { lock, type Transaction, write } from "../../store/write.ts";
import { type Cname, cname } from "./cname.ts";

export const newCname = closed({ ...creationFields(cname), interface_id: foreignKey("interface") });

/** A full name, or a label in the domain of its interface. */
export function create(
  caller: Caller,
  input: Static<typeof newCname>,
): Promise<records.RecordJson<Cname>> {
  return write(caller, async (tx) => {
    await refuseProbing(caller);
    return crud.find(cname, caller, await add(tx, caller, input), { tx });
  });
}

/** The label to lock before the cname is written. */
export function dnsLabelOf({ name }: { name: string }): string {
  return name.toLowerCase().split(".")[0] ?? "";
}

/** Part of a larger write. */
export async function add(
  tx: Transaction,
  caller: Caller,
  { name: fullNameOrLabel, interface_id, ...plain }: Static<typeof newCname>,
): Promise<number> {
  const lowerName = fullNameOrLabel.toLowerCase();
  const owner = await ownerOf(tx, caller, sql`interfaces.id = ${interface_id}`);
  if (!owner) throw invalid("interface_id", `There is no interface ${interface_id}`);
  await mayEdit(tx.execute, caller, [owner.host_id]);
  const name = lowerName.includes(".") ? lowerName : `${lowerName}.${owner.domain}`;
  const [created] = await tx
    .insert(cnames)
    .values({ ...(await crud.columnsIn(tx, caller, cname, plain)), name, interface_id })
    .returning({ id: cnames.id });
  return created?.id ?? 0;
}

/** Allowed to its creator and to admins. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    const owner = await ownerOf(
      tx,
      caller,
      sql`interfaces.id = (
      select interface_id from cnames where cnames.id = ${id})`,
    );
    if (!owner) throw notFound();
    await lock(tx, caller, { table: cnames, id });
    const [created] = await tx
      .select({ by: cnames.created_by })
      .from(cnames)
      .where(eq(cnames.id, id));
    requireCreator(caller, created?.by, "this cname");
    await mayEdit(tx.execute, caller, [owner.host_id]);
    await tx.delete(cnames).where(eq(cnames.id, id));
  });
}

interface CnameOwner {
  host_id: number;
  domain: string;
}

/** The host and the domain of an interface that a cname names. */
async function ownerOf(
  tx: Transaction,
  caller: Caller,
  which: ReturnType<typeof sql>,
): Promise<CnameOwner | undefined> {
  const [found] = await tx.execute<CnameOwner>(sql`
    select host_id, domains.name as domain
    from interfaces join networks on networks.id = network_id join domains on domains.id = domain_id
    where ${which} and ${mayKnowHost(caller, sql`interfaces.host_id`)} for key share of interfaces`);
  return found;
}
