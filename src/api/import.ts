// The routes that create and change many records at once: NDJSON or CSV in, and a verdict for each row out.
import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Allowed, Caller } from "../auth/auth.ts";
import type { ReachKind } from "../auth/token_limits.ts";
import { contextOf } from "../http/request_context.ts";
import { type Importer, type ImportRow, LONGEST_IMPORT } from "../import/import.ts";
import {
  type ApplyMode,
  applicable,
  isRefused,
  NotApplied,
  type RowVerdict,
} from "../import/verdicts.ts";
import { publicId, publicIdSchema } from "../input/change_ids.ts";
import { readQuery } from "../input/query.ts";
import { closed, nullable } from "../input/shape.ts";
import { inPascalCase } from "../input/text.ts";
import { yieldToOthers } from "../input/time_slices.ts";
import { importQuery, parametersOf } from "./answers.ts";
import { isCsv } from "./body.ts";
import { guardOf } from "./guard.ts";
import { rowsIn, rowsOfTable } from "./import_rows.ts";

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
const text = Type.Union([Type.String(), Type.Null()]);
const summary = Type.Object(
  {
    applied: Type.Integer(),
    refused: Type.Integer(),
    change_set: Type.Union([publicIdSchema, Type.Null()], {
      description:
        "The change to undo; null if nothing was written, and of accounts, webhooks and triggers",
    }),
  },
  { title: "ImportSummary" },
);
const difference = Type.Object(
  { field: Type.String(), old: text, now: text },
  { title: "FieldChange" },
);
const error = Type.Object(
  { field: Type.String(), message: Type.String(), code: Type.String() },
  { title: "FieldError" },
);

interface ImportRoute {
  importer: Importer;
  /** The heading in the reference. */
  tag: string;
  noun: string;
  /** The schema of a row; each field is optional. */
  row: TObject;
  /** What a verdict names beside its line. */
  named: TProperties;
  /** What it writes is in the audit log alone, so that no change can be undone. */
  hasNoHistory?: boolean;
}

/** The handler of the route, and what it says of itself; the route adds who may call it. */
export function importRoute({ importer, tag, noun, row, named, hasNoHistory }: ImportRoute) {
  const content = { [NDJSON]: { schema: answered(named) } } as Record<string, object>;
  const upload = {
    [NDJSON]: { schema: rowsOf(importer, row, noun) },
    [CSV]: { schema: Type.String({ description: "The same as a table, with headings" }) },
  } as Record<string, object>;
  const handler = async ({ request, caller, body, search }: ImportContext) => {
    contextOf(request).setTimeout?.(LONGEST_IMPORT / 1_000 + 10);
    const { apply: mode } = readQuery(importQuery, search);
    const rows = isCsv(request)
      ? await rowsOfTable(importer.forCaller(caller), body)
      : await rowsIn(body);
    const outcome = await importRows(importer, caller, rows, mode);
    return answerOf({ ...outcome, ...(hasNoHistory && { change_set: null }) }, mode);
  };
  const detail = {
    operationId: `import${inPascalCase(importer.kind)}`,
    summary: `Add and change many ${importer.kind} at once`,
    tags: [tag],
    ...parametersOf(importQuery),
    requestBody: { required: true, content: upload },
    responses: {
      200: { description: "A line for each row, and a summary", content },
      422: { description: "The same, if all rows were requested and some are refused", content },
    },
  };
  return { handler, body: Type.Uint8Array(), detail };
}

interface ImportContext {
  request: Request;
  caller: Caller;
  body: Uint8Array;
  search: URLSearchParams;
}

interface OwnImport extends ImportRoute {
  /** The path of the records. */
  path: string;
  editors: Allowed;
  /** What its rows change. */
  kinds: readonly ReachKind[];
}

/** Of a resource that has an import of its own. */
export function importRoutes({ path, editors, kinds, ...route }: OwnImport) {
  const { handler, ...told } = importRoute(route);
  return new Elysia({ prefix: path, normalize: false })
    .use(guardOf({ kinds }))
    .post("/import", handler, { allowRows: editors, ...told });
}

/** As OpenAPI has it, the lines of such a body are the elements of an array. */
function answered(named: TProperties) {
  const verdict = Type.Object(
    {
      line: Type.Integer(),
      verdict: Type.Union(["new", "change", "same", "refused"].map((word) => Type.Literal(word))),
      ...named,
      changes: Type.Array(difference),
      errors: Type.Array(error),
    },
    { title: "RowVerdict" },
  );
  return Type.Array(Type.Union([verdict, summary]), {
    description: "A result for each row, and a summary at the end",
  });
}

function rowsOf({ ignored }: Importer, { properties }: TObject, noun: string) {
  const set = Object.entries(properties).map(([name, schema]) => {
    const { description } = schema;
    // Lists and objects may also be texts, as in a spreadsheet.
    const isText = !["array", "object"].includes(schema.type);
    const taken = isText ? schema : Type.Union([schema, Type.String()], { description });
    return [name, Type.Optional(nullable(taken))];
  });
  const others = ignored.map((name) => [
    name,
    Type.Optional(Type.Unknown({ description: "Read over" })),
  ]);
  return Type.Array(closed(Object.fromEntries([...set, ...others])), {
    description: `An object on each line, with the fields of ${noun} by their names`,
  });
}

interface ImportOutcome {
  verdicts: RowVerdict[];
  applied: number;
  change_set: number | null;
}

async function importRows(
  importer: Importer,
  caller: Caller,
  rows: ImportRow[],
  mode: ApplyMode,
): Promise<ImportOutcome> {
  if (caller.options?.dry_run) {
    const verdicts = await importer.check(caller, rows);
    const isRefusedWhole = mode === "all" && verdicts.some(isRefused);
    return { verdicts, applied: isRefusedWhole ? 0 : applicable(verdicts), change_set: null };
  }
  try {
    return await importer.apply(caller, rows, { mode });
  } catch (refusal) {
    if (!(refusal instanceof NotApplied)) throw refusal;
    return { verdicts: refusal.verdicts, applied: 0, change_set: null };
  }
}

/** The status is 422 if the import was refused, for clients that check only the status. */
function answerOf(outcome: ImportOutcome, mode: ApplyMode): Response {
  const isRefusedWhole = mode === "all" && outcome.verdicts.some(isRefused);
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
    status: isRefusedWhole ? 422 : 200,
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
  const refused = verdicts.filter(isRefused).length;
  const shown = change_set === null ? null : publicId(change_set);
  yield encoder.encode(`${batch}${JSON.stringify({ applied, refused, change_set: shown })}\n`);
}
