import { type Static, Type } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import { domains } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowNetwork } from "../../auth/visibility.ts";
import { invalid } from "../../input/errors.ts";
import { closed } from "../../input/shape.ts";
import { inside } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { lock, type Transaction, write } from "../../store/write.ts";
import { edited, keyAmong, many } from "../common/columns.ts";
import { removeUnused } from "../common/remove_unused.ts";
import * as shapes from "../common/shapes.ts";
import { domainDocument } from "./search_document.ts";

export const newDomain = closed({ name: shapes.DNS_NAME });
export const domain = Type.Object({
  id: Type.Integer(),
  name: shapes.text,
  scopes: shapes.references,
  networks: shapes.references,
  ...shapes.edited,
});

const SCOPES = sql`scopes one where one.domain_id = domains.id`;

export function domainResource(caller: Caller): records.Resource {
  const networks = sql`networks one
    where one.domain_id = domains.id and ${mayKnowNetwork(caller, sql`one`)}`;
  return {
    from: sql`domains`,
    id: sql`domains.id`,
    version: sql`domains.version`,
    fields: {
      id: { kind: "integer", column: sql`domains.id` },
      name: { kind: "label", column: sql`domains.name` },
      scopes: many({
        kind: "name",
        name: sql`one.name`,
        from: SCOPES,
        nested: sql`json_build_object('id', one.id, 'name', one.name, 'supernet', one.supernet)`,
      }),
      scope_id: keyAmong(sql`one.id`, SCOPES),
      network_id: keyAmong(sql`one.id`, networks),
      networks: many({
        kind: "name",
        name: sql`one.vlan_name`,
        from: networks,
        nested: sql`json_build_object('id', one.id, 'vlan_name', one.vlan_name, 'address', one.address)`,
      }),
      ...edited(sql`domains`),
    },
    document: domainDocument(caller),
    order: sql`domains.name`,
  };
}

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(domainResource(caller), params);
}

export function find(caller: Caller, id: number, isRecursive = false): Promise<records.Found> {
  return read(caller, id, { isRecursive });
}

export function create(caller: Caller, { name }: Static<typeof newDomain>): Promise<records.Found> {
  return write(caller, async (tx) => {
    const [made] = await tx
      .insert(domains)
      .values({ name: name.toLowerCase() })
      .returning({ id: domains.id });
    return read(caller, made?.id ?? 0, { tx });
  });
}

/** Refused while scopes or networks use it. */
export function remove(caller: Caller, id: number): Promise<void> {
  const uses = [
    { noun: "scope", from: sql`scopes where domain_id = ${id}` },
    { noun: "network", from: sql`networks where domain_id = ${id}` },
  ];
  return removeUnused({ called: "domain", uses }, () =>
    write(caller, async (tx) => {
      await lock(tx, caller, { table: domains, id });
      await tx.delete(domains).where(eq(domains.id, id));
    }),
  );
}

/** The key of a domain, by its name or its key. */
export async function keyOf(tx: Transaction, named: { name: string } | { id: number }) {
  const [field, condition]: [string, SQL] =
    "name" in named
      ? ["domain", sql`name = ${named.name.toLowerCase()}`]
      : ["domain_id", sql`id = ${named.id}`];
  const [found] = await inside(tx)<{ id: number }>(sql`select id from domains where ${condition}`);
  const said = "name" in named ? named.name : String(named.id);
  if (!found) throw invalid(field, `'${said}' is not a valid domain`);
  return found.id;
}

function read(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.nests(caller) }: records.Reading,
): Promise<records.Found> {
  return records.find({ ...domainResource(caller), isRecursive }, sql`domains.id = ${id}`, tx);
}
