// The form of a provider, made from its shape.
import type { ProviderKind, ShownProvider } from "../../src/user/sign_in/provider.ts";
import { Field, type Filled, Summary } from "../parts/forms.tsx";
import { OtherFields } from "../parts/resource_fields.tsx";
import { field } from "../request/form_values.ts";
import { SaveButtons } from "../resource/form.tsx";

export const PROVIDER_KINDS: Record<ProviderKind, string> = {
  oidc: "OpenID Connect",
  ldap: "LDAP directory",
};

/** What a field is for, where its label does not say it. */
const HINTS: Record<string, string> = {
  scope: "Default: openid profile email. Many providers send groups only for a scope of their own",
  groups_claim: "Default: groups. A path such as realm_access.roles reaches into claims",
  username_claim: "Default: preferred_username",
  url: "ldaps:// or ldap://, which then uses STARTTLS, or ldapi:/// for a socket of this machine",
  ca: "Default: the certificate authorities that this server trusts",
  bind_dn: "The account that searches for people. Default: an anonymous search",
  base: "Such as ou=people,dc=example,dc=org",
  user_filter: "Default: (uid={username}), in Active Directory (sAMAccountName={username})",
  username_attribute: "Default: uid, in Active Directory sAMAccountName",
  subject_attribute:
    "Identifies a person even after a change of name. Default: entryUUID, or objectGUID",
  nested_groups:
    "An Active Directory is always searched so; elsewhere each level is one more search",
  outage_hours: "While the directory does not respond. Default: 24",
  group_base:
    "Where to look for groups that list the person as a member, besides those in memberOf. Default in Active Directory: the base of people",
};

/** A blank field means that the setting is not set. */
export function withoutBlanks(form: FormData): FormData {
  const given = new FormData();
  for (const name of new Set(form.keys())) {
    for (const value of form.getAll(name)) if (field(form, name) !== "") given.append(name, value);
  }
  return given;
}

interface ProviderFormProps {
  filled: Filled;
  kind: ProviderKind;
  action: string;
  back: string;
  /** A secret is stored already; it is never shown. */
  hasSecret?: boolean;
}

/** Only a provider of OpenID Connect has a button, and addresses that the other side knows. */
const IDENTITY_HINTS: Record<ProviderKind, { key: string; name: string }> = {
  oidc: {
    key: "Used in the URLs that you register with the provider, such as lab. You cannot change it later",
    name: "On the login page",
  },
  ldap: {
    key: "Used in the URLs of its pages, such as lab. You cannot change it later",
    name: "In messages, such as: Directory of the lab does not respond",
  },
};

export function ProviderForm({ filled, kind, action, back, hasSecret }: ProviderFormProps) {
  const isNew = "key" in filled.shape.properties;
  return (
    <form class="sheet" method="post" action={action} data-guard>
      <Summary filled={filled} />
      {isNew && <Field filled={filled} name="key" hint={IDENTITY_HINTS[kind].key} autofocus />}
      <Field filled={filled} name="name" hint={IDENTITY_HINTS[kind].name} autofocus={!isNew} />
      <OtherFields
        filled={filled}
        placed={["key", "name", "secret"]}
        below={(name) => HINTS[name] && <p class="hint">{HINTS[name]}</p>}
      />
      <Field
        filled={filled}
        name="secret"
        type="password"
        autocomplete="new-password"
        hint={
          hasSecret
            ? "A secret is stored. Leave this blank to keep it"
            : "Stored encrypted, and never shown"
        }
      />
      <SaveButtons isNew={false} back={back} />
    </form>
  );
}

export function ProviderState({ provider }: { provider: ShownProvider }) {
  return (
    <>
      <span class={provider.is_enabled ? "tag good" : "tag"}>
        {provider.is_enabled ? "enabled" : "disabled"}
      </span>{" "}
      {provider.from_environment && <span class="tag">from the environment</span>}
    </>
  );
}
