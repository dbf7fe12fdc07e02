// An authenticator in software: it makes passkeys, and answers challenges rightly or with something wrong.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";

export interface SoftPasskey {
  id: Buffer;
  key: KeyObject;
  user_handle: string;
  count: number;
}

/** What the answer says instead of the truth. */
export interface Lies {
  origin?: string;
  rp_id?: string;
  challenge?: string;
  user_handle?: string | null;
  /** Only a touch, no PIN. */
  isUnverified?: boolean;
  isBroken?: boolean;
  count?: number;
  /** The credential of another passkey. */
  id?: Buffer;
  /** An attestation by a manufacturer. */
  hasCertificate?: boolean;
}

/** The certificate of a made-up manufacturer, and its key. */
const MANUFACTURER = [
  "MIIB3TCCAYOgAwIBAgIUAnCtRKG5eTaeJV+MbZ4RWD9unvUwCgYIKoZIzj0EAwIwVTELMAkGA1UEBhMCU0UxEDAOBg",
  "NVBAoMB0V4YW1wbGUxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24xEDAOBgNVBAMMB0V4YW1wbGUw",
  "IBcNMjYxMTIzMDEzODU3WhgPMjEyNjEwMzAwMTM4NTdaMFUxCzAJBgNVBAYTAlNFMRAwDgYDVQQKDAdFeGFtcGxlMS",
  "IwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMRAwDgYDVQQDDAdFeGFtcGxlMFkwEwYHKoZIzj0CAQYI",
  "KoZIzj0DAQcDQgAEq2ItcI1/5KeFt8rTCWLT1lVFHWwBPEW21w0UrT/BvxrGysY7VOufhaysNlr8yVLK3Gvhs62oGD",
  "SSQfxWqdGfJqMvMC0wDAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUcbCwedhc0OKTXdfAGBwuYrnFOEQwCgYIKoZIzj0E",
  "AwIDSAAwRQIhAPh14+xS987jB5zmFzlcQmMS6eeyksbwaC5wx8UUwxB7AiB2FZJTQ6uhcUMjLDetXVzLNIiFiuNJh3",
  "vWbz8xKNQiDA==",
].join("");
/** Of no use elsewhere. */
const MANUFACTURER_KEY = [
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaq1DoTua+YvN7/W9T43qhzUT0pzHosZQxxVFaOGVPo",
  "yhRANCAASrYi1wjX/kp4W3ytMJYtPWVUUdbAE8RbbXDRStP8G/GsbKxjtU65+FrKw2WvzJUsrca+GzragYNJJB/Fap",
  "0Z8m",
].join("");

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** What navigator.credentials.create makes of the options, in JSON. */
export function make(
  create: any,
  origin: string,
  lies: Lies = {},
): { passkey: SoftPasskey; credential: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = lies.id ?? randomBytes(32);
  const passkey = { id, key: privateKey, user_handle: create.user.id, count: 0 };
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const key = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const data = Buffer.concat([
    authenticatorData(create.rp.id, HAS_CREDENTIAL, lies),
    Buffer.alloc(16),
    length,
    id,
    key,
  ]);
  const clientDataJSON = clientData("webauthn.create", create.challenge, origin, lies);
  const attestationObject = Buffer.concat([
    Buffer.from([0xa3]),
    text("fmt"),
    text(lies.hasCertificate ? "packed" : "none"),
    text("attStmt"),
    lies.hasCertificate ? certified(data, clientDataJSON) : Buffer.from([0xa0]),
    text("authData"),
    bytes(data),
  ]);
  const credential = described(id, {
    clientDataJSON,
    attestationObject: attestationObject.toString("base64url"),
    transports: ["internal", "made-up"],
  });
  return { passkey, credential };
}

/** What navigator.credentials.get makes of the options, in JSON. */
export function use(passkey: SoftPasskey, get: any, origin: string, lies: Lies = {}): string {
  passkey.count = lies.count ?? passkey.count + 1;
  const data = authenticatorData(get.rpId, 0, { ...lies, count: passkey.count });
  const clientDataJSON = clientData("webauthn.get", get.challenge, origin, lies);
  const hashed = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
  const signature = sign("sha256", Buffer.concat([data, hashed]), passkey.key);
  if (lies.isBroken) signature.writeUInt8(signature.readUInt8(20) ^ 1, 20);
  return described(lies.id ?? passkey.id, {
    clientDataJSON,
    authenticatorData: data.toString("base64url"),
    signature: signature.toString("base64url"),
    userHandle: lies.user_handle === undefined ? passkey.user_handle : lies.user_handle,
  });
}

function described(id: Buffer, response: object): string {
  const name = id.toString("base64url");
  const credential = { id: name, rawId: name, type: "public-key", response };
  return JSON.stringify({ ...credential, clientExtensionResults: {} });
}

function authenticatorData(rp_id: string, flags: number, lies: Lies): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(lies.count ?? 0);
  return Buffer.concat([
    createHash("sha256")
      .update(lies.rp_id ?? rp_id)
      .digest(),
    Buffer.from([flags | PRESENT | (lies.isUnverified ? 0 : VERIFIED)]),
    count,
  ]);
}

function clientData(type: string, challenge: string, origin: string, lies: Lies): string {
  const data = { type, challenge, origin, crossOrigin: false, ...lies };
  const { origin: from, challenge: asked } = data;
  return Buffer.from(
    JSON.stringify({ type, challenge: asked, origin: from, crossOrigin: false }),
  ).toString("base64url");
}

/** A valid statement of a manufacturer, in CBOR: {alg: -7, sig, x5c: [certificate]}. */
function certified(data: Buffer, clientDataJSON: string): Buffer {
  const hashed = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
  const key = createPrivateKey({
    key: Buffer.from(MANUFACTURER_KEY, "base64"),
    format: "der",
    type: "pkcs8",
  });
  return Buffer.concat([
    Buffer.from([0xa3]),
    text("alg"),
    Buffer.from([0x26]),
    text("sig"),
    bytes(sign("sha256", Buffer.concat([data, hashed]), key)),
    text("x5c"),
    Buffer.from([0x81]),
    bytes(Buffer.from(MANUFACTURER, "base64")),
  ]);
}

function text(word: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
}

function bytes(content: Buffer): Buffer {
  const head = Buffer.from([0x59, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([head, content]);
}
