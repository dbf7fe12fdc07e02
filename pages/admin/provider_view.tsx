import { GROUPS } from "../../src/auth/auth.ts";
import { rightInWords } from "../../src/user/rights/place.ts";
import {
  CHANGED_PROVIDER,
  type Mapping,
  type RightMapping,
  type ShownProvider,
} from "../../src/user/sign_in/provider.ts";
import { DangerousActions } from "../layout/confirm.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { Fact } from "../parts/facts.tsx";
import { CheckBox, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Select } from "../parts/select.tsx";
import { SIGN_IN } from "./paths.ts";
import { PROVIDER_KINDS, ProviderState } from "./provider_form.tsx";

interface Props {
  provider: ShownProvider;
  mappings: { groups: Mapping[]; rights: RightMapping[] };
  mapping: Filled;
  problem?: string | undefined;
  redirects: { login: string; logout: string };
}

export function ProviderPage(props: Props) {
  const { provider, problem } = props;
  return (
    <>
      <PageHead
        title={provider.name}
        lead={
          <>
            {PROVIDER_KINDS[provider.kind]} <ProviderState provider={provider} />
          </>
        }
      >
        <div class="actions">
          <a class="button" href={`${SIGN_IN}/test/${provider.key}`}>
            Test
          </a>
          {!provider.from_environment && (
            <a class="button primary" href={`${SIGN_IN}/edit/${provider.key}`} data-key="e">
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </PageHead>
      {problem && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <div class="split">
        <div class="stack">
          <Mappings {...props} />
        </div>
        <aside class="panel first" aria-label="Facts">
          <Settings {...props} />
          <DangerousActions
            to={`${SIGN_IN}/action/${provider.key}`}
            actions={actionsFor(provider).map((action) => ({
              ...action,
              question: questionFor(provider, action.name),
            }))}
          />
        </aside>
      </div>
    </>
  );
}

/** The titles of the form are sentences, which leave no room for values beside them. */
const LABELS: Record<string, string> = {
  needs_group: "Needs a group",
  groups_claim: "Groups claim",
  username_claim: "Username claim",
  send_passwords_without_encryption: "Unencrypted",
  ca: "Authority",
  is_active_directory: "Active Directory",
  user_filter: "Filter",
  username_attribute: "Username",
  subject_attribute: "Known by",
  nested_groups: "Nested groups",
  outage_hours: "Outage (hours)",
};

function Settings({ provider, redirects }: Props) {
  const { properties } = CHANGED_PROVIDER[provider.kind];
  const titles = new Map(Object.entries(properties).map(([name, { title }]) => [name, title]));
  return (
    <dl class="facts">
      <Fact label="Key">{provider.key}</Fact>
      {Object.entries(provider.settings).map(([name, value]) => (
        <Fact label={LABELS[name] ?? titles.get(name) ?? name}>{shown(name, value)}</Fact>
      ))}
      <Fact label="Secret">{provider.has_secret ? "set" : "not set"}</Fact>
      <Fact label="People">{provider.people}</Fact>
      {provider.kind === "oidc" && (
        <>
          <Fact label="Redirect URI">
            <span class="mono">{redirects.login}</span>
          </Fact>
          <Fact label="After logout">
            <span class="mono">{redirects.logout}</span>
          </Fact>
        </>
      )}
    </dl>
  );
}

function shown(name: string, value: unknown): string {
  if (name === "ca") return "set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}

/** None is chosen at first: the first one is admin. */
const RIGHTS_HERE = [
  { value: "", label: "Choose one" },
  ...[...GROUPS, "sensitive"].map((group) => ({ value: group, label: group })),
];

function Mappings({ provider, mappings, mapping }: Props) {
  const action = `${SIGN_IN}/mapping/${provider.key}`;
  const rows = [
    ...mappings.groups.map(({ id, inner_group, ...one }) => ({
      ...{ ...one, key: String(id), leads_to: inner_group },
    })),
    ...mappings.rights.map(({ id, right, ...one }) => ({
      ...{ ...one, key: `${id}-right`, leads_to: rightInWords(right) },
    })),
  ];
  return (
    <section aria-labelledby="mappings-title">
      <h2 id="mappings-title">User groups</h2>
      {rows.length === 0 ? (
        <p class="muted">
          No group of this provider gives rights here yet. Add the first mapping below.
        </p>
      ) : (
        <PlainTable
          caption="Mappings of groups"
          rows={rows}
          columns={[
            {
              label: "Group at the provider",
              cell: ({ outer_group, is_pattern }) => (
                <>
                  {outer_group} {is_pattern && <span class="tag">pattern</span>}
                </>
              ),
            },
            { label: "Group here", cell: ({ leads_to }) => <span class="tag">{leads_to}</span> },
            {
              label: "Remove",
              class: "tight",
              cell: ({ key, outer_group, leads_to }) => (
                <form method="post" action={action}>
                  <button
                    type="submit"
                    class="quiet bad"
                    name="remove"
                    value={key}
                    aria-label={`Remove ${outer_group} to ${leads_to}`}
                  >
                    <Icon name="trash" /> Remove
                  </button>
                </form>
              ),
            },
          ]}
        />
      )}
      <form class="sheet" method="post" action={action}>
        <Summary filled={mapping} />
        <Field
          filled={mapping}
          name="outer_group"
          hint={
            provider.kind === "ldap"
              ? "The name of a group, or its DN"
              : "As the provider writes it; see Test"
          }
        />
        <CheckBox
          filled={mapping}
          name="is_pattern"
          label="A pattern: * stands for any characters"
        />
        <Select filled={mapping} name="inner_group" options={RIGHTS_HERE} />
        <Field
          filled={mapping}
          name="place"
          hint="Empty: everywhere. For network a scope, for inventory a location, for sensitive a network"
        />
        <div class="buttons">
          <button type="submit">
            <Icon name="plus" /> Add mapping
          </button>
        </div>
      </form>
    </section>
  );
}

interface ProviderAction {
  name: string;
  label: string;
}

function actionsFor({ is_enabled, people, from_environment }: ShownProvider): ProviderAction[] {
  const enabling = is_enabled
    ? { name: "disable", label: "Disable" }
    : { name: "enable", label: "Enable" };
  const deleting = { name: "delete", label: "Delete this provider" };
  if (from_environment) return [];
  return people === 0 && !is_enabled ? [enabling, deleting] : [enabling];
}

/** What has to be confirmed. */
export function questionFor({ name }: ShownProvider, action: string) {
  if (action === "disable") {
    return {
      title: `Disable ${name}?`,
      detail:
        "Nobody can log in by it. Its people stay logged in and their tokens work, and it is not asked about them any more.",
      verb: "Disable",
    };
  }
  if (action !== "delete") return undefined;
  return { title: `Delete ${name}?`, detail: "Its settings and mappings go.", verb: "Delete" };
}
