// Photos and documents of a few records. tools/demo_files draws them.
import { resolve } from "node:path";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import * as files from "../files/files.ts";
import type { FileOwner } from "../store/file_owners.ts";
import type { DemoEvent } from "./event.ts";
import certificate from "./files/certificate.pdf" with { type: "file" };
import front from "./files/front.jpg" with { type: "file" };
import hall from "./files/hall.jpg" with { type: "file" };
import nameplate from "./files/nameplate.jpg" with { type: "file" };
import rack from "./files/rack.jpg" with { type: "file" };
import wiring from "./files/wiring.txt" with { type: "file" };

interface DemoFile {
  table: FileOwner;
  /** Of the record. */
  record: string;
  path: string;
  name: string;
  caption: string;
  by: string;
}

const FILES: DemoFile[] = [
  {
    ...{ table: "items", record: "AAA024", by: "grace" },
    ...{ path: nameplate, name: "nameplate.jpg", caption: "Nameplate, on the left side" },
  },
  {
    ...{ table: "items", record: "AAA024", by: "grace" },
    ...{ path: certificate, name: "certificate 2026.pdf", caption: "Calibration, July 2026" },
  },
  {
    ...{ table: "items", record: "AAA000", by: "frank" },
    ...{ path: rack, name: "rack.jpg", caption: "As it was installed" },
  },
  {
    ...{ table: "models", record: "TPG 366", by: "heidi" },
    ...{ path: front, name: "front.jpg", caption: "Front" },
  },
  {
    ...{ table: "locations", record: "G01 Injector hall", by: "bob" },
    ...{ path: hall, name: "hall.jpg", caption: "From the door; row A is on the left" },
  },
  {
    ...{ table: "hosts", record: "sw-core-01", by: "alice" },
    ...{ path: wiring, name: "wiring.txt", caption: "Uplinks and power" },
  },
];

export function fileEvents(): DemoEvent[] {
  return FILES.map(({ by, ...one }, at) => ({
    day: 355.4 + at / 2,
    by,
    run: (caller: Caller) => addFile(caller, one),
  }));
}

async function addFile(
  caller: Caller,
  { table, record, path, name, caption }: Omit<DemoFile, "by">,
): Promise<void> {
  const key = sql.identifier(table === "items" ? "ics_id" : "name");
  const found = await database.row<{ id: number }>(
    sql`select id from ${sql.identifier(table)} where ${key} = ${record} limit 1`,
  );
  if (!found) return;
  const of = { table, id: found.id };
  const listed = await files.list(caller, of, new URLSearchParams({ name }));
  if (listed.total > 0) return;
  // The path is absolute in a binary, and beside this file in a bundle.
  const bytes = Buffer.from(await Bun.file(resolve(import.meta.dir, path)).bytes());
  await files.add(caller, of, { name, bytes, caption });
}
