import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { users } from "../../db/tables/user.ts";
import { type Caller, forget, GROUPS, machine, seesAll } from "../auth/auth.ts";
import { invalid, notFound } from "../input/errors.ts";
import { closed, line, nullable, secret, some } from "../input/shape.ts";
import * as records from "../store/records.ts";
import { lock, type Transaction, takeTurn, write } from "../store/write.ts";
import { confirm } from "./confirmation.ts";
import * as passwords from "./passwords.ts";
import { userDocument } from "./user_document.ts";

const USERNAME = Type.String({
  pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$",
  description: "Use 1 to 64 of a-z, 0-9, dot, hyphen and underscore",
});
const EMAIL = Type.String({
  maxLength: 254,
  pattern: "^[^@\\s]+@[^@\\s]+$",
  description: "Use an address such as alice@example.org",
});
const groupRule = { description: `Use any of ${GROUPS.join(", ")}, each once` };
const GROUP = Type.Union(
  GROUPS.map((group) => Type.Literal(group)),
  groupRule,
);
const GROUP_LIST = Type.Array(GROUP, { maxItems: 10, uniqueItems: true, ...groupRule });

const fields = {
  display_name: nullable(line(100)),
  email: nullable(EMAIL),
  groups: GROUP_LIST,
  password: secret(passwords.PASSWORD_RULE),
};
const { display_name, email, groups, password } = fields;

export const newUser = closed({
  username: USERNAME,
  password,
  display_name: Type.Optional(display_name),
  email: Type.Optional(email),
  groups: Type.Optional(groups),
});
const end_tokens = Type.Boolean({
  description: "With a new password: use true to end the personal tokens, too",
});

export const changedUser = some({ ...fields, end_tokens });
export const changedProfile = some({
  display_name,
  email,
  password,
  current_password: secret("Give your current password"),
  end_tokens,
});

export const user = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  display_name: Type.Union([Type.String(), Type.Null()]),
  email: Type.Union([Type.String(), Type.Null()]),
  groups: Type.Union([Type.Array(Type.String()), Type.Null()]),
});
export type User = Static<typeof user>;

const active = sql`${users.deactivated_at} is null`;

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(resourceFor(caller), params, active);
}

export function find(caller: Caller, id: number): Promise<records.Found> {
  return read(caller, id);
}

export async function create(
  caller: Caller,
  input: Static<typeof newUser>,
): Promise<records.Found> {
  const { password, username, ...rest } = input;
  passwords.requireStrong(password, username);
  const password_hash = await passwords.hash(password, passwords.turnOf(caller));
  return write(caller, async (tx) => {
    const values = { ...rest, username: username.toLowerCase(), password_hash };
    const [made] = await tx.insert(users).values(values).returning({ id: users.id });
    return read(caller, made?.id ?? 0, tx);
  });
}

export async function update(
  caller: Caller,
  id: number,
  input: Static<typeof changedUser>,
): Promise<records.Found> {
  const { password, end_tokens, ...rest } = input;
  if (password === undefined && end_tokens !== undefined) {
    throw invalid("password", "Give the new password beside end_tokens");
  }
  const secret = password === undefined ? {} : await hashed(caller, id, password);
  return write(caller, async (tx) => {
    await lockActive(tx, caller, id);
    await tx
      .update(users)
      .set({ ...rest, ...secret })
      .where(eq(users.id, id));
    await requireAdmin(tx);
    if (password !== undefined) await signOut(tx, { user: id, personalTokens: end_tokens });
    return read(caller, id, tx);
  }).finally(forget);
}

/** Deactivates: history keeps the name, and every way in is closed. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    await lockActive(tx, caller, id);
    await tx.update(users).set({ deactivated_at: sql`now()` }).where(eq(users.id, id));
    await requireAdmin(tx);
    await signOut(tx, { user: id, personalTokens: true });
  }).finally(forget);
}

/**
 * Changes one's own record; a new password ends every other session and login token and, where that is wanted, every
 * other personal token. The address is the client's, for the audit log.
 */
export async function updateProfile(
  caller: Caller,
  input: Static<typeof changedProfile>,
  address: string,
): Promise<records.Found> {
  const { password, current_password, end_tokens, ...rest } = input;
  const id = caller.id ?? 0;
  if (password === undefined && current_password !== undefined) {
    throw invalid("password", "Give the new password beside the current one");
  }
  if (password === undefined && end_tokens !== undefined) {
    throw invalid("password", "Give the new password beside end_tokens");
  }
  const secret =
    password === undefined ? {} : await exchange(caller, { password, current_password, address });
  return write(caller, async (tx) => {
    await lockActive(tx, caller, id);
    await tx
      .update(users)
      .set({ ...rest, ...secret })
      .where(eq(users.id, id));
    if (password !== undefined) {
      await signOut(tx, { user: id, except: caller.credential, personalTokens: end_tokens });
    }
    return read(caller, id, tx);
  }).finally(forget);
}

// E-mail and groups of others are for those who see all; filters and sorting see no more than that.
function resourceFor(caller: Caller): records.RecordQuery {
  const known = seesAll(caller) ? sql`true` : sql`${users.id} = ${caller.id}`;
  return {
    from: sql`${users}`,
    id: sql`${users.id}`,
    version: sql`${users.version}`,
    fields: {
      id: { kind: "integer", column: sql`${users.id}` },
      username: { kind: "name", column: sql`${users.username}` },
      display_name: { kind: "text", column: sql`${users.display_name}` },
      email: { kind: "text", column: sql`case when ${known} then ${users.email} end` },
      groups: { kind: "list", column: sql`case when ${known} then ${users.groups} end` },
    },
    document: userDocument(known),
    order: sql`${users.username}`,
  };
}

/** The parameters that the list takes, whoever asks. */
export const { fields: listFields } = resourceFor(machine);

function read(caller: Caller, id: number, tx?: Transaction): Promise<records.Found> {
  return records.find(resourceFor(caller), sql`${users.id} = ${id} and ${active}`, tx);
}

async function lockActive(tx: Transaction, caller: Caller, id: number): Promise<void> {
  await lock(tx, caller, { table: users, id });
  const [found] = await tx.execute(
    sql`select 1 from ${users} where ${users.id} = ${id} and ${active}`,
  );
  if (!found) throw notFound();
}

// The lock on the admins makes two who take away each other's group wait for one another.
async function requireAdmin(tx: Transaction): Promise<void> {
  await takeTurn(tx, "the last admin");
  const [found] = await tx.execute(
    sql`select 1 from ${users} where 'admin' = any(${users.groups}) and ${active} limit 1`,
  );
  if (!found) throw invalid("groups", "Somebody must remain an admin");
}

interface SignOut {
  user: number;
  except?: Caller["credential"];
  personalTokens?: boolean;
}

async function signOut(
  tx: Transaction,
  { user, except, personalTokens = false }: SignOut,
): Promise<void> {
  const session = except?.kind === "session" ? except.id : 0;
  const token = except && except.kind !== "session" ? except.id : 0;
  await tx.execute(sql`delete from sessions where user_id = ${user} and id <> ${session}`);
  await tx.execute(sql`
    update tokens set revoked_at = now()
    where user_id = ${user} and id <> ${token} and revoked_at is null and (kind = 'login' or ${personalTokens})`);
}

async function hashed(caller: Caller, id: number, password: string) {
  const { username } = JSON.parse((await read(caller, id)).json);
  passwords.requireStrong(password, username);
  return { password_hash: await passwords.hash(password, passwords.turnOf(caller)) };
}

async function exchange(
  caller: Caller,
  given: { password: string; current_password: string | undefined; address: string },
) {
  const { password, current_password, address } = given;
  passwords.requireStrong(password, caller.username);
  await confirm(caller, { password: current_password, address });
  return { password_hash: await passwords.hash(password, passwords.turnOf(caller)) };
}
