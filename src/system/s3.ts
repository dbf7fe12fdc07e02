// The client of S3, for backups and for files; its errors become one sentence.
import { S3Client } from "bun";
import { type S3Settings, WrongSetting } from "../config.ts";
import { DestinationAway, DestinationFailed } from "./backup/failed.ts";

const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?$/;
/** Milliseconds for the bytes of one file. */
const PATIENCE = 60_000;
/** Milliseconds for a range of them, for which somebody waits. */
const SHORT_PATIENCE = 10_000;
/** The keys were refused. */
const REFUSED =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied|ExpiredToken|InvalidToken)$/;
const UNREACHABLE =
  /^(ConnectionRefused|ConnectionClosed|ConnectionReset|FailedToOpenSocket|Timeout)$/;

/** The folder of a place ends with a slash, if it is not empty. */
export function openS3(place: string, settings: S3Settings) {
  const { bucket, prefix } = placeOf(place);
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const client = new S3Client({
    bucket,
    ...(endpoint ? { endpoint } : {}),
    ...(region ? { region } : {}),
    ...(accessKeyId ? { accessKeyId } : {}),
    ...(secretAccessKey ? { secretAccessKey } : {}),
    ...(sessionToken ? { sessionToken } : {}),
  });
  const explain = (error: unknown, asked = place) => wordsFor(error, { place, asked, endpoint });
  const ask = async <T>(work: () => Promise<T>, asked = place): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explain(error, asked);
    }
  };
  return { client, prefix, explain, ask };
}

function placeOf(place: string): { bucket: string; prefix: string } {
  const [, bucket, path = ""] = PLACE.exec(place) ?? [];
  if (!bucket) throw new WrongSetting("The bucket must look like s3://bucket/prefix");
  return { bucket, prefix: path === "" || path.endsWith("/") ? path : `${path}/` };
}

/** The messages of servers are not repeated, because they may contain the key. */
function wordsFor(
  error: unknown,
  { place, asked, endpoint }: { place: string; asked: string; endpoint: string | undefined },
): unknown {
  if (!(error instanceof Error && error.name === "S3Error" && "code" in error)) return error;
  const code = String(error.code);
  if (code === "NoSuchKey") return new DestinationFailed(`${asked} is missing`);
  const server = endpoint ?? "Amazon S3";
  const sentence = () => {
    if (code === "ERR_S3_MISSING_CREDENTIALS")
      return "set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY";
    if (REFUSED.test(code))
      return `${server} refuses the key (${code}): see S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY`;
    if (code === "NoSuchBucket") return `${server} has no such bucket`;
    if (UNREACHABLE.test(code)) return `no server answers at ${server}: see S3_ENDPOINT`;
    return `${server} refuses it (${code})`;
  };
  const Failed = UNREACHABLE.test(code) ? DestinationAway : DestinationFailed;
  return new Failed(`${place} cannot be used: ${sentence()}`);
}

/** One object, by its whole address. */
export function objectAt(address: string, settings: S3Settings) {
  const at = address.lastIndexOf("/");
  const place = address.slice(0, at);
  const { client, prefix, ask } = openS3(place, settings);
  const key = prefix + address.slice(at + 1);
  const askInTime = <T>(work: () => Promise<T>, limit = PATIENCE) =>
    ask(() => inTime(place, work(), limit), address);
  return {
    write: (bytes: Uint8Array) => askInTime(() => client.write(key, bytes)),
    remove: () => askInTime(() => client.delete(key)),
    range: async (from: number, until: number): Promise<Uint8Array> => {
      const file = client.file(key).slice(from, until);
      const bytes = await askInTime(() => file.bytes(), SHORT_PATIENCE);
      if (bytes.length === until - from) return bytes;
      throw new DestinationFailed(`${address} ends too early`);
    },
    /** Throws unless they are those that were written. */
    whole: async (sha256: string): Promise<Uint8Array> => {
      const bytes = await askInTime(() => client.file(key).bytes());
      if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") === sha256) return bytes;
      throw new DestinationFailed(`${address} is damaged: its SHA-256 is not ${sha256}`);
    },
  };
}

/** Reads the bytes of a file for a backup. */
export function objectReader(settings: S3Settings) {
  return ({ name, sha256 }: { name: string; sha256: string }) =>
    objectAt(name, settings).whole(sha256);
}

/** A server may accept a connection and say nothing. */
async function inTime<T>(place: string, answer: Promise<T>, limit: number): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const sentence = `${place} cannot be used: no answer within ${limit / 1_000} s`;
  const timer = setTimeout(() => silence.reject(new DestinationAway(sentence)), limit);
  try {
    return await Promise.race([answer, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
