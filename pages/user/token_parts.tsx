// The parts of pages that show and make tokens: on the profile, and of service accounts.

import { TOKEN_LIMITS } from "../../src/auth/token_limits.ts";
import type { HeldToken } from "../../src/user/held_token.ts";
import { DEFAULT_OVERLAP, type Token } from "../../src/user/token.ts";
import { confirmedToken } from "../../src/user/tokens.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { blank, CheckBox, CheckBoxes, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Snippet } from "../parts/snippet.tsx";
import { Time } from "../records/time.tsx";

type ListedToken = Token & Partial<Pick<HeldToken, "last_used_from">>;

export function nameOf({ id, description }: Pick<Token, "id" | "description">): string {
  return description ?? `Token ${id}`;
}

/** What the token may, if it may less than its user. */
export function Access({
  token: { read_only, limits, networks, scopes },
}: {
  token: Pick<Token, "read_only" | "limits" | "networks" | "scopes">;
}) {
  return (
    // One box: on narrow screens a cell is a row of its parts.
    <div>
      {read_only && <span class="tag">read only</span>}{" "}
      {limits.map((limit) => (
        <>
          <span class="tag">{limit}</span>{" "}
        </>
      ))}
      {scopes.length > 0 && <span class="muted">in {scopes.join(", ")} </span>}
      {networks.length > 0 && <span class="muted">from</span>}
      {networks.map((network) => (
        <>
          {" "}
          <span class="mono">{network}</span>
        </>
      ))}
    </div>
  );
}

/** Whether the token may only read, by itself or by its limits. */
export function isReadOnlyToken({
  read_only,
  limits,
}: Pick<Token, "read_only" | "limits">): boolean {
  return read_only || (limits.length > 0 && limits.every((limit) => limit.endsWith(":read")));
}

interface TokenTableProps {
  tokens: ListedToken[];
  caption: string;
  /** Where the form that revokes a token is sent to, and its further fields. */
  revoke: { action: string; fields?: Record<string, string> };
  rotate: (token: ListedToken) => string;
}

export function TokenTable({ tokens, caption, revoke, rotate }: TokenTableProps) {
  return (
    <PlainTable
      caption={caption}
      rows={tokens}
      idOf={({ id }) => `row-${id}`}
      columns={[
        {
          label: "Description",
          cell: (token) => (
            <>
              <div>{nameOf(token)}</div>
              {token.overlap_until && (
                <div class="muted">Former secret valid until {token.overlap_until}</div>
              )}
            </>
          ),
        },
        {
          label: "Limited to",
          cell: (token) =>
            isLimited(token) ? <Access token={token} /> : <span class="muted">not limited</span>,
        },
        { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
        {
          label: "Last used",
          cell: ({ last_used_at, last_used_from }) => (
            <div>
              {last_used_at ?? "never"}{" "}
              {last_used_from && <span class="mono muted">{last_used_from}</span>}
            </div>
          ),
        },
        {
          label: "Expires",
          cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "never"),
        },
        {
          label: "Actions",
          class: "tight",
          cell: (token) => <TokenActions token={token} revoke={revoke} rotate={rotate(token)} />,
        },
      ]}
    />
  );
}

function isLimited({ read_only, limits, networks, scopes }: ListedToken): boolean {
  return read_only || limits.length + networks.length + scopes.length > 0;
}

function TokenActions({
  token,
  revoke,
  rotate,
}: {
  token: ListedToken;
  revoke: TokenTableProps["revoke"];
  rotate: string;
}) {
  const name = nameOf(token);
  const question = {
    title: "Revoke this token?",
    detail: `Programs that use "${name}" lose access immediately.`,
    verb: "Revoke",
  };
  return (
    <>
      <a class="button quiet" href={rotate} aria-label={`Rotate ${name}`}>
        <Icon name="key" /> Rotate
      </a>
      <form method="post" action={revoke.action} {...confirmAttributes(question)}>
        <input type="hidden" name="token_id" value={token.id} />
        {Object.entries(revoke.fields ?? {}).map(([field, value]) => (
          <input type="hidden" name={field} value={value} />
        ))}
        <button type="submit" class="quiet bad" aria-label={`Revoke ${name}`}>
          <Icon name="trash" /> Revoke
        </button>
      </form>
    </>
  );
}

/** A token that was made or rotated just now: shown this once. */
export function NewToken({ token }: { token: string }) {
  const example = `curl -H "Authorization: Bearer ${token}" "$URL/api/v1/user/tokens/self"`;
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

export interface Confirming {
  /** The session is too old to get a secret without the password. */
  mustConfirm: boolean;
  /** The provider by which the user logs in, instead of a password. */
  provider: string | undefined;
}

interface TokenFormProps extends Confirming {
  filled: Filled;
  action: string;
  fields: Record<string, string>;
}

const LABELS = {
  limits: "Limit to",
  scopes: "Write only in scopes",
  networks: "Use from",
  overlap_minutes: "Overlap in minutes",
};

const YEAR = 365 * 86_400_000;

/** A secret that was forgotten ends after a year, unless its maker wants another day. */
export function blankToken(): Filled {
  const expires_at = new Date(Date.now() + YEAR).toISOString().slice(0, 10);
  return blank(confirmedToken, { expires_at });
}

/** Makes a token. */
export function TokenForm({ filled: given, action, fields, ...confirming }: TokenFormProps) {
  const filled = { ...given, labels: LABELS };
  return (
    <form class="sheet" method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Summary filled={filled} id="token" />
      <Field filled={filled} name="description" form="token" hint="What it is for" />
      <Field
        filled={filled}
        name="expires_at"
        form="token"
        type="date"
        hint="Clear it for a token that does not expire"
      />
      <CheckBox filled={filled} name="read_only" form="token" label="Read only" />
      <CheckBoxes
        filled={filled}
        name="limits"
        form="token"
        legend={LABELS.limits}
        options={TOKEN_LIMITS}
        hint="Default: everything that its user may do"
      />
      <Field
        filled={filled}
        name="scopes"
        form="token"
        rows={2}
        hint="Names, one per line; it can then change only hosts and networks in these scopes. Default: everywhere"
      />
      <Field
        filled={filled}
        name="networks"
        form="token"
        rows={2}
        hint="Addresses or blocks such as 10.0.0.0/24, one per line. Default: everywhere"
      />
      <ConfirmPassword filled={filled} {...confirming} />
      <div class="buttons">
        <button type="submit" class="primary">
          <Icon name="key" /> Generate token
        </button>
      </div>
    </form>
  );
}

export function ConfirmPassword({
  filled,
  mustConfirm,
  provider,
}: Confirming & { filled: Filled }) {
  if (!mustConfirm) return null;
  if (provider) {
    return (
      <p class="note">
        You logged in more than 15 minutes ago: log out and in again to get a token.
      </p>
    );
  }
  return (
    <Field
      filled={filled}
      name="current_password"
      form="token"
      type="password"
      autocomplete="current-password"
      hint="Required as you logged in more than 15 minutes ago"
      more={{ required: "" }}
    />
  );
}

interface RotateProps extends Confirming {
  token: Pick<Token, "id" | "description">;
  filled: Filled;
  action: string;
  back: string;
}

export function RotatePage({ token, filled: given, action, back, ...confirming }: RotateProps) {
  const filled = { ...given, labels: LABELS };
  return (
    <>
      <PageHead
        title={`Rotate ${nameOf(token)}`}
        lead="It gets a new secret, which is shown once; its limits and its end stay"
      />
      <form class="sheet" method="post" action={action}>
        <Summary filled={filled} id="token" />
        <Field
          filled={filled}
          name="overlap_minutes"
          form="token"
          hint={`The former secret stays valid that long: ${DEFAULT_OVERLAP} is a day, 0 ends it at once. An older one ends now`}
        />
        <ConfirmPassword filled={filled} {...confirming} />
        <div class="buttons">
          <button type="submit" class="primary">
            <Icon name="key" /> Rotate
          </button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}
