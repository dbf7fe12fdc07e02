// Login tokens, signed and checked by jose. @elysiajs/jwt sets `iat` by the clock of the process and cannot be given the
// database's, by which `exp` and the row of the token are set: see docs/decisions/0012-login-tokens.md.
import { jwtVerify, SignJWT } from "jose";

export const LIFETIME = 12 * 60 * 60;

let key: Uint8Array | undefined;

/** The signing key, the same on every instance. */
export function useKey(secret: string): void {
  key = new TextEncoder().encode(secret);
}

export async function sign(userId: number, jti: string, issuedAt: number): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(String(userId))
    .setJti(jti)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME)
    .sign(signingKey());
}

/** The jti of a valid login token. */
export async function verify(token: string): Promise<string | undefined> {
  const verified = await jwtVerify(token, signingKey(), {
    algorithms: ["HS256"],
    requiredClaims: ["sub", "jti", "iat", "exp"],
  }).catch(() => undefined);
  return verified?.payload.jti;
}

function signingKey(): Uint8Array {
  if (!key) throw new Error("The signing key was not loaded");
  return key;
}
