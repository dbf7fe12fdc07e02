// What an identity provider is: a service or a directory of the site that says who somebody is.
import { type Static, Type } from "@sinclair/typebox";
import { GROUPS, type Group } from "../../auth/auth.ts";
import { closed, line, secret, TRUE_OR_FALSE } from "../../input/shape.ts";

export type ProviderKind = "oidc" | "ldap";

const key = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{0,39}$",
  title: "Key",
  description: "Use 1 to 40 of a-z, 0-9 and hyphen",
});
const name = line(60, "Use 1 to 60 characters on one line");
const claim = (title: string) => Type.Optional(Type.String({ ...line(200), title }));

/** The settings of a provider of OpenID Connect, besides its key, name and secret. */
const oidcFields = {
  issuer: Type.String({
    maxLength: 500,
    pattern: "^https?://[^\\s?#@]+$",
    title: "Issuer",
    description: "Use the URL of the issuer, such as https://login.example.org/realms/lab",
  }),
  client_id: Type.String({ ...line(200), title: "Client ID" }),
  scope: Type.Optional(
    Type.String({
      pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$",
      maxLength: 500,
      title: "Scope",
      description: "Use words that are separated by blanks, such as openid profile email",
    }),
  ),
  groups_claim: claim("Claim with the groups"),
  username_claim: claim("Claim with the username"),
  needs_group: Type.Optional(TRUE_OR_FALSE),
};

export const oidcSettings = closed(oidcFields);
export type OidcSettings = Static<typeof oidcSettings>;

const client_secret = Type.Optional(
  Type.String({ ...secret("Enter the secret of the client"), title: "Client secret" }),
);

export const newOidcProvider = closed({ key, name, ...oidcFields, client_secret });
export const changedOidcProvider = closed({ name, ...oidcFields, client_secret });

export const newMapping = closed({
  outer_group: Type.String({ ...line(300), title: "Group of the provider" }),
  is_pattern: Type.Optional(TRUE_OR_FALSE),
  inner_group: Type.Union(
    GROUPS.map((group) => Type.Literal(group)),
    { title: "Group here", description: `Use one of ${GROUPS.join(", ")}` },
  ),
});

export const OIDC_DEFAULTS = {
  scope: "openid profile email",
  groups_claim: "groups",
  username_claim: "preferred_username",
} as const;

export interface Mapping {
  id: number;
  /** A group of the provider or, with is_pattern, a text in which * stands for any characters. */
  outer_group: string;
  is_pattern: boolean;
  inner_group: Group;
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

/** A provider with what is needed to ask it. */
export interface Provider {
  id: number;
  key: string;
  name: string;
  settings: OidcSettings;
  secret: string | undefined;
  mappings: Mapping[];
  is_enabled: boolean;
}

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
