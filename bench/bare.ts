// The baseline: a server that returns a constant, and routes that only send statements and return the first JSON of
// PostgreSQL.
import { SQL } from "bun";
import { Elysia } from "elysia";
import { PLANNER_SETTINGS } from "../db/session_settings.ts";
import { fromJson } from "./recorded.ts";

const CONNECTIONS = 10;
const JSON_TYPE = { headers: { "content-type": "application/json" } };
const port = Number(process.env.PORT);
/** Of PostgreSQL: whether a statement is planned once for all values. */
const PLAN_CACHE_MODE = process.env.PLAN_CACHE_MODE ?? "auto";

if (process.argv[2] === "constant") constant();
else await statements();

function constant(): void {
  Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response("{}", JSON_TYPE) });
}

async function statements(): Promise<void> {
  const recorded = fromJson(await Bun.file(process.env.STATEMENTS ?? "").text());
  const sql = new SQL({
    url: process.env.DATABASE_URL,
    adapter: "postgres",
    max: CONNECTIONS,
    connection: { timezone: "UTC", ...PLANNER_SETTINGS, plan_cache_mode: PLAN_CACHE_MODE },
  });
  new Elysia({ serve: { hostname: "127.0.0.1" } })
    .get("/", () => "")
    .get("/:operation", async ({ params }) => {
      let answer = "";
      for (const { sql: text, params: given } of recorded[Number(params.operation)] ?? []) {
        const [row] = await (given.length > 0 ? sql.unsafe(text, given) : sql(asTemplate(text)));
        answer ||= row?.json ?? "";
      }
      return new Response(answer, JSON_TYPE);
    })
    .listen(port);
}

// Bun.SQL 1.4.5 prepares what has values or comes as a template.
function asTemplate(text: string): TemplateStringsArray {
  return Object.defineProperty([text], "raw", { value: [text] }) as unknown as TemplateStringsArray;
}
