import { invalid, type Refusal } from "../input/errors.ts";

/** The refusal of a file that cannot be read. */
export function unreadable(message: string): Refusal {
  return invalid("file", message);
}

export const ENCRYPTED = "This file is encrypted; save it without a password";

export function damagedFile(): Refusal {
  return unreadable("This file is damaged; save it again as .xlsx");
}
