export interface Finding {
  ok: boolean;
  /** Nothing is broken, but somebody should act. */
  isWarning?: boolean;
  /** What was found and, if it is a problem, what to do. */
  text: string;
  /** The command that mends it, or shows more of it. */
  command?: string;
}

export function ok(text: string): Finding {
  return { ok: true, text };
}

export function warning(text: string, command: string): Finding {
  return { ok: true, isWarning: true, text, command };
}

export function problem(text: string, command?: string): Finding {
  return { ok: false, text, ...(command && { command }) };
}
