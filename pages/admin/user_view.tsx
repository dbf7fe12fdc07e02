import type { Refusal } from "../../src/input/errors.ts";
import { type Account, account } from "../../src/user/account.ts";
import type { AuditRow } from "../../src/user/audit_entry.ts";
import type { HeldToken } from "../../src/user/held_token.ts";
import type { Passkey } from "../../src/user/passkeys/passkeys.ts";
import type { Explanation } from "../../src/user/rights/explanation.ts";
import type { Session } from "../../src/user/sessions.ts";
import { ActionForm } from "../layout/confirm.tsx";
import { Stamps } from "../parts/facts.tsx";
import type { Filled } from "../parts/forms.tsx";
import { RefusalNote } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Facts } from "../parts/resource_fields.tsx";
import { InList, type PlaceInList } from "../records/in_list.tsx";
import { Time } from "../records/time.tsx";
import { Access } from "../user/token_parts.tsx";
import { EntryLine } from "./audit_parts.tsx";
import { UserPasskeys } from "./passkeys_view.tsx";
import { AUDIT, TOKENS, USERS, userPath } from "./paths.ts";
import { RevokeForm } from "./tokens_list.tsx";
import { actionsFor } from "./user_actions.ts";
import { PasswordForm } from "./user_form.tsx";
import { RightsSection } from "./user_rights.tsx";
import { Groups, UserState } from "./users_list.tsx";

interface Props {
  row: Account;
  tokens: HeldToken[];
  sessions: Session[];
  passkeys: Passkey[];
  entries: AuditRow[];
  password: Filled;
  /** What the user may do, unless the user is deactivated. */
  may: Explanation | undefined;
  right: Filled;
  place: PlaceInList | undefined;
  refusal?: Refusal | undefined;
  isSelf: boolean;
}

export function UserPage(props: Props) {
  const { row, refusal, place } = props;
  return (
    <>
      <header class="head">
        <div>
          <h1>{row.display_name ?? row.username}</h1>
          <p class="lead">
            {row.username} <UserState state={row.state} />
          </p>
        </div>
        <div class="actions">
          <InList place={place} pathOf={userPath} />
          {row.state === "active" && (
            <a
              class="button primary"
              href={`${USERS}/edit/${encodeURIComponent(row.username)}`}
              data-key="e"
            >
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      <RefusalNote refusal={refusal} />
      <div class="split">
        <div class="stack">
          {props.may && <RightsSection of={props.may} user={row.username} filled={props.right} />}
          <Tokens {...props} />
          <UserPasskeys row={row} held={props.passkeys} />
          <Sessions {...props} />
          <Entries {...props} />
        </div>
        <aside class="panel first" aria-label="Facts">
          <dl class="facts">
            <Facts
              of={account}
              row={row}
              own={{
                groups: <Groups groups={row.groups ?? []} />,
                state: <UserState state={row.state} />,
                last_seen: row.last_seen ? <Time at={row.last_seen} /> : "never",
              }}
              elsewhere={["display_name", "is_service"]}
            />
            <Stamps of={{ user: row.user, updated_at: row.updated_at ?? "" }} />
          </dl>
          {row.state === "active" && !props.isSelf && !row.provider && (
            <section aria-labelledby="password-title">
              <h2 id="password-title">Password</h2>
              <PasswordForm
                filled={props.password}
                action={`${USERS}/password/${encodeURIComponent(row.username)}`}
              />
            </section>
          )}
          {props.isSelf && (
            <p>
              <a href="/user/profile">Change your own password</a>
            </p>
          )}
          <div class="danger">
            {actionsFor(row).map(({ name, label, question }) => (
              <ActionForm
                to={`${USERS}/action`}
                field={["username", row.username]}
                name={name}
                label={label}
                question={question}
              />
            ))}
          </div>
        </aside>
      </div>
    </>
  );
}

function Tokens({ row, tokens }: Props) {
  return (
    <section aria-labelledby="tokens-title">
      <h2 id="tokens-title">Tokens</h2>
      {tokens.length === 0 ? (
        <p class="muted">No personal tokens</p>
      ) : (
        <table class="list">
          <caption class="hidden">Personal tokens of {row.username}</caption>
          <thead>
            <tr>
              <th scope="col">Description</th>
              <th scope="col">Created</th>
              <th scope="col">Expires</th>
              <th scope="col">Last used</th>
              <th scope="col" class="tight">
                <span class="hidden">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr>
                <td data-label="Description">
                  {token.description ?? `Token ${token.id}`} <Access token={token} />
                </td>
                <td data-label="Created">
                  <Time at={token.created_at} />
                </td>
                <td data-label="Expires">{token.expires_at ?? "never"}</td>
                <td data-label="Last used">
                  {token.last_used_at ?? "never"}{" "}
                  {token.last_used_from && <span class="mono">{token.last_used_from}</span>}
                </td>
                <td data-label="Revoke" class="tight">
                  <RevokeForm token={token} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p>
        <a href={`${TOKENS}?owner=${encodeURIComponent(row.username)}`}>All tokens of this user</a>
      </p>
    </section>
  );
}

function Sessions({ sessions }: Props) {
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

function Entries({ row, entries }: Props) {
  return (
    <section aria-labelledby="entries-title">
      <h2 id="entries-title">Audit log</h2>
      {entries.length === 0 && <p class="muted">No entries</p>}
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
