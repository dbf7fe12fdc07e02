// Input shapes that several resources of the network share.
import { Type } from "@sinclair/typebox";
import { UNRESERVED_NAME } from "../../input/domain_names.ts";
import { nullable, paragraph } from "../../input/shape.ts";

export const DESCRIPTION = nullable(paragraph(10_000));
/** A label by RFC 1123, stored in lower case. */
export const LABEL = Type.String({
  pattern: "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$",
  maxLength: 63,
  description: "Use 2 to 63 letters a-z, digits and hyphens; no hyphen first or last",
});
/** A domain or a fully qualified name. */
export const DNS_NAME = Type.String({
  pattern:
    "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  maxLength: 253,
  description: "Use labels of a-z, 0-9 and -, separated by dots, such as lab.example.org",
});
/** The name of a host or an interface. */
export const NEW_LABEL = { ...LABEL, format: UNRESERVED_NAME };
/** The name of a cname. */
export const NEW_DNS_NAME = { ...DNS_NAME, format: UNRESERVED_NAME };

/** The name of a scope or of a VLAN. */
export const SHORT_NAME = Type.String({
  pattern: "^[A-Za-z0-9-]{3,25}$",
  maxLength: 25,
  description: "Use 3 to 25 letters, digits and -",
});
export const VLAN_ID = Type.Integer({
  minimum: 1,
  maximum: 4094,
  description: "Use a number from 1 to 4094",
});

/** Automation variables by name. */
export const VARIABLES = Type.Object(
  {},
  { additionalProperties: true, description: "Use a JSON object of variables" },
);

export const GROUP_NAMES_RULE = "Use a list of names of groups";
