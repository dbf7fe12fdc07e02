// The files of records: /inventory/items/{id}/files and likewise of models, locations, hosts and networks.
import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { consoleCaller, type Permission } from "../auth/auth.ts";
import { reachOf } from "../auth/token_limits.ts";
import { CAPTION, file } from "../files/file.ts";
import * as files from "../files/files.ts";
import { contentResponse } from "../files/response.ts";
import * as answer from "../http/answers.ts";
import { keyNamed } from "../input/keys.ts";
import { LARGEST_SMALL } from "../input/limits.ts";
import { NO_QUERY, readQuery } from "../input/query.ts";
import { nullable } from "../input/shape.ts";
import { inPascalCase } from "../input/text.ts";
import { keyOf as keyOfItem } from "../inventory/items/items.ts";
import { resourceOf } from "../resources.ts";
import { FILE_OWNERS, type FileOwner, fileOwners } from "../store/file_owners.ts";
import { listQuery } from "../store/list_query.ts";
import { recordOf, recordQuery } from "../store/resource.ts";
import {
  createdResponse,
  dryRunQuery,
  listResponse,
  parametersOf,
  pastQuery,
  recordResponse,
  removedResponse,
  writeQuery,
} from "./answers.ts";
import type { UploadedFile } from "./body.ts";
import { guardOf } from "./guard.ts";
import { createdAnswer, readPastQuery } from "./handlers.ts";

const shown = recordOf(file);
const key = (of: string) => Type.String({ description: of });

function routesOf(table: FileOwner) {
  const { path } = FILE_OWNERS[table];
  const resource = resourceOf(table);
  if (!resource) throw new Error(`There is no resource ${table}`);
  const { noun, editors } = resource;
  const allow = editors as readonly Permission[];
  const tags = [`Files of ${resource.plural}`];
  const Noun = inPascalCase(noun);
  const ofRecord = Type.Object({ id: key(`The ${noun}'s primary key`) });
  const ofFile = Type.Object({ ...ofRecord.properties, file: key("The file's primary key") });
  const of = async (id: string) => ({
    table,
    id: table === "items" ? await keyOfItem(id) : keyNamed(id),
  });
  return new Elysia({ prefix: `${path}/:id/files`, normalize: false })
    .use(guardOf(reachOf(resource)))
    .get(
      "",
      async ({ request, caller, search, params }) => {
        readQuery(LISTED, search);
        return answer.list(request, await files.list(caller, await of(params.id), search));
      },
      {
        allow: "everyone",
        params: ofRecord,
        response: listResponse(shown),
        detail: {
          operationId: `list${Noun}Files`,
          summary: `List the files of a ${noun}`,
          tags,
          ...parametersOf(LISTED),
        },
      },
    )
    .post(
      "",
      async ({ request, caller, params, body }) =>
        createdAnswer({ request, caller }, await files.add(caller, await of(params.id), body)),
      {
        allowFile: allow,
        params: ofRecord,
        body: UPLOADED,
        response: createdResponse(shown),
        detail: {
          operationId: `add${Noun}File`,
          summary: `Add a file to a ${noun}`,
          tags,
          ...parametersOf(writeQuery),
          requestBody: { required: true, content: UPLOAD },
        },
      },
    )
    .get(
      "/:file",
      async ({ request, caller, search, params }) => {
        const { at, isRecursive } = readPastQuery(search);
        const [owner, id] = [await of(params.id), keyNamed(params.file)];
        const found = at
          ? files.findAt(caller, owner, { id, at })
          : files.find(caller, owner, id, isRecursive);
        return answer.record(request, await found);
      },
      {
        allow: "everyone",
        params: ofFile,
        response: recordResponse(shown),
        detail: {
          operationId: `get${Noun}File`,
          summary: `One file of a ${noun}`,
          tags,
          ...parametersOf(pastQuery),
        },
      },
    )
    .get(
      "/:file/content",
      async ({ request, caller, search, params }) => {
        readQuery(NO_QUERY, search);
        const wanted = { of: await of(params.id), id: keyNamed(params.file) };
        return contentResponse(request, caller, wanted);
      },
      {
        allow: "everyone",
        params: ofFile,
        detail: {
          operationId: `get${Noun}FileContent`,
          summary: `The bytes of a file of a ${noun}`,
          tags,
          responses: {
            200: {
              description: "All bytes; 206 with a range, 304 for those who have them",
              content: Object.fromEntries(SENT_TYPES.map((type) => [type, { schema: BYTES }])),
            },
          },
        },
      },
    )
    .patch(
      "/:file",
      async ({ caller, params, body }) =>
        answer.changed(
          await files.update(caller, await of(params.id), keyNamed(params.file), body),
        ),
      {
        allow,
        params: ofFile,
        body: files.changedFile,
        response: recordResponse(shown),
        detail: {
          operationId: `update${Noun}File`,
          summary: `Change the caption, the place or the picture of a ${noun}'s files`,
          tags,
          ...parametersOf(writeQuery),
        },
      },
    )
    .delete(
      "/:file",
      async ({ caller, params }) => {
        await files.remove(caller, await of(params.id), keyNamed(params.file));
        return answer.gone();
      },
      {
        allow,
        params: ofFile,
        response: removedResponse,
        detail: {
          operationId: `delete${Noun}File`,
          summary: `Delete a file of a ${noun}`,
          tags,
          ...parametersOf(dryRunQuery),
        },
      },
    );
}

const BYTES: TSchema = Type.String({ format: "binary" });
/** As which bytes are sent: others than pictures and plain PDF are only saved. */
const SENT_TYPES = ["application/octet-stream", "application/pdf", "image/*"];
const SMALL = `The same picture for lists: a JPEG of at most ${LARGEST_SMALL} pixels a side`;
const UPLOAD = {
  "application/octet-stream": { schema: BYTES },
  "multipart/form-data": {
    schema: Type.Object({
      file: BYTES,
      caption: Type.Optional(CAPTION),
      small: Type.Optional(Type.String({ format: "binary", description: SMALL })),
    }),
  },
};
/** As the guard has read it. */
const UPLOADED = Type.Unsafe<UploadedFile>(
  Type.Object({
    name: Type.String(),
    bytes: Type.Uint8Array(),
    caption: Type.Optional(nullable(CAPTION)),
    small: Type.Optional(nullable(Type.Uint8Array())),
  }),
);
const LISTED = listQuery(recordQuery(file, consoleCaller).fields);

export const fileRoutes = fileOwners.map(([table]) => routesOf(table));
