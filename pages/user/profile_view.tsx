import type { Overview } from "../../src/user/passkeys/passkeys.ts";
import type { Session } from "../../src/user/sessions.ts";
import type { Token } from "../../src/user/token.ts";
import type { User } from "../../src/user/user.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { Check, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Snippet } from "../parts/snippet.tsx";
import { Time } from "../records/time.tsx";
import { Passkeys } from "./passkeys_view.tsx";

export interface ProfileProps {
  user: User;
  version: number;
  tokens: Token[];
  sessions: Session[];
  changing: Filled;
  password: Filled;
  making: Filled;
  /** The session is too old to make a token without the password. */
  mustConfirm: boolean;
  /** The provider by which the user logs in, instead of a password. */
  provider: string | undefined;
  /** Of an account with a password here. */
  passkeys: Overview | undefined;
  /** A token that was made just now: shown this once. */
  made?: string;
}

export function Profile(account: ProfileProps) {
  const { user } = account;
  return (
    <>
      <header class="head">
        <div>
          <h1>{user.display_name ?? user.username}</h1>
          <p class="lead">
            {user.username}{" "}
            {user.groups?.map((group) => (
              <span class="tag">{group}</span>
            ))}{" "}
            {account.provider && <span class="muted">logs in by {account.provider}</span>}
          </p>
        </div>
      </header>
      {account.made && <NewToken token={account.made} />}
      <div class="cards">
        <Tokens {...account} />
        <MakeToken {...account} />
        <Details {...account} />
        {!account.provider && <Password {...account} />}
        {account.passkeys && <Passkeys {...account.passkeys} />}
        <Sessions {...account} />
      </div>
    </>
  );
}

function NewToken({ token }: { token: string }) {
  const example = `curl -H "Authorization: Bearer ${token}" "$URL/api/v1/user/profile"`;
  return (
    <section class="note good" role="status" id="new-token">
      <h2>New token</h2>
      <p>Copy it now: it is shown only once.</p>
      <p class="secret">
        <code>{token}</code>
        <button type="button" class="quiet js-only" data-copy={token}>
          <Icon name="copy" /> Copy
        </button>
      </p>
      <Snippet text={example} />
    </section>
  );
}

function Tokens({ tokens }: ProfileProps) {
  return (
    <section class="card wide" aria-labelledby="tokens-title">
      <h2 id="tokens-title">Tokens</h2>
      {tokens.length === 0 ? (
        <p class="muted">No tokens yet. Programs use the API with a token.</p>
      ) : (
        <table class="list">
          <caption class="hidden">Personal tokens</caption>
          <thead>
            <tr>
              <th scope="col">Description</th>
              <th scope="col">Created</th>
              <th scope="col">Last used</th>
              <th scope="col">Expires</th>
              <th scope="col" class="tight">
                <span class="hidden">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <TokenRow token={token} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function TokenRow({ token }: { token: Token }) {
  const name = token.description ?? `Token ${token.id}`;
  const question = {
    title: "Revoke this token?",
    detail: `Programs that use “${name}” lose access immediately.`,
    verb: "Revoke",
  };
  return (
    <tr id={`row-${token.id}`}>
      <td data-label="Description">
        {name} {token.read_only && <span class="tag">read only</span>}
      </td>
      <td data-label="Created">
        <Time at={token.created_at} />
      </td>
      <td data-label="Last used">{token.last_used_at ?? "never"}</td>
      <td data-label="Expires">{token.expires_at ?? "never"}</td>
      <td data-label="Revoke" class="tight">
        <form method="post" action="/user/tokens/revoke" {...confirmAttributes(question)}>
          <input type="hidden" name="token_id" value={token.id} />
          <button type="submit" class="quiet bad" aria-label={`Revoke ${name}`}>
            <Icon name="trash" /> Revoke
          </button>
        </form>
      </td>
    </tr>
  );
}

function MakeToken({ making, mustConfirm, provider }: ProfileProps) {
  return (
    <section class="card" aria-labelledby="make-title">
      <h2 id="make-title">New token</h2>
      <form class="sheet" method="post" action="/user/profile">
        <input type="hidden" name="action" value="token" />
        <Summary filled={making} id="token" />
        <Field filled={making} name="description" form="token" hint="What it is for" />
        <Field
          filled={making}
          name="expires_at"
          form="token"
          type="date"
          label="Expires"
          hint="Leave blank for no expiry"
        />
        <Check filled={making} name="read_only" form="token" label="Read only" />
        {mustConfirm && provider && (
          <p class="note">
            You logged in more than 15 minutes ago: log out and in again to generate a token.
          </p>
        )}
        {mustConfirm && !provider && (
          <Field
            filled={making}
            name="current_password"
            form="token"
            type="password"
            autocomplete="current-password"
            hint="Required as you logged in more than 15 minutes ago"
            more={{ required: "" }}
          />
        )}
        <div class="buttons">
          <button type="submit" class="primary">
            <Icon name="key" /> Generate token
          </button>
        </div>
      </form>
    </section>
  );
}

function Details({ changing, version }: ProfileProps) {
  return (
    <section class="card" aria-labelledby="details-title">
      <h2 id="details-title">Details</h2>
      <form class="sheet" method="post" action="/user/profile" data-guard>
        <input type="hidden" name="action" value="profile" />
        <input type="hidden" name="version" value={version} />
        <Summary filled={changing} />
        <Field filled={changing} name="display_name" label="Name" autocomplete="name" />
        <Field filled={changing} name="email" type="email" autocomplete="email" />
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </section>
  );
}

function Password({ password }: ProfileProps) {
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <form class="sheet" method="post" action="/user/profile">
        <input type="hidden" name="action" value="password" />
        <Summary filled={password} id="pw" />
        <Field
          filled={password}
          name="current_password"
          form="pw"
          type="password"
          autocomplete="current-password"
        />
        <Field
          filled={password}
          name="password"
          form="pw"
          label="New password"
          type="password"
          autocomplete="new-password"
          hint="At least 12 characters"
        />
        <Field
          filled={password}
          name="repeated_password"
          form="pw"
          label="New password again"
          type="password"
          autocomplete="new-password"
        />
        <Check
          filled={password}
          name="end_tokens"
          form="pw"
          label="Revoke my personal tokens too"
        />
        <div class="buttons">
          <button type="submit" class="primary">
            Change password
          </button>
        </div>
      </form>
    </section>
  );
}

function Sessions({ sessions }: ProfileProps) {
  return (
    <section class="card wide" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <ul class="plain">
        {sessions.map((session) => (
          <li>
            <b class="mono">{session.address}</b> logged in <Time at={session.created_at} />
            {session.is_this && <span class="tag good">this browser</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
