import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client } from "bun";
import { type S3Settings, WrongSetting } from "../../config.ts";
import { writeAtomically } from "./atomic_file.ts";
import type { Destination } from "./destination.ts";
import { explainFileErrors } from "./directory.ts";
import { DestinationFailed } from "./failed.ts";

const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?$/;
/** Bytes of a part of an upload: S3 takes 10,000 parts, so a backup may have 50 GB. One is in memory. */
const UPLOAD = { partSize: 5 * 1024 * 1024, queueSize: 1, retry: 3 };
/** The keys were refused. */
const REFUSED =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied|ExpiredToken|InvalidToken)$/;
const UNREACHABLE =
  /^(ConnectionRefused|ConnectionClosed|ConnectionReset|FailedToOpenSocket|Timeout)$/;

/** Uploads only complete files, because an upload that ends early would be one of a part. */
export function s3Destination(place: string, settings: S3Settings): Destination {
  const { name, prefix } = placeOf(place);
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const client = new S3Client({
    bucket: name,
    ...(endpoint ? { endpoint } : {}),
    ...(region ? { region } : {}),
    ...(accessKeyId ? { accessKeyId } : {}),
    ...(secretAccessKey ? { secretAccessKey } : {}),
    ...(sessionToken ? { sessionToken } : {}),
  });
  const asked = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw wordsFor(error, place, endpoint);
    }
  };
  return {
    list: () => asked(() => listKeys(client, prefix)),
    write: async (name, fill) => {
      const folder = await mkdtemp(join(tmpdir(), "cadastre-backup-"));
      const file = join(folder, name);
      try {
        await explainFileErrors(file, "cannot be written", () => writeAtomically(file, fill));
        await asked(() => client.write(prefix + name, Bun.file(file), UPLOAD));
        return (await stat(file)).size;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    read: async function* (name) {
      try {
        for await (const part of client.file(prefix + name).stream()) yield part;
      } catch (error) {
        throw wordsFor(error, place, endpoint);
      }
    },
    remove: (name) => asked(() => client.delete(prefix + name)),
  };
}

function placeOf(place: string): { name: string; prefix: string } {
  const [, name, path = ""] = PLACE.exec(place) ?? [];
  if (!name) throw new WrongSetting("The bucket must look like s3://bucket/prefix");
  return { name, prefix: path === "" || path.endsWith("/") ? path : `${path}/` };
}

async function listKeys(client: S3Client, prefix: string): Promise<string[]> {
  const names: string[] = [];
  let continuationToken: string | undefined;
  do {
    const page = await client.list({ prefix, ...(continuationToken ? { continuationToken } : {}) });
    names.push(...(page.contents ?? []).map(({ key }) => key.slice(prefix.length)));
    continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
  } while (continuationToken);
  return names;
}

/** The messages of servers are not repeated, because they may contain the key. */
function wordsFor(error: unknown, place: string, endpoint: string | undefined): unknown {
  if (!(error instanceof Error && error.name === "S3Error" && "code" in error)) return error;
  const code = String(error.code);
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
  return new DestinationFailed(`${place} cannot be used: ${sentence()}`);
}
