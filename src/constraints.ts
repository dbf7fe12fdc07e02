import type { Refused } from "../db/faults.ts";
import { invalid } from "./errors.ts";

/** What a broken constraint means to the person who broke it. Each constraint that input can break is here. */
const SENTENCES: Record<string, [field: string, message: string]> = {
  users_username_key: ["username", "This username is taken"],
  actions_name_key: ["name", "This name is taken"],
  manufacturers_name_key: ["name", "This name is taken"],
  models_name_key: ["name", "This name is taken"],
  locations_name_key: ["name", "This name is taken"],
  statuses_name_key: ["name", "This name is taken"],
};

export function inWords(refused: Refused): Error {
  const [field, message] = SENTENCES[refused.constraint ?? ""] ?? [];
  return field && message ? invalid(field, message) : refused;
}
