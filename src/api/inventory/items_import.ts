import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../../auth/auth.ts";
import { readQuery } from "../../input/query.ts";
import { closed, nullable } from "../../input/shape.ts";
import { yieldToOthers } from "../../input/time_slices.ts";
import * as items from "../../inventory/import/import.ts";
import { importQuery, parametersOf } from "../answers.ts";
import { guard } from "../guard.ts";
import { rowsIn } from "./items_import_rows.ts";

const NDJSON = "application/x-ndjson";
const text = Type.Union([Type.String(), Type.Null()]);
const verdict = Type.Object({
  line: Type.Integer(),
  verdict: Type.Union(["new", "change", "same", "refused"].map((word) => Type.Literal(word))),
  ics_id: Type.Union(text.anyOf, { description: "Null for a temporary id" }),
  changes: Type.Array(Type.Object({ field: Type.String(), old: text, now: text })),
  errors: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
});
const summary = Type.Object({
  applied: Type.Integer(),
  refused: Type.Integer(),
  change_set: Type.Union([Type.Integer(), Type.Null()], {
    description: "The change to undo; null if nothing was written",
  }),
});

/** As OpenAPI has it, the lines of such a body are the elements of an array. */
const answered = Type.Array(Type.Union([verdict, summary]), {
  description: "A result for each row, and a summary at the end",
});
const content: Record<string, object> = { [NDJSON]: { schema: answered } };

const set = Object.entries(items.importedItem.properties).map(([name, schema]) => {
  const taken =
    schema.type === "array"
      ? Type.Union([schema, Type.String()], { description: schema.description })
      : schema;
  return [name, Type.Optional(nullable(taken))];
});
const ignored = items.IGNORED.map((name) => [
  name,
  Type.Optional(Type.Unknown({ description: "Read over" })),
]);
const rows = Type.Array(closed(Object.fromEntries([...set, ...ignored])), {
  description: "An object on each line, with the fields of an item by their names",
});
const sent: Record<string, object> = { [NDJSON]: { schema: rows } };

export const itemImportRoutes = new Elysia({ prefix: "/inventory/items", normalize: false })
  .use(guard)
  .post(
    "/import",
    async ({ caller, body, search }) => {
      const { apply: mode } = readQuery(importQuery, search);
      return answerOf(await importRows(caller, await rowsIn(body), mode), mode);
    },
    {
      allowRows: ["inventory", "admin"],
      body: Type.Uint8Array(),
      detail: {
        summary: "Add and change many items at once",
        tags: ["Inventory: items"],
        ...parametersOf(importQuery),
        requestBody: { required: true, content: sent },
        responses: {
          200: { description: "A line for each row, and a summary", content },
          422: {
            description: "The same, if all rows were requested and some are refused",
            content,
          },
        },
      },
    },
  );

interface ImportOutcome {
  verdicts: items.Verdict[];
  applied: number;
  change_set: number | null;
}

async function importRows(
  caller: Caller,
  rows: items.ImportRow[],
  mode: items.ApplyMode,
): Promise<ImportOutcome> {
  if (caller.options?.dry_run) {
    const verdicts = await items.check(caller, rows);
    const isRefused = mode === "all" && verdicts.some(items.isRefused);
    return { verdicts, applied: isRefused ? 0 : items.applicable(verdicts), change_set: null };
  }
  try {
    return await items.apply(caller, rows, mode);
  } catch (refusal) {
    if (!(refusal instanceof items.NotApplied)) throw refusal;
    return { verdicts: refusal.verdicts, applied: 0, change_set: null };
  }
}

/** The status is 422 if the import was refused, for clients that check only the status. */
function answerOf(outcome: ImportOutcome, mode: items.ApplyMode): Response {
  const isRefused = mode === "all" && outcome.verdicts.some(items.isRefused);
  const lines = linesOf(outcome);
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await yieldToOthers();
      const { value, done } = lines.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(stream, {
    status: isRefused ? 422 : 200,
    headers: { "content-type": `${NDJSON}; charset=utf-8` },
  });
}

/** Characters that are sent at once, and those of the line with which they become so many. */
const BATCH = 256 * 1024;

function* linesOf({ verdicts, applied, change_set }: ImportOutcome): Generator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let batch = "";
  for (const verdict of verdicts) {
    batch += `${JSON.stringify(verdict)}\n`;
    if (batch.length < BATCH) continue;
    yield encoder.encode(batch);
    batch = "";
  }
  const refused = verdicts.filter(items.isRefused).length;
  yield encoder.encode(`${batch}${JSON.stringify({ applied, refused, change_set })}\n`);
}
