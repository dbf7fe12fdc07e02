// What the service asks of PostgreSQL for some requests, statement by statement, so that others can ask the
// same. A process of its own: it puts an eavesdropper in the place of the driver before anything loads it.
import { SQL } from "bun";

export interface Statement {
  sql: string;
  params: unknown[];
}

interface Asking {
  path: string;
  headers: Record<string, string>;
}

if (import.meta.main) console.log(JSON.stringify(await overhear(await Bun.stdin.json())));

async function overhear(askings: Asking[]): Promise<Statement[][]> {
  const heard: Statement[] = [];
  Bun.SQL = listening(heard);
  const { handle } = await import("../src/app.ts");
  const config = await import("../src/config.ts");
  const log = await import("../src/monitoring/log.ts");
  const { begin } = await import("../src/http/visit.ts");
  const { openDatabase } = await import("../src/start.ts");
  const settings = config.read({ ...process.env, LOG_LEVEL: "error" });
  log.configure(settings);
  const opened = await openDatabase(settings);
  const statements: Statement[][] = [];
  const ask = async ({ path, headers }: Asking) => {
    const request = new Request(`http://localhost${path}`, { headers });
    begin(request, {
      id: "overheard",
      address: "127.0.0.1",
      origin: "http://localhost",
      started: performance.now(),
    });
    await (await handle(request)).text();
  };
  for (const asking of askings) {
    // The first time says who asks, and what is remembered of that is no part of a request.
    await ask(asking);
    heard.length = 0;
    await ask(asking);
    statements.push([...heard]);
  }
  await opened.stop();
  return statements;
}

function listening(heard: Statement[]): typeof SQL {
  return new Proxy(SQL, {
    construct(Real, args: ConstructorParameters<typeof SQL>) {
      const sql = new Real(...args);
      const ask = sql.unsafe.bind(sql);
      sql.unsafe = <Row>(text: string, params: unknown[] = []) => {
        heard.push({ sql: text, params });
        return ask<Row>(text, params);
      };
      return new Proxy(sql, {
        apply(asked, _, [texts, ...params]: [TemplateStringsArray, ...unknown[]]) {
          const text = texts.reduce((all, part, index) => `${all}$${index}${part}`);
          heard.push({ sql: text, params });
          return asked(texts, ...params);
        },
      });
    },
  });
}
