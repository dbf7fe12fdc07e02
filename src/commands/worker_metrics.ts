// Exchanges metrics between the workers of one service, through their parent process: any worker can answer /metrics
// for all.
import * as metrics from "../monitoring/metrics.ts";

/** Without `to` it is sent to all other workers. */
export interface MetricsMessage {
  from: number;
  to?: number;
  question: number;
  figures?: metrics.WorkerMetrics;
}

/** Workers that do not answer in time are left out, in milliseconds. */
const TIMEOUT = 500;

/** Answers requests of the other workers, and lets /metrics of this one collect from them. */
export function shareMetrics(worker: number, workers: number): void {
  const pending = new Map<number, (figures: metrics.WorkerMetrics) => void>();
  let lastQuestion = 0;

  function receive({ from, question, figures }: MetricsMessage): void {
    if (figures) pending.get(question)?.(figures);
    else send({ from: worker, to: from, question, figures: metrics.workerMetrics() });
  }

  async function gather(): Promise<metrics.WorkerMetrics[]> {
    const all = [metrics.workerMetrics()];
    const question = ++lastQuestion;
    const complete = new Promise<void>((resolve) => {
      pending.set(question, (figures) => {
        all.push(figures);
        if (all.length === workers) resolve();
      });
    });
    send({ from: worker, question });
    await Promise.race([complete, Bun.sleep(TIMEOUT)]);
    pending.delete(question);
    return all;
  }

  process.on("message", receive);
  metrics.configureWorker(worker, gather);
}

function send(message: MetricsMessage): void {
  if (process.connected) process.send?.(message);
}
