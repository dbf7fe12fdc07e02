import type { Serving } from "./program.ts";

export interface RequestResult {
  /** 0 without a response. */
  status: number;
  retryAfter: string | null;
  error?: string;
}

/** One request with its outcome. */
export async function ask(
  app: Pick<Serving, "fetch">,
  path: string,
  options: RequestInit = {},
): Promise<RequestResult> {
  return app.fetch(path, options).then(
    async (answer) => {
      await answer.text();
      return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
    },
    (error) => ({ status: 0, retryAfter: null, error: String(error.code ?? error) }),
  );
}

/** Short enough to send requests all the time, long enough for other work of the machine. */
const PAUSE = 20;

/** Clients that send requests until they are stopped or get no answer. */
export function requestContinuously(
  clients: number,
  work: (client: number) => Promise<RequestResult>,
) {
  let going = true;
  const run = async (client: number) => {
    const answers: RequestResult[] = [];
    while (going) {
      const answer = await work(client);
      answers.push(answer);
      if (answer.status === 0) break;
      await Bun.sleep(PAUSE);
    }
    return answers;
  };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return {
    stop: async () => {
      going = false;
      return (await running).flat();
    },
    ended: running.then((answers) => answers.flat()),
  };
}

/** The different statuses, in order. */
export function statuses(answers: RequestResult[]): number[] {
  return [...new Set(answers.map(({ status }) => status))].sort((one, other) => one - other);
}
