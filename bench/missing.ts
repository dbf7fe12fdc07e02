// Figures that could not be measured: a run of minutes goes on without them, names them, and ends with exit code 1.
import type { Report } from "./report.ts";

export interface MissingFigure {
  name: string;
  reason: string;
}

export interface Attempts {
  /** In the order in which they failed. */
  missing: MissingFigure[];
  /** Undefined if it fails, or has failed before: then it is not tried again. */
  attempt<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined>;
}

export function attempts(report: Report): Attempts {
  const missing: MissingFigure[] = [];
  const attempt: Attempts["attempt"] = async (name, work) => {
    if (missing.some((one) => one.name === name)) return undefined;
    try {
      return await work();
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
      missing.push({ name, reason });
      report(`Missing: ${name}: ${reason}`);
      return undefined;
    }
  };
  return { missing, attempt };
}
