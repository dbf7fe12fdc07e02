// How records are found by their files: file:certificate*, has:picture, and any word of a name or a caption.
import { sql } from "drizzle-orm";
import type { SearchSource } from "../search/document.ts";
import { FILE_OWNERS } from "./file_owners.ts";

/** None for records without files. */
export function fileSources(table: string): SearchSource[] {
  const owner = Object.entries(FILE_OWNERS).find(([name]) => name === table);
  if (!owner) return [];
  const id = sql`files.${sql.identifier(owner[1].key)}`;
  const from = sql`files where ${id} is not null`;
  const has = (what: string) => {
    const value = sql.raw(`'${what}'`);
    return { path: "has", kind: "keyword", id, value, lower: value, onlyByName: true } as const;
  };
  return [
    { path: "file", kind: "text", id, from, value: sql`text_of_file(files.name, files.caption)` },
    { ...has("file"), from },
    { ...has("picture"), from: sql`${from} and is_picture` },
  ];
}
