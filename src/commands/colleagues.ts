// Messages between the workers of one service, passed on by their parent process: any worker can answer /metrics with
// the figures of all.
import * as metrics from "../monitoring/metrics.ts";

/** Without `to` it goes to all other workers. */
export interface Message {
  from: number;
  to?: number;
  question: number;
  figures?: metrics.Figures;
}

/** Workers that do not answer in time are left out, in milliseconds. */
const TIMEOUT = 500;

/** Lets this worker answer the others, and /metrics ask them. */
export function join(me: number, workers: number): void {
  const pending = new Map<number, (figures: metrics.Figures) => void>();
  let lastQuestion = 0;

  function receive({ from, question, figures }: Message): void {
    if (figures) pending.get(question)?.(figures);
    else send({ from: me, to: from, question, figures: metrics.figures() });
  }

  async function gather(): Promise<metrics.Figures[]> {
    const all = [metrics.figures()];
    const question = ++lastQuestion;
    const complete = new Promise<void>((resolve) => {
      pending.set(question, (figures) => {
        all.push(figures);
        if (all.length === workers) resolve();
      });
    });
    send({ from: me, question });
    await Promise.race([complete, Bun.sleep(TIMEOUT)]);
    pending.delete(question);
    return all;
  }

  process.on("message", receive);
  metrics.speakFor(me, gather);
}

function send(message: Message): void {
  if (process.connected) process.send?.(message);
}
