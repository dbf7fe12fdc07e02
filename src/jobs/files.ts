// The file that a job creates. It is stored in the database, where every instance finds it, in parts that
// are small enough to be streamed.
import { and, eq, lte, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { job_parts } from "../../db/tables/jobs.ts";
import type { Caller } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import { mayKnow, visibleTo } from "./jobs.ts";

export interface JobFile {
  name: string;
  parts: AsyncIterable<Uint8Array>;
}

const PART_SIZE = 256 * 1024;

/** Stores the file of this attempt, and deletes those of earlier attempts. */
export async function store(
  work: { id: number; attempt: number },
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  await database.execute(
    database.build
      .delete(job_parts)
      .where(and(eq(job_parts.job_id, work.id), lte(job_parts.attempt, work.attempt))),
  );
  let part = 0;
  for await (const content of inParts(bytes)) {
    const { id: job_id, attempt } = work;
    await database.execute(
      database.build.insert(job_parts).values({ job_id, attempt, part, bytes: content }),
    );
    part += 1;
  }
}

/** The file, if the caller may see the job and all the hosts in it. */
export async function find(caller: Caller, id: number): Promise<JobFile> {
  const file = await database.row<{ name: string; attempt: number; hosts: string }>(sql`
    select result as name, attempts::int as attempt, array_to_json(hosts)::text as hosts
    from jobs where id = ${id} and status = 'finished' and ${visibleTo(caller)}`);
  if (!file || !(await mayKnow(caller, JSON.parse(file.hosts)))) throw notFound();
  return { name: file.name, parts: read(id, file.attempt) };
}

// One query a part: a slow reader holds no connection.
async function* read(id: number, attempt: number): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part += 1) {
    const found = await database.row(
      database.build
        .select({ bytes: job_parts.bytes })
        .from(job_parts)
        .where(
          and(eq(job_parts.job_id, id), eq(job_parts.attempt, attempt), eq(job_parts.part, part)),
        ),
    );
    if (!found) return;
    yield found.bytes;
  }
}

async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size < PART_SIZE) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(chunks);
}
