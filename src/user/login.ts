import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { forget } from "../auth.ts";
import { unauthenticated } from "../errors.ts";
import * as jwt from "../jwt.ts";
import { sessionSecret, sha256 } from "../secret.ts";
import { closed, secret } from "../shape.ts";
import * as passwords from "./passwords.ts";
import * as throttle from "./throttle.ts";

export const credentials = closed({
  username: Type.String({ minLength: 1, maxLength: 200, description: "Give your username" }),
  password: secret("Give your password"),
});

interface Attempt {
  username: string;
  password: string;
  address: string;
}

/** A login token for programs: a JWT that lives for twelve hours, or until it is revoked. */
export async function token(attempt: Attempt): Promise<string> {
  const user = await check(attempt);
  const jti = crypto.randomUUID();
  const [issued] = await database.change<{ at: number }>(sql`
    insert into tokens (user_id, kind, key, expires_at)
    values (${user}, 'login', ${jti}, date_trunc('second', now()) + ${jwt.LIFE} * interval '1 second')
    returning extract(epoch from date_trunc('second', now()))::float8 as at`);
  return jwt.sign(user, jti, issued?.at ?? 0);
}

/** A session for the browser: the cookie's secret, of which only the hash is kept. */
export async function session(attempt: Attempt): Promise<string> {
  const user = await check(attempt);
  const made = sessionSecret();
  await database.change(sql`
    insert into sessions (user_id, secret_hash, address, expires_at)
    values (${user}, ${sha256(made)}, ${attempt.address}, now() + interval '12 hours')`);
  return made;
}

export async function endSession(cookie: string): Promise<void> {
  await database.change(sql`delete from sessions where secret_hash = ${sha256(cookie)}`);
  forget();
}

async function check({ username, password, address }: Attempt): Promise<number> {
  const attempt = { username: username.toLowerCase(), address };
  const user = await database.row<{ id: number; password_hash: string | null }>(sql`
    select id, password_hash from users where username = ${attempt.username} and deactivated_at is null`);
  const matches = await throttle.guarded(attempt, () =>
    passwords.verify(password, user?.password_hash),
  );
  if (!user || !matches) throw unauthenticated("Invalid credentials");
  if (user.password_hash && passwords.isOutdated(user.password_hash)) {
    const password_hash = await passwords.hash(password);
    await database.change(
      sql`update users set password_hash = ${password_hash} where id = ${user.id}`,
    );
  }
  return user.id;
}
