// Accounts of programs. A service account has groups, as people have, and tokens that admins create, rotate and revoke; it
// has no password and no sessions. History names it as the author. It stays when the admin who made it leaves.
import type { Static } from "@sinclair/typebox";
import { eq, type SQL, sql } from "drizzle-orm";
import { tokens, users } from "../../db/tables/user.ts";
import * as audit from "../auth/audit.ts";
import { type Caller, requireAdmin } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import { atLeastOne, closed } from "../input/shape.ts";
import { textError } from "../input/text.ts";
import * as records from "../store/records.ts";
import {
  changeFields,
  creationFields,
  type RowOf,
  recordQuery,
  resource,
} from "../store/resource.ts";
import { type Transaction, write } from "../store/write.ts";
import { account } from "./account.ts";
import { heldTokenQuery } from "./administration.ts";
import type { HeldToken } from "./held_token.ts";
import * as all from "./tokens.ts";
import * as people from "./users.ts";

const { username, display_name, groups, state, last_seen, last_seen_from } = account.fields;
const { tokens: tokenCount, user, created_at, updated_at } = account.fields;

export const serviceAccount = resource({
  noun: "service account",
  path: "/user/service_accounts",
  table: users,
  key: "username",
  editors: ["admin"],
  order: sql`users.username`,
  fields: {
    username,
    display_name,
    groups,
    state,
    tokens: tokenCount,
    last_seen,
    last_seen_from,
    user,
    created_at,
    updated_at,
  },
  internal: ["password_hash", "email", "deactivated_at", "is_break_glass", "is_service"],
});

export type ServiceAccount = RowOf<typeof serviceAccount>;

export const newServiceAccount = closed(creationFields(serviceAccount));
export const changedServiceAccount = atLeastOne(changeFields(serviceAccount));

const isService = sql`users.is_service`;

/** Deactivated ones too. */
export function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<ServiceAccount>> {
  requireAdmin(caller);
  return records.list(recordQuery(serviceAccount, caller), params, isService);
}

/** For exports. */
export function serviceAccountQuery(caller: Caller): records.RecordQuery<ServiceAccount> {
  return { ...recordQuery(serviceAccount, caller), visible: isService };
}

export function find(
  caller: Caller,
  id: number,
  tx?: Transaction,
): Promise<records.RecordJson<ServiceAccount>> {
  return findBy(caller, sql`users.id = ${id}`, tx);
}

export async function findNamed(
  caller: Caller,
  name: string,
): Promise<records.RecordJson<ServiceAccount>> {
  if (textError(name)) throw notFound();
  return findBy(caller, sql`users.username = ${name}`);
}

async function findBy(
  caller: Caller,
  which: SQL,
  tx?: Transaction,
): Promise<records.RecordJson<ServiceAccount>> {
  requireAdmin(caller);
  return records.find(recordQuery(serviceAccount, caller), sql`${which} and ${isService}`, tx);
}

export function create(
  caller: Caller,
  { username, ...rest }: Static<typeof newServiceAccount>,
): Promise<records.RecordJson<ServiceAccount>> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const values = { ...rest, username: username.toLowerCase(), is_service: true };
    const [made] = await tx.insert(users).values(values).returning({ id: users.id });
    await audit.addWithin(tx, {
      event: "user.created",
      ...audit.auditCaller(caller),
      target: values.username,
      details: { service_account: true, groups: (rest.groups ?? []).join(", ") },
    });
    return find(caller, made?.id ?? 0, tx);
  });
}

export async function update(
  caller: Caller,
  id: number,
  input: Static<typeof changedServiceAccount>,
): Promise<records.RecordJson<ServiceAccount>> {
  await find(caller, id);
  return people.updateAndRead(caller, id, input, (tx) => find(caller, id, tx));
}

/** Deactivates it and ends its tokens. The record stays, because history refers to it. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await find(caller, id);
  await people.remove(caller, id);
}

/** Its earlier tokens stay ended. */
export async function activate(caller: Caller, id: number): Promise<void> {
  await find(caller, id);
  await people.activate(caller, id);
}

/** Its active tokens, with their last use. */
export async function tokensOf(
  caller: Caller,
  id: number,
  params: URLSearchParams,
): Promise<records.ListJson<HeldToken>> {
  requireAdmin(caller);
  const listed = await records.list(heldTokenQuery(caller), params, sql`${tokens.user_id} = ${id}`);
  await find(caller, id);
  return listed;
}

/** Returns the record with the token itself, which cannot be read again. */
export async function createToken(
  caller: Caller,
  id: number,
  input: Static<typeof all.newToken>,
): Promise<records.RecordJson<all.ShownToken>> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const [found] = await tx
      .select({ id: users.id })
      .from(users)
      .where(sql`${eq(users.id, id)} and ${isService} and ${users.deactivated_at} is null`)
      .for("share");
    if (!found) throw notFound();
    return all.createIn(tx, caller, id, input);
  });
}

interface TokenOfAccount {
  account: number;
  token: number;
}

export async function rotateToken(
  caller: Caller,
  { account: id, token }: TokenOfAccount,
  input: Static<typeof all.rotation>,
): Promise<records.RecordJson<all.ShownToken>> {
  requireAdmin(caller);
  return all.rotateThose(caller, { id: token, owned: ownedBy(id) }, input);
}

export async function revokeToken(
  caller: Caller,
  { account: id, token }: TokenOfAccount,
): Promise<void> {
  requireAdmin(caller);
  await all.revokeThose(
    caller,
    sql`${tokens.id} = ${token} and ${tokens.kind} = 'personal' and ${ownedBy(id)}`,
  );
}

function ownedBy(id: number): SQL {
  return sql`${tokens.user_id} = ${id} and exists (select from users where users.id = ${id} and ${isService})`;
}
