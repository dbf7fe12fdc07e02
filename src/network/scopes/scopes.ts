// A scope has a range of VLANs and a block of addresses, from which its networks are cut.
import { type Static, Type } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import { scopes } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { BLOCK } from "../../input/addresses.ts";
import { type Fault, invalid, refuse } from "../../input/errors.ts";
import { closed, KEY, some } from "../../input/shape.ts";
import { inside } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { lock, type Transaction, write } from "../../store/write.ts";
import { edited, keyAmong, many } from "../common/columns.ts";
import { removeUnused } from "../common/remove_unused.ts";
import * as shapes from "../common/shapes.ts";
import * as domains from "../domains/domains.ts";
import { scopeDocument } from "./search_document.ts";

const fields = {
  name: shapes.SHORT_NAME,
  first_vlan: shapes.VLAN_ID,
  last_vlan: shapes.VLAN_ID,
  supernet: BLOCK,
};

export const newScope = closed({
  ...fields,
  domain_id: KEY,
  description: Type.Optional(shapes.DESCRIPTION),
});
export const changedScope = some({
  ...fields,
  description: shapes.DESCRIPTION,
  domain: shapes.DNS_NAME,
});
export const scope = Type.Object({
  id: Type.Integer(),
  name: shapes.text,
  description: shapes.textOrNull,
  first_vlan: Type.Integer(),
  last_vlan: Type.Integer(),
  supernet: shapes.text,
  domain: shapes.reference,
  networks: shapes.references,
  ...shapes.edited,
});

export type NewScope = Static<typeof newScope>;
export type ChangedScope = Static<typeof changedScope>;

export function scopeResource(caller: Caller): records.Resource {
  const networks = sql`networks one
    where one.scope_id = scopes.id and ${mayKnowNetwork(caller, sql`one`)}`;
  return {
    from: sql`scopes join domains on domains.id = scopes.domain_id`,
    id: sql`scopes.id`,
    version: sql`scopes.version`,
    fields: {
      id: { kind: "integer", column: sql`scopes.id` },
      name: { kind: "name", column: sql`scopes.name` },
      description: { kind: "text", column: sql`scopes.description` },
      first_vlan: { kind: "integer", column: sql`scopes.first_vlan` },
      last_vlan: { kind: "integer", column: sql`scopes.last_vlan` },
      supernet: { kind: "ip", column: sql`scopes.supernet` },
      domain: {
        kind: "label",
        column: sql`domains.name`,
        nested: sql`json_build_object('id', domains.id, 'name', domains.name)`,
      },
      domain_id: { kind: "integer", column: sql`scopes.domain_id`, hidden: true },
      network_id: keyAmong(sql`one.id`, networks),
      networks: many({
        kind: "name",
        name: sql`one.vlan_name`,
        from: networks,
        nested: sql`json_build_object('id', one.id, 'vlan_name', one.vlan_name, 'vlan_id', one.vlan_id,
          'address', one.address)`,
      }),
      ...edited(sql`scopes`),
    },
    document: scopeDocument(caller),
    order: sql`lower(scopes.name)`,
  };
}

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(scopeResource(caller), params);
}

export function find(caller: Caller, id: number, isRecursive = false): Promise<records.Found> {
  return read(caller, id, { isRecursive });
}

export function create(caller: Caller, input: NewScope): Promise<records.Found> {
  return write(caller, async (tx) => {
    refuseRange(input);
    await domains.keyOf(tx, { id: input.domain_id });
    const [made] = await tx.insert(scopes).values(input).returning({ id: scopes.id });
    return read(caller, made?.id ?? 0, { tx });
  });
}

/** Refused while one of its networks would stand outside. */
export function update(caller: Caller, id: number, input: ChangedScope): Promise<records.Found> {
  const { domain, ...plain } = input;
  return write(caller, async (tx) => {
    await lock(tx, caller, { table: scopes, id });
    const key =
      domain === undefined ? {} : { domain_id: await domains.keyOf(tx, { name: domain }) };
    const [now] = await tx.select().from(scopes).where(eq(scopes.id, id));
    const wanted = { ...now, ...plain };
    refuseRange(wanted);
    await refuseOffender(tx, id, wanted);
    await tx
      .update(scopes)
      .set({ ...plain, ...key })
      .where(eq(scopes.id, id));
    return read(caller, id, { tx });
  });
}

/** Refused while it has networks. */
export function remove(caller: Caller, id: number): Promise<void> {
  const uses = [{ noun: "network", from: sql`networks where scope_id = ${id}` }];
  return removeUnused({ called: "scope", uses }, () =>
    write(caller, async (tx) => {
      await lock(tx, caller, { table: scopes, id });
      await tx.delete(scopes).where(eq(scopes.id, id));
    }),
  );
}

type Range = Partial<Pick<NewScope, "first_vlan" | "last_vlan" | "supernet">>;

function refuseRange({ first_vlan = 1, last_vlan = 4094 }: Range): void {
  if (first_vlan > last_vlan) throw invalid("last_vlan", `Use ${first_vlan} or more`);
}

/** The first of its networks, by VLAN and by address, that would stand outside. */
async function refuseOffender(tx: Transaction, id: number, wanted: Range): Promise<void> {
  const outside: Array<[field: string, condition: SQL, order: SQL]> = [
    ["first_vlan", sql`vlan_id < ${wanted.first_vlan}`, sql`vlan_id`],
    ["last_vlan", sql`vlan_id > ${wanted.last_vlan}`, sql`vlan_id desc`],
    ["supernet", sql`not address <<= ${wanted.supernet}::cidr`, sql`address`],
  ];
  const faults: Fault[] = [];
  for (const [field, condition, order] of outside) {
    const [offender] = await inside(tx)<{
      vlan_name: string;
      vlan_id: number;
      address: string;
    }>(sql`
      select vlan_name, vlan_id, address from networks where scope_id = ${id} and ${condition}
      order by ${order} limit 1`);
    if (offender) {
      const { vlan_name, vlan_id, address } = offender;
      const message = `The network ${vlan_name} (VLAN ${vlan_id}, ${address}) would stand outside`;
      faults.push({ field, message });
    }
  }
  if (faults.length > 0) throw refuse(faults);
}

function read(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.nests(caller) }: records.Reading,
): Promise<records.Found> {
  return records.find({ ...scopeResource(caller), isRecursive }, sql`scopes.id = ${id}`, tx);
}
