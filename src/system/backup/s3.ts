import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Client } from "bun";
import type { S3Settings } from "../../config.ts";
import { openS3 } from "../s3.ts";
import { writeAtomically } from "./atomic_file.ts";
import { type Destination, pathOf } from "./destination.ts";
import { explainFileErrors } from "./directory.ts";

/** Bytes of a part of an upload: S3 takes 10,000 parts, so a backup may have 50 GB. One is in memory. */
const UPLOAD = { partSize: 5 * 1024 * 1024, queueSize: 1, retry: 3 };

/** Uploads only complete files, because an upload that ends early would be one of a part. */
export function s3Destination(place: string, settings: S3Settings): Destination {
  const { client, prefix, explain, ask } = openS3(place, settings);
  return {
    list: () => ask(() => listKeys(client, prefix)),
    write: async (name, fill) => {
      const folder = await mkdtemp(join(tmpdir(), "cadastre-backup-"));
      const file = join(folder, name);
      try {
        await explainFileErrors(file, "cannot be written", () => writeAtomically(file, fill));
        await ask(() => client.write(prefix + name, Bun.file(file), UPLOAD));
        return (await stat(file)).size;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    read: async function* (name) {
      try {
        for await (const part of client.file(prefix + name).stream()) yield part;
      } catch (error) {
        throw explain(error, pathOf(place, name));
      }
    },
    remove: (name) => ask(() => client.delete(prefix + name)),
  };
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
