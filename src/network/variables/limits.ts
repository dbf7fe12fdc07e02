// Limits on the variables of hosts and groups, for API and forms.
import { invalid } from "../../input/errors.ts";
import {
  LONGEST_VARIABLE_NAME,
  LONGEST_VARIABLE_PATH,
  MOST_VARIABLES,
} from "../../input/limits.ts";

interface VariablePart {
  value: unknown;
  /** The names that lead to it, each with a dot behind it: bytes. */
  bytes: number;
}

/** Variables as PostgreSQL takes them; refuses the field for what is too much. */
export function writtenVars(field: string, vars: object): string {
  const message = excess(vars);
  if (message) throw invalid(field, message);
  return JSON.stringify(vars);
}

/** The message for the first limit that is exceeded. */
export function excess(vars: object): string | undefined {
  // The outer object itself is not counted.
  const parts: VariablePart[] = [{ value: vars, bytes: 0 }];
  let tooLong: string | undefined;
  for (const { value, bytes } of parts) {
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (parts.length > MOST_VARIABLES) return `Use at most ${MOST_VARIABLES} values`;
      const inside = Array.isArray(value) ? bytes : bytes + Buffer.byteLength(name) + 1;
      tooLong ??= excessOf(name, inside - 1);
      parts.push({ value: inner, bytes: inside });
    }
  }
  return tooLong;
}

function excessOf(name: string, path: number): string | undefined {
  if (name.length > LONGEST_VARIABLE_NAME) {
    return `Use names of at most ${LONGEST_VARIABLE_NAME} characters`;
  }
  return path > LONGEST_VARIABLE_PATH
    ? `Use at most ${LONGEST_VARIABLE_PATH} bytes of names that lead to a value`
    : undefined;
}
