import { invalid, type Refusal } from "../input/errors.ts";

/** The refusal of a file that cannot be read. */
export function unreadable(message: string): Refusal {
  return invalid("file", message);
}
