// Options for browsers, and the check of what passkeys answer, by @simplewebauthn/server. It is loaded when it is first
// needed, because that takes longer than the start of the service.
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { RelyingParty } from "../../auth/relying_party.ts";
import { PASSKEY_MINUTES } from "../../input/limits.ts";
import { isObject } from "../../input/text.ts";

/** The answer of the browser is not what was asked for. The message is for the audit log. */
export class NotAccepted extends Error {
  constructor(reason: string) {
    // It quotes what the browser sent.
    super(reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 200));
  }
}

/** In the binary, the order of imports is lost, and the library needs this one before all others. */
async function library() {
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}

const timeout = PASSKEY_MINUTES * 60_000;
/** Ed25519, P-256 and RSA, by their numbers in COSE. */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
type Transport = (typeof TRANSPORTS)[number];

export interface KnownCredential {
  credential_id: Uint8Array;
  transports: string[];
}

export interface NewCredential extends KnownCredential {
  public_key: Uint8Array<ArrayBuffer>;
  sign_count: number;
}

interface NewUser {
  username: string;
  display_name: string | null;
  user_handle: Uint8Array<ArrayBuffer>;
  /** What the user has already. */
  known: readonly KnownCredential[];
}

export async function creationOptions(
  party: RelyingParty,
  { username, display_name, user_handle, known }: NewUser,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: "Cadastre",
    rpID: party.id,
    userName: username,
    userDisplayName: display_name ?? username,
    userID: user_handle,
    timeout,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(described),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
}

/** Without credentials, for any user: the passkey has to know its user, and to ask for a PIN or the like. */
export async function requestOptions(
  party: RelyingParty,
  known: readonly KnownCredential[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout,
    allowCredentials: known.map(described),
    userVerification: known.length === 0 ? "required" : "preferred",
  });
}

function described({ credential_id, transports }: KnownCredential) {
  return { id: base64url(credential_id), transports: transports.filter(isTransport) };
}

function isTransport(text: unknown): text is Transport {
  return TRANSPORTS.some((one) => one === text);
}

/** The credential that the browser has made. */
export function checkCreation(
  party: RelyingParty,
  challenge: string,
  text: string,
): Promise<NewCredential> {
  return accepting(async () => {
    const response = credentialIn(text) as unknown as RegistrationResponseJSON;
    const { verifyRegistrationResponse } = await library();
    await requireNoCertificate(response);
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) throw new NotAccepted("the attestation is not valid");
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    return {
      credential_id: Buffer.from(id, "base64url"),
      public_key: publicKey,
      sign_count: counter,
      transports: [...new Set(Array.isArray(transports) ? transports.filter(isTransport) : [])],
    };
  });
}

/**
 * Nobody asked for an attestation by a manufacturer. The library would check its certificates, and ask servers that they
 * name whether they are revoked.
 */
async function requireNoCertificate({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(fromBase64url(response.attestationObject));
  const isPlain =
    attestation.get("fmt") === "none" ||
    (attestation.get("fmt") === "packed" && attestation.get("attStmt").get("x5c") === undefined);
  if (!isPlain) throw new NotAccepted("an attestation was not asked for");
}

interface ExpectedAssertion {
  party: RelyingParty;
  challenge: string;
  /** A PIN, a fingerprint or the like is needed, not only a touch. */
  isUserVerified: boolean;
}

/** The counter of the passkey, if the signature is that of this key. */
export function checkAssertion(
  { party, challenge, isUserVerified }: ExpectedAssertion,
  text: string,
  { credential_id, public_key }: Pick<NewCredential, "credential_id" | "public_key">,
): Promise<number> {
  return accepting(async () => {
    const response = credentialIn(text) as unknown as AuthenticationResponseJSON;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: isUserVerified,
      // The library compares the counter before the signature; it is compared when it is stored.
      credential: { id: base64url(credential_id), publicKey: public_key, counter: 0 },
    });
    if (!verified) throw new NotAccepted("the signature is not valid");
    return authenticationInfo.newCounter;
  });
}

/** The ids in an answer, to look up the passkey. The handle of the user is only there if the passkey knows it. */
export function idsIn(text: string): { credential_id: Buffer; user_handle: Buffer | undefined } {
  const { id, response } = credentialIn(text);
  const handle = isObject(response) ? response.userHandle : undefined;
  return {
    credential_id: fromBase64url(id),
    user_handle: typeof handle === "string" && handle !== "" ? fromBase64url(handle) : undefined,
  };
}

/** Credentials have at most 1,023 bytes. */
const LONGEST_ID = 1_364;

function credentialIn(text: string): Record<string, unknown> & { id: string } {
  const credential = parsed(text);
  if (!isObject(credential)) throw new NotAccepted("no credential");
  const { id } = credential;
  if (typeof id !== "string" || id.length > LONGEST_ID) throw new NotAccepted("no credential");
  return { ...credential, id };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whatever is wrong with the answer, the library throws an Error. */
async function accepting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotAccepted) throw error;
    throw new NotAccepted(error instanceof Error ? error.message : String(error));
  }
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

export function fromBase64url(text: string): Buffer<ArrayBuffer> {
  return Buffer.from(text, "base64url");
}
