/** There will be no database; the message is the one sentence to show before ending with 1. */
export class CannotStart extends Error {}

/** The words of a system error without its code and call: "permission denied". */
export function reason(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  return message.replace(/^E[A-Z0-9]+: /, "").replace(/, [a-z]+ '.*$/s, "");
}
