// Login tokens, signed and checked by @elysiajs/jwt: see docs/decisions/0012-login-tokens.md.
import { jwt } from "@elysiajs/jwt";
import { decodeJwt } from "jose";

/** Seconds. */
const LIFETIME = 12 * 60 * 60;
const ALGORITHM = "HS256";

let signer: ReturnType<typeof signerWith> | undefined;

/** The signing key, the same on every instance. */
export function useKey(secret: string): void {
  signer = signerWith(secret);
}

function signerWith(secret: string) {
  return jwt({ name: "jwt", secret, alg: ALGORITHM }).decorator.jwt;
}

interface SignedToken {
  token: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** The clock of the process sets both times, of the token and of its row. */
export async function sign(userId: number, jti: string): Promise<SignedToken> {
  const iat = Math.floor(Date.now() / 1_000);
  const exp = iat + LIFETIME;
  const token = await current().sign({ sub: String(userId), jti, exp });
  // @elysiajs/jwt 1.4.2 reads the clock itself: the next second may have begun.
  if (decodeJwt(token).iat !== iat) return sign(userId, jti);
  return { token, issuedAt: new Date(iat * 1_000), expiresAt: new Date(exp * 1_000) };
}

/** The jti of a valid login token. */
export async function verify(token: string): Promise<string | undefined> {
  const payload = await current().verify(token, {
    // It would else take every algorithm that the key fits.
    algorithms: [ALGORITHM],
    requiredClaims: ["sub", "jti", "iat", "exp"],
  });
  return payload ? payload.jti : undefined;
}

function current() {
  if (!signer) throw new Error("The signing key was not loaded");
  return signer;
}
