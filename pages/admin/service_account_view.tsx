import type { HeldToken } from "../../src/user/held_token.ts";
import type { Explanation } from "../../src/user/rights/explanation.ts";
import { newRight } from "../../src/user/rights/rights.ts";
import { type ServiceAccount, serviceAccount } from "../../src/user/service_accounts.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { Conflict, type EditConflict } from "../parts/conflict.tsx";
import { Stamps } from "../parts/facts.tsx";
import { blank, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Facts } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { SaveButtons } from "../resource/form.tsx";
import { type Confirming, NewToken, TokenForm, TokenTable } from "../user/token_parts.tsx";
import { AUDIT, SERVICE_ACCOUNTS } from "./paths.ts";
import { GroupBoxes } from "./user_form.tsx";
import { RightsSection } from "./user_rights.tsx";
import { Groups, UserState } from "./users_list.tsx";

export const DEACTIVATE = {
  title: "Deactivate this service account?",
  detail: "Its tokens end immediately, and none of them comes back.",
  verb: "Deactivate",
};

interface Props {
  row: ServiceAccount;
  tokens: HeldToken[];
  making: Filled;
  /** A token that was made or rotated just now: shown this once. */
  made: string | undefined;
  confirming: Confirming;
  may: Explanation | undefined;
}

export function ServiceAccountPage({ row, tokens, making, made, confirming, may }: Props) {
  const { username, state } = row;
  const path = encodeURIComponent(username);
  return (
    <>
      <header class="head">
        <div>
          <h1>{row.display_name ?? username}</h1>
          <p class="lead">
            {username} <UserState state={state} />
          </p>
        </div>
        <div class="actions">
          {state === "active" && (
            <a class="button primary" href={`${SERVICE_ACCOUNTS}/edit/${path}`} data-key="e">
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      {made && <NewToken token={made} />}
      <div class="split">
        <div class="stack">
          <section aria-labelledby="tokens-title">
            <h2 id="tokens-title">Tokens</h2>
            {tokens.length === 0 ? (
              <p class="muted">No tokens</p>
            ) : (
              <TokenTable
                tokens={tokens}
                caption={`Tokens of ${username}`}
                revoke={{ action: `${SERVICE_ACCOUNTS}/revoke`, fields: { username } }}
                rotate={({ id }) => `${SERVICE_ACCOUNTS}/rotate/${path}/${id}`}
              />
            )}
          </section>
          {state === "active" && (
            <section aria-labelledby="make-title">
              <h2 id="make-title">New token</h2>
              <TokenForm
                filled={making}
                action={`${SERVICE_ACCOUNTS}/token`}
                fields={{ username }}
                {...confirming}
              />
            </section>
          )}
          {may && <RightsSection of={may} user={username} filled={blank(newRight)} />}
        </div>
        <aside class="panel first" aria-label="Facts">
          <dl class="facts">
            <Facts
              of={serviceAccount}
              row={row}
              own={{
                groups: <Groups groups={row.groups ?? []} />,
                state: <UserState state={state} />,
                last_seen: row.last_seen ? <Time at={row.last_seen} /> : "never",
              }}
              elsewhere={["display_name"]}
            />
            <Stamps of={{ user: row.user, updated_at: row.updated_at ?? "" }} />
          </dl>
          <p>
            <a href={`${AUDIT}?username=${path}`}>What it was refused</a>
          </p>
          <p>
            <a href={`/changes?${new URLSearchParams({ user: username })}`}>What it changed</a>
          </p>
          <div class="danger">
            <form
              method="post"
              action={`${SERVICE_ACCOUNTS}/action`}
              {...(state === "active" && confirmAttributes(DEACTIVATE))}
            >
              <input type="hidden" name="username" value={username} />
              <button type="submit" class={state === "active" ? "quiet bad" : ""}>
                {state === "active" ? "Deactivate" : "Activate"}
              </button>
            </form>
          </div>
        </aside>
      </div>
    </>
  );
}

interface FormProps {
  title: string;
  filled: Filled;
  action: string;
  back: string;
  /** Not of a new account. */
  edited?: { version: number; conflict: EditConflict | undefined };
}

export function ServiceAccountForm({ title, filled, action, back, edited }: FormProps) {
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
      </header>
      <form class="sheet" method="post" action={action} data-guard>
        {edited && <input type="hidden" name="version" value={edited.version} />}
        {edited?.conflict && (
          <Conflict noun="service account" shape={filled.shape} {...edited.conflict} />
        )}
        <Summary filled={filled} />
        {!edited && (
          <Field
            filled={filled}
            name="username"
            hint="Stored in lower case; it cannot be changed later"
            autofocus
          />
        )}
        <Field
          filled={filled}
          name="display_name"
          hint="What the program does"
          autofocus={edited !== undefined}
        />
        <GroupBoxes filled={filled} />
        <SaveButtons isNew={!edited} back={back} />
      </form>
    </>
  );
}
