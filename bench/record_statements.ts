// Records the statements that the service sends to PostgreSQL for some requests, so that the baseline can send the same.
// A separate process, because it replaces the driver before anything loads it.
import { SQL } from "bun";
import { type RecordedStatement, toJson } from "./recorded.ts";

interface RecordedRequest {
  path: string;
  headers: Record<string, string>;
}

if (import.meta.main) console.log(toJson(await recordStatements(await Bun.stdin.json())));

async function recordStatements(requests: RecordedRequest[]): Promise<RecordedStatement[][]> {
  const recorded: RecordedStatement[] = [];
  Bun.SQL = recordingDriver(recorded);
  const { handle } = await import("../src/app.ts");
  const config = await import("../src/config.ts");
  const log = await import("../src/monitoring/log.ts");
  const { setContext: begin } = await import("../src/http/request_context.ts");
  const { openDatabase } = await import("../src/start.ts");
  const settings = config.readConfig({ ...process.env, LOG_LEVEL: "error" });
  log.configure(settings);
  const opened = await openDatabase(settings);
  const statements: RecordedStatement[][] = [];
  const ask = async ({ path, headers }: RecordedRequest) => {
    const request = new Request(`http://localhost${path}`, { headers });
    begin(request, {
      id: "overheard",
      address: "127.0.0.1",
      origin: "http://localhost",
      started: performance.now(),
    });
    const answer = await handle(request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${text.slice(0, 300)}`);
  };
  for (const one of requests) {
    // The first request authenticates the caller, and is cached; it is not measured.
    await ask(one);
    recorded.length = 0;
    await ask(one);
    statements.push([...recorded]);
  }
  await opened.stop();
  return statements;
}

/** Sent only when the plans of a connection change, so not with each request. */
function isSetting(text: string): boolean {
  return text.startsWith("set plan_cache_mode");
}

function recordingDriver(recorded: RecordedStatement[]): typeof SQL {
  return new Proxy(SQL, {
    construct(Real, args: ConstructorParameters<typeof SQL>) {
      const sql = new Real(...args);
      const ask = sql.unsafe.bind(sql);
      sql.unsafe = <Row>(text: string, params: unknown[] = []) => {
        recorded.push({ sql: text, params });
        return ask<Row>(text, params);
      };
      return new Proxy(sql, {
        apply(target, _, [texts, ...params]: [TemplateStringsArray, ...unknown[]]) {
          const text = texts.reduce((all, part, index) => `${all}$${index}${part}`);
          if (!isSetting(text)) recorded.push({ sql: text, params });
          return target(texts, ...params);
        },
      });
    },
  });
}
