// What errors are called for programs. Sentences may change; a code stays. The table in docs/api.md is made of these.

/** Of a request, by its status. */
export const REQUEST_CODES: Record<number, [code: string, meaning: string]> = {
  400: ["bad_request", "It is no request of HTTP that the service understands"],
  401: ["not_authenticated", "There is no token, or it is not valid any more"],
  403: ["right_missing", "The user or the token may not do this"],
  404: ["not_found", "There is no such record or address, or it is hidden"],
  405: ["method_not_allowed", "The address has other methods"],
  412: ["changed_since", "The record was changed after it was read"],
  413: ["too_large", "The body has too many bytes"],
  414: ["address_too_long", "The address has too many bytes"],
  415: ["not_json", "The body has another type than the operation takes"],
  421: ["wrong_host", "The service does not answer for this host name"],
  422: ["not_valid", "Several fields are refused; each has a code of its own"],
  429: ["too_many_requests", "Wait for the seconds in Retry-After"],
  500: ["internal_error", "The log has the reason under the id of the request"],
  503: ["not_responding", "The database does not respond, or is read-only here"],
};

/** Of a field. An answer whose errors have one code has it, too. */
export const FIELD_CODES = {
  not_valid: "The value is not one that the sentence allows",
  required: "There is no value",
  unknown_field: "There is no such field or parameter",
  unknown_record: "No record has this name or key, or it is hidden",
  name_taken: "Another record has this name",
  value_taken: "Another record has this value",
  not_available: "Not possible, perhaps because of a hidden record",
  not_editable: "The caller may not change this field",
  in_use: "Other records need this one",
  network_full: "The network has no free address",
  too_many: "There are as many as there may be",
  overlaps: "Another block shares addresses with this one",
  outside: "It is not inside of its network or scope",
  inside_itself: "A record would be inside of itself",
  not_an_address: "It is no IP address",
  not_a_block: "It is no block of addresses",
  not_a_mac_address: "It is no MAC address",
  not_a_time: "It is no time",
  not_a_query: "The query cannot be parsed; `error` says where",
};

export type FieldCode = keyof typeof FIELD_CODES;

/** Annotation of a schema: the code of the error of a value that it refuses. */
export const CODE = "x-code";
