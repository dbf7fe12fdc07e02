import { type QueryRejected, UNIQUE } from "../../db/errors.ts";
import type { FieldCode } from "../input/error_codes.ts";
import { type FieldError, type Refusal, refuse } from "../input/errors.ts";

const NAME_TAKEN = "This name is taken";
export const NAME_NOT_AVAILABLE = "This name is not available";

/** The sentences for broken constraints. Each constraint that input can break is here. */
const SENTENCES = {
  users_username_key: ["username", "This username is taken", "name_taken"],
  actions_name_key: ["name", NAME_TAKEN],
  manufacturers_name_key: ["name", NAME_TAKEN],
  models_name_key: ["name", NAME_TAKEN],
  locations_name_key: ["name", NAME_TAKEN],
  locations_parent_not_itself: [
    "parent",
    "A location cannot be inside of itself or of a location within it",
    "inside_itself",
  ],
  statuses_name_key: ["name", NAME_TAKEN],
  items_ics_id_key: ["ics_id", "This id is taken"],
  items_parent_not_itself: [
    "parent",
    "An item cannot be inside itself or its own contents",
    "inside_itself",
  ],
  items_stack_member_key: ["stack_member", "This stack member is taken"],
  macs_address_key: ["address", "This address is already registered"],
  domains_name_key: ["name", NAME_TAKEN],
  scopes_name_key: ["name", NAME_TAKEN],
  scopes_vlan_range: ["last_vlan", "Use first_vlan or more", "not_valid"],
  scopes_supernet_overlap: ["supernet", "This block overlaps with another scope", "overlaps"],
  networks_vlan_name_key: ["vlan_name", NAME_TAKEN],
  networks_vlan_id_key: ["vlan_id", "This VLAN is taken in its scope"],
  networks_address_overlap: ["address", "This block overlaps with another network", "overlaps"],
  device_types_name_key: ["name", NAME_TAKEN],
  hosts_name_key: ["name", NAME_NOT_AVAILABLE],
  interfaces_name_key: ["name", NAME_NOT_AVAILABLE],
  interfaces_ip_key: ["ip", "This address is not available"],
  interfaces_mac_key: ["mac", "This MAC address is already in this network"],
  cnames_name_key: ["name", NAME_NOT_AVAILABLE],
  groups_name_key: ["name", NAME_TAKEN],
  files_picture_of_type: ["is_picture", "Only a JPEG, PNG, WebP or GIF is a picture", "not_valid"],
  files_sha256_fkey: ["file", "Its bytes were deleted a month after the file", "not_valid"],
  site_fields_key_key: ["key", "Another field of this record has this key"],
  site_fields_variable_key: ["variable", "Another field of this record has this variable"],
  site_fields_choices_of_type: [
    "choices",
    "Give choices for the types choice and choices, and for no other",
    "not_valid",
  ],
  site_fields_references_of_type: [
    "references",
    "Say what it refers to for the type reference, and for no other",
    "not_valid",
  ],
  site_fields_models_of_items: ["models", "Only fields of items are for models", "not_valid"],
  site_fields_variable_of_type: [
    "variable",
    "A field that refers to records gives none",
    "not_valid",
  ],
  site_fields_default_of_type: ["default", "Use a value of the type", "not_valid"],
  ...siteSize("items"),
  ...siteSize("hosts"),
  ...siteSize("interfaces"),
  ...siteSize("networks"),
  ...siteSize("locations"),
  ...siteSize("models"),
  change_sets_undoes_key: ["id", "This change has already been undone", "not_valid"],
} satisfies Record<string, Sentence>;

function siteSize(table: string): Record<string, Sentence> {
  return {
    [`${table}_site_size`]: ["site", "Use at most 16 kB in all fields of the site", "not_valid"],
  };
}

type Sentence = [field: string, message: string, code?: FieldCode];

const byName = new Map<string, Sentence>(Object.entries(SENTENCES));

function errorOf([field, message, code = codeOf(message)]: Sentence): FieldError {
  return { field, message, code };
}

function codeOf(message: string): FieldCode {
  if (message === NAME_TAKEN) return "name_taken";
  return message.endsWith("not available") ? "not_available" : "value_taken";
}

/** The error of a constraint, to be collected with others. */
export function constraintError(constraint: keyof typeof SENTENCES): FieldError {
  return errorOf(SENTENCES[constraint]);
}

/** Constraints that a hidden record can break. */
const HIDING = /^(hosts_name|interfaces_(name|ip|mac)|cnames_name)_key$/;

export function refusalFor(refused: QueryRejected): Error {
  const value = Object.values(refused.key).at(-1);
  return brokenBy(refused.constraint ?? "", value) ?? ofStandardName(refused) ?? refused;
}

/** Unique constraints of standard resources need no sentence of their own. */
function ofStandardName({ code, constraint = "", key }: QueryRejected): Refusal | undefined {
  const [column] = Object.keys(key).slice(-1);
  const isOfName = code === UNIQUE && column !== undefined && constraint.endsWith(`_${column}_key`);
  return isOfName ? refuse([errorOf([column, NAME_TAKEN])]) : undefined;
}

/** The refusal of a constraint, for code that checks first to collect all errors. */
export function brokenBy(constraint: string, value = ""): Refusal | undefined {
  const sentence = byName.get(constraint);
  if (!sentence) return undefined;
  return refuse([{ ...errorOf(sentence), ...(HIDING.test(constraint) && { taken: { value } }) }]);
}
