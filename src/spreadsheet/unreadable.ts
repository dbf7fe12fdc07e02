import { invalid, type Refusal } from "../input/errors.ts";

/** Why a file cannot be read, beside the field that it was chosen in. */
export function unreadable(message: string): Refusal {
  return invalid("file", message);
}
