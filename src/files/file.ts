// The resource `file`: a photo or a document of another record. It is seen and changed by those who see and change that record.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { files } from "../../db/tables/files.ts";
import { GROUPS } from "../auth/auth.ts";
import { isHiddenInChange, mayKnowHost, mayKnowNetwork } from "../auth/visibility.ts";
import { MOST_FILES } from "../input/limits.ts";
import { line, nullable, TRUE_OR_FALSE } from "../input/shape.ts";
import * as fields from "../store/fields.ts";
import { fileOwners } from "../store/file_owners.ts";
import { type RowOf, resource } from "../store/resource.ts";
import type { DataRule } from "../store/rules.ts";

export const CAPTION = line(200);

const URL_OF = sql`case ${sql.join(
  fileOwners.map(
    ([, { key, path }]) =>
      sql`when files.${sql.identifier(key)} is not null
        then ${sql.raw(`'/api/v1${path}/'`)} || files.${sql.identifier(key)} || '/files/' || files.id || '/content'`,
  ),
  sql` `,
)} end`;

const KEYS = fileOwners.map(([, { key }]) => key);

const AT_MOST: DataRule = {
  // Whoever adds one holds a lock on the record: see lock_record_of_file().
  on: { files: KEYS },
  tellsOf: "its records",
  broken: (touched) => sql`
    select min(name) as record from files
    where (${sql.join(
      KEYS.map(
        (key) => sql`${sql.identifier(key)} in (
        select ${sql.identifier(key)} from files where ${touched("files", sql`id`)})`,
      ),
      sql` or `,
    )})
    group by ${sql.join(
      KEYS.map((key) => sql.identifier(key)),
      sql`, `,
    )}
    having count(*) > ${MOST_FILES} limit 1`,
  refuse: () => ({
    field: "file",
    message: `A record has at most ${MOST_FILES} files: delete one first`,
    code: "too_many",
  }),
};

const keyIn = (key: string): SQL => sql`(recorded.state ->> ${sql.raw(`'${key}'`)})::integer`;

export const file = resource({
  noun: "file",
  // Of one kind of owner, as an example: see FILE_OWNERS.
  path: "/inventory/items/:id/files",
  table: files,
  key: "name",
  partOf: "items",
  ofHost: true,
  // Who changes the record changes its files: see editorsOf.
  editors: GROUPS,
  order: sql`files.position`,
  visible: (caller) => sql`(files.host_id is null or ${mayKnowHost(caller, sql`files.host_id`)})
    and (files.network_id is null or exists (
      select from networks owner where owner.id = files.network_id and ${mayKnowNetwork(caller, sql`owner`)}))`,
  history: {
    without: ["type", "size", "sha256", "position", "summary"],
    hidesChange: (caller) => sql`case
      when recorded.state ->> 'host_id' is not null then ${isHiddenInChange(caller, "host", keyIn("host_id"))}
      when recorded.state ->> 'network_id' is not null
        then ${isHiddenInChange(caller, "network", keyIn("network_id"))}
      else false end`,
  },
  fields: {
    name: fields.text({ label: "Name" }),
    type: fields.text({ label: "Type", description: "Told by its content: image/jpeg" }),
    size: fields.integer({ label: "Size", description: "Bytes" }),
    sha256: fields.text({ label: "SHA-256" }),
    summary: fields.text({
      label: "Summary",
      description: "The first lines of a text, or the number of pages of a PDF",
      nullable: true,
    }),
    caption: fields.text({ label: "Caption", input: nullable(CAPTION) }),
    is_picture: fields.boolean({
      label: "Picture",
      input: TRUE_OR_FALSE,
      description: "It stands for the record in lists and on labels; one of each record does",
    }),
    position: fields.integer({
      label: "Position",
      input: Type.Integer({ minimum: 0, maximum: 1e6 }),
    }),
    url: fields.derived<string>({ label: "Address", kind: "text", value: URL_OF }),
    user: fields.byUser({ label: "Author", key: "created_by", description: "Who added it" }),
    created_at: fields.time({ label: "Created", description: fields.MOMENT }),
    updated_at: fields.time({ label: "Updated", description: fields.MOMENT }),
  },
  internal: [...KEYS, "is_plain", "small"],
  rules: [AT_MOST],
});

/** With the values that each row has. */
export type RecordFile = RowOf<typeof file> &
  Record<"name" | "type" | "sha256", string> & { size: number };
