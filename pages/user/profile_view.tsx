import type { Overview } from "../../src/user/passkeys/passkeys.ts";
import { type RightInPlace, rightInWords } from "../../src/user/rights/place.ts";
import type { Session } from "../../src/user/sessions.ts";
import type { Token } from "../../src/user/token.ts";
import type { User } from "../../src/user/user.ts";
import { CheckBox, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Time } from "../records/time.tsx";
import { Passkeys } from "./passkeys_view.tsx";
import { type Confirming, NewToken, TokenForm, TokenTable } from "./token_parts.tsx";

export interface ProfileProps extends Confirming {
  user: User;
  version: number;
  tokens: Token[];
  sessions: Session[];
  /** In one place each. */
  rights: RightInPlace[];
  /** Their names. */
  admins: string[];
  changing: Filled;
  password: Filled;
  making: Filled;
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
            {account.provider && <span class="muted">logs in by {account.provider}</span>}
          </p>
        </div>
      </header>
      {account.made && <NewToken token={account.made} />}
      <div class="cards">
        <Tokens {...account} />
      </div>
      <div class="cards flow">
        <MakeToken {...account} />
        <div>
          <Rights {...account} />
          <Details {...account} />
          {!account.provider && <Password {...account} />}
        </div>
      </div>
      <div class="cards">
        {account.passkeys && <Passkeys {...account.passkeys} />}
        <Sessions {...account} />
      </div>
    </>
  );
}

function Tokens({ tokens }: ProfileProps) {
  return (
    <section class="card wide" aria-labelledby="tokens-title">
      <h2 id="tokens-title">Tokens</h2>
      {tokens.length === 0 ? (
        <p class="muted">
          No tokens yet. Programs use the API with a token: <a href="#make-title">make one</a>
        </p>
      ) : (
        <TokenTable
          tokens={tokens}
          caption="Personal tokens"
          revoke={{ action: "/user/tokens/revoke" }}
          rotate={({ id }) => `/user/tokens/rotate/${id}`}
        />
      )}
    </section>
  );
}

function MakeToken({ making, mustConfirm, provider }: ProfileProps) {
  return (
    <section class="card" aria-labelledby="make-title">
      <h2 id="make-title">New token</h2>
      <TokenForm
        filled={making}
        action="/user/profile"
        fields={{ action: "token" }}
        mustConfirm={mustConfirm}
        provider={provider}
      />
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
        <Field filled={changing} name="display_name" autocomplete="name" />
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

function Rights({ user, rights, admins }: ProfileProps) {
  const held = [
    ...(user.groups ?? []).map((group) => `${group} everywhere`),
    ...rights.map(rightInWords),
  ];
  return (
    <section class="card" aria-labelledby="rights-title">
      <h2 id="rights-title">Your rights</h2>
      <p>
        {held.length === 0 && "You can read everything that is not sensitive, and change nothing."}
        {held.map((right) => (
          <>
            <span class="tag">{right}</span>{" "}
          </>
        ))}
      </p>
      <p class="muted">
        Admins give rights: {admins.join(", ")}. <a href={RIGHTS_HELP}>What they allow</a>
      </p>
    </section>
  );
}

const RIGHTS_HELP = "/help/guide#who-may-edit-what-missing-buttons-and-your-rights";
const PASSWORD_LABELS = { password: "New password", repeated_password: "New password again" };

function Password({ password: given }: ProfileProps) {
  const password = { ...given, labels: PASSWORD_LABELS };
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
          type="password"
          autocomplete="new-password"
          hint="At least 12 characters"
        />
        <Field
          filled={password}
          name="repeated_password"
          form="pw"
          type="password"
          autocomplete="new-password"
        />
        <CheckBox
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
