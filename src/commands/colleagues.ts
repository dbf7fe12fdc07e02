// What the workers of one service ask one another, through whoever keeps them: their figures, so that
// /metrics tells of all, whichever of them is asked.
import * as metrics from "../monitoring/metrics.ts";

/** Without `to`, for all others. */
export interface Message {
  from: number;
  to?: number;
  question: number;
  figures?: metrics.Figures;
}

/** A colleague who is busy for longer, or has just died, is left out. */
const PATIENCE = 500;

/** From now on this worker answers the others, and /metrics asks them. */
export function join(me: number, workers: number): void {
  const asked = new Map<number, (figures: metrics.Figures) => void>();
  let questions = 0;

  function hear({ from, question, figures }: Message): void {
    if (figures) asked.get(question)?.(figures);
    else tell({ from: me, to: from, question, figures: metrics.figures() });
  }

  async function gather(): Promise<metrics.Figures[]> {
    const all = [metrics.figures()];
    const question = ++questions;
    const heard = new Promise<void>((resolve) => {
      asked.set(question, (figures) => {
        all.push(figures);
        if (all.length === workers) resolve();
      });
    });
    tell({ from: me, question });
    await Promise.race([heard, Bun.sleep(PATIENCE)]);
    asked.delete(question);
    return all;
  }

  process.on("message", hear);
  metrics.speakFor(me, gather);
}

function tell(message: Message): void {
  if (process.connected) process.send?.(message);
}
