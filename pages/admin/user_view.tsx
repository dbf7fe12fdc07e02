import type { TObject } from "@sinclair/typebox";
import { type Account, account } from "../../src/user/account.ts";
import type { AuditRow } from "../../src/user/audit_entry.ts";
import type { HeldToken } from "../../src/user/held_token.ts";
import type { Passkey } from "../../src/user/passkeys/passkeys.ts";
import type { Explanation } from "../../src/user/rights/explanation.ts";
import { newRight } from "../../src/user/rights/rights.ts";
import type { ServiceAccount } from "../../src/user/service_accounts.ts";
import type { Session } from "../../src/user/sessions.ts";
import { newPassword } from "../../src/user/users.ts";
import { DangerousActions } from "../layout/confirm.tsx";
import { Stamps } from "../parts/facts.tsx";
import { blank, type Filled } from "../parts/forms.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Facts } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import type { RecordParts } from "../resource/view.tsx";
import { Access, nameOf } from "../user/token_parts.tsx";
import { EntryLine } from "./audit_parts.tsx";
import { UserPasskeys } from "./passkeys_view.tsx";
import { AUDIT, SERVICE_ACCOUNTS, TOKENS, USERS } from "./paths.ts";
import { RevokeForm } from "./revoke_form.tsx";
import { actionsFor } from "./user_actions.ts";
import { PasswordForm } from "./user_form.tsx";
import { RightsSection } from "./user_rights.tsx";

interface UserPageProps {
  row: Account;
  tokens: HeldToken[];
  sessions: Session[];
  passkeys: Passkey[];
  entries: AuditRow[];
  /** The form of the page that was refused. */
  filled: Filled | undefined;
  /** What the user may do, unless the user is deactivated. */
  may: Explanation | undefined;
  isSelf: boolean;
}

export function userParts(props: UserPageProps): RecordParts {
  const { row, filled, isSelf } = props;
  const { username, display_name, state, provider } = row;
  const formOf = (shape: TObject) => (filled?.shape === shape ? filled : blank(shape));
  return {
    heading: display_name ?? username,
    lead: (
      <>
        {display_name && username} <UserState state={state} />
      </>
    ),
    mayEdit: state === "active",
    facts: (
      <>
        <Facts
          of={account}
          row={row}
          own={accountValues(row)}
          elsewhere={["display_name", "is_service"]}
        />
        <Stamps of={row} />
      </>
    ),
    danger: (
      <>
        {state === "active" && !isSelf && !provider && (
          <section aria-labelledby="password-title">
            <h2 id="password-title">Password</h2>
            <PasswordForm
              filled={formOf(newPassword)}
              action={`${USERS}/password/${encodeURIComponent(username)}`}
            />
          </section>
        )}
        {isSelf && (
          <p>
            <a href="/user/profile">Change your own password</a>
          </p>
        )}
        <DangerousActions
          to={`${USERS}/action`}
          field={["username", username]}
          actions={actionsFor(row)}
        />
      </>
    ),
    contents: (
      <>
        {props.may && <RightsSection of={props.may} user={username} filled={formOf(newRight)} />}
        <Tokens {...props} />
        <UserPasskeys row={row} held={props.passkeys} />
        <Sessions {...props} />
        <Entries {...props} />
      </>
    ),
  };
}

/** What the facts of a person or a service account show in their own way. */
export function accountValues({ groups, state, last_seen }: Account | ServiceAccount) {
  return {
    groups: <Groups groups={groups ?? []} />,
    state: <UserState state={state} />,
    last_seen: last_seen ? <Time at={last_seen} /> : "never",
  };
}

function Tokens({ row, tokens }: UserPageProps) {
  return (
    <section aria-labelledby="tokens-title">
      <h2 id="tokens-title">Tokens</h2>
      {tokens.length === 0 ? (
        <p class="muted">
          No tokens yet: {row.username} makes them under Profile and tokens. A program that belongs
          to nobody gets a <a href={SERVICE_ACCOUNTS}>service account</a>.
        </p>
      ) : (
        <PlainTable
          caption={`Personal tokens of ${row.username}`}
          rows={tokens}
          columns={TOKEN_COLUMNS}
        />
      )}
      <p>
        <a href={`${TOKENS}?owner=${encodeURIComponent(row.username)}`}>All tokens of this user</a>
      </p>
    </section>
  );
}

const TOKEN_COLUMNS = [
  {
    label: "Description",
    cell: (token: HeldToken) => (
      <>
        {nameOf(token)} <Access token={token} />
      </>
    ),
  },
  { label: "Created", cell: ({ created_at }: HeldToken) => <Time at={created_at} /> },
  {
    label: "Expires",
    cell: ({ expires_at }: HeldToken) => (expires_at ? <Time at={expires_at} /> : "never"),
  },
  {
    label: "Last used",
    cell: ({ last_used_at, last_used_from }: HeldToken) => (
      <>
        {last_used_at ?? "never"} {last_used_from && <span class="mono">{last_used_from}</span>}
      </>
    ),
  },
  { label: "Revoke", class: "tight", cell: (token: HeldToken) => <RevokeForm token={token} /> },
];

function Sessions({ sessions }: UserPageProps) {
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      {sessions.length === 0 ? (
        <p class="muted">Not logged in</p>
      ) : (
        <ul class="plain">
          {sessions.map((session) => (
            <li>
              <b class="mono">{session.address}</b> logged in <Time at={session.created_at} />, last
              seen <Time at={session.last_seen_at} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Entries({ row, entries }: UserPageProps) {
  return (
    <section aria-labelledby="entries-title">
      <h2 id="entries-title">Audit log</h2>
      {entries.length === 0 && (
        <p class="muted">No entries yet: logins, refusals and tokens are listed here.</p>
      )}
      <ul class="plain">
        {entries.map((entry) => (
          <li>
            <EntryLine entry={entry} />
          </li>
        ))}
      </ul>
      <p>
        <a href={`${AUDIT}?username=${encodeURIComponent(row.username)}`}>All entries</a>
      </p>
    </section>
  );
}

export function Groups({ groups }: { groups: readonly string[] }) {
  return (
    <>
      {groups.map((group) => (
        <>
          <span class="tag">{group}</span>{" "}
        </>
      ))}
    </>
  );
}

export function UserState({ state }: Pick<Account, "state">) {
  return <span class={state === "active" ? "tag" : "tag bad"}>{state}</span>;
}
