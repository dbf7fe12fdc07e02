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
  items_ics_id_key: ["ics_id", "This id is taken"],
  items_stack_member_key: ["stack_member", "This place in the stack is taken"],
  macs_address_key: ["address", "This address is registered already"],
  change_sets_undoes_key: ["id", "This change is undone already"],
};

export function inWords(refused: Refused): Error {
  const [field, message] = SENTENCES[refused.constraint ?? ""] ?? [];
  return field && message ? invalid(field, message) : refused;
}
