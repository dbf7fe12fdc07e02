export interface Finding {
  ok: boolean;
  /** What was found and, if it is a problem, what to do. */
  text: string;
  /** The command that mends it, or shows more of it. */
  command?: string;
}

export function ok(text: string): Finding {
  return { ok: true, text };
}

export function problem(text: string, command?: string): Finding {
  return { ok: false, text, ...(command && { command }) };
}
