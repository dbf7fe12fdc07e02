// What an identity provider is: a service or a directory of the site that says who somebody is.
import { type Static, Type } from "@sinclair/typebox";
import { GROUPS, type UserGroup } from "../../auth/auth.ts";
import { closed, line, nullable, secret, TRUE_OR_FALSE } from "../../input/shape.ts";
import { placeName } from "../rights/place.ts";
import type { ProvidedRight } from "../rights/rights.ts";

export type ProviderKind = "oidc" | "ldap";

const key = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{0,39}$",
  maxLength: 40,
  title: "Key",
  description: "Use 1 to 40 of a-z, 0-9 and hyphen",
});

function text(title: string, longest: number) {
  return Type.String({ ...line(longest), title });
}

function flag(title: string) {
  return Type.Optional(Type.Boolean({ title, description: TRUE_OR_FALSE.description }));
}

const always = {
  name: text("Name", 60),
  needs_group: flag("Only people with a mapped group may log in"),
};

const oidcFields = {
  issuer: Type.String({
    maxLength: 250,
    pattern: "^https?://[^\\s?#@]+$",
    title: "Issuer",
    description: "Use the URL of the issuer, such as https://login.example.org/realms/lab",
  }),
  client_id: text("Client ID", 200),
  scope: Type.Optional(
    Type.String({
      pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$",
      maxLength: 200,
      title: "Scope",
      description: "Use words that are separated by blanks, such as openid profile email",
    }),
  ),
  groups_claim: Type.Optional(text("Claim with the groups", 200)),
  username_claim: Type.Optional(text("Claim with the username", 200)),
};

const ldapFields = {
  url: Type.String({
    maxLength: 250,
    pattern: "^(ldaps?://[^\\s/?#@]+/?|ldapi:///[^\\s?#]+)$",
    title: "URL",
    description:
      "Use a URL such as ldaps://ldap.example.org, ldap://ldap.example.org or ldapi:///run/ldapi",
  }),
  send_passwords_without_encryption: flag("Send passwords without encryption (only for ldap://)"),
  ca: Type.Optional(
    Type.String({
      maxLength: 20_000,
      pattern: "^-----BEGIN CERTIFICATE-----",
      title: "Certificates of the authority (PEM)",
      description: "Use certificates in PEM, from -----BEGIN CERTIFICATE----- on",
    }),
  ),
  bind_dn: Type.Optional(text("Bind DN", 250)),
  base: text("Base of people", 250),
  is_active_directory: flag("This is Active Directory"),
  user_filter: Type.Optional(
    Type.String({
      maxLength: 250,
      pattern: "^\\(.*\\{username\\}.*\\)$",
      title: "Filter of a person",
      description: "Use a filter that contains {username}, such as (uid={username})",
    }),
  ),
  username_attribute: Type.Optional(text("Attribute with the username", 60)),
  subject_attribute: Type.Optional(text("Permanent id", 60)),
  group_base: Type.Optional(text("Base of groups", 250)),
  nested_groups: flag("Groups may contain groups"),
  outage_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      title: "Keep people logged in during an outage, in hours",
      description: "Use a whole number from 1 to 720",
    }),
  ),
};

export const oidcSettings = closed({ ...always, ...oidcFields });
export type OidcSettings = Omit<Static<typeof oidcSettings>, "name">;
export const ldapSettings = closed({ ...always, ...ldapFields });
export type LdapSettings = Omit<Static<typeof ldapSettings>, "name">;

const secretOf = (title: string) =>
  Type.Optional(Type.String({ ...secret("Use at most 1024 characters"), title }));
const SECRETS = { oidc: secretOf("Client secret"), ldap: secretOf("Password of the bind DN") };

const changedOidc = closed({ ...oidcSettings.properties, secret: SECRETS.oidc });
const changedLdap = closed({ ...ldapSettings.properties, secret: SECRETS.ldap });

/** What an admin enters, by the kind of the provider. The key is a part of addresses that the other side knows. */
export const NEW_PROVIDER = {
  oidc: closed({ key, ...changedOidc.properties }),
  ldap: closed({ key, ...changedLdap.properties }),
} as const;
export const CHANGED_PROVIDER = { oidc: changedOidc, ldap: changedLdap } as const;

export type NewProvider = {
  [Kind in ProviderKind]: Static<(typeof NEW_PROVIDER)[Kind]>;
}[ProviderKind];
export type ChangedProvider = {
  [Kind in ProviderKind]: Static<(typeof CHANGED_PROVIDER)[Kind]>;
}[ProviderKind];

export const newMapping = closed({
  outer_group: Type.String({ ...line(300), title: "Group at the provider" }),
  is_pattern: flag("A pattern: * stands for any characters"),
  inner_group: Type.Union(
    GROUPS.map((group) => Type.Literal(group)),
    { title: "Group here", description: `Use one of ${GROUPS.join(", ")}` },
  ),
});

/** The same with a place: then it leads to a right there. */
export const placedMapping = closed({
  ...newMapping.properties,
  inner_group: Type.Union(
    [...GROUPS, "sensitive" as const].map((group) => Type.Literal(group)),
    { title: "Group or right here", description: `Use one of ${GROUPS.join(", ")}, sensitive` },
  ),
  place: Type.Optional(nullable(placeName)),
});

export const OIDC_DEFAULTS = {
  scope: "openid profile email",
  groups_claim: "groups",
  username_claim: "preferred_username",
} as const;

/** Hours that people who are logged in may go on while their directory does not respond. */
export const OUTAGE_HOURS = 24;

export interface Mapping {
  id: number;
  /** A group of the provider or, with is_pattern, a text in which * stands for any characters. */
  outer_group: string;
  is_pattern: boolean;
  inner_group: UserGroup;
}

/** A mapping to a right in one place. */
export interface RightMapping {
  id: number;
  outer_group: string;
  is_pattern: boolean;
  right: ProvidedRight;
}

/** A provider as admins see it. */
export interface ShownProvider {
  id: number;
  key: string;
  name: string;
  kind: ProviderKind;
  settings: Record<string, unknown>;
  has_secret: boolean;
  is_enabled: boolean;
  /** Its settings are in the environment of the service, and cannot be changed on a page. */
  from_environment: boolean;
  /** How many people have logged in by it. */
  people: number;
}

interface AskedProvider {
  id: number;
  key: string;
  name: string;
  secret: string | undefined;
  mappings: Mapping[];
  rights: RightMapping[];
  is_enabled: boolean;
}

/** A provider with what is needed to ask it. */
export interface OidcProvider extends AskedProvider {
  kind: "oidc";
  settings: OidcSettings;
}
export interface LdapProvider extends AskedProvider {
  kind: "ldap";
  settings: LdapSettings;
}
export type Provider = OidcProvider | LdapProvider;

/** What a provider says about a person. */
export interface ExternalPerson {
  /** Who says so: the same subject of another authority is somebody else. */
  authority: string;
  subject: string;
  username: string | undefined;
  display_name: string | null;
  email: string | null;
  groups: string[];
}
