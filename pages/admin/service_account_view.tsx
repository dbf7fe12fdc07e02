import type { HeldToken } from "../../src/user/held_token.ts";
import type { Explanation } from "../../src/user/rights/explanation.ts";
import { newRight } from "../../src/user/rights/rights.ts";
import { type ServiceAccount, serviceAccount } from "../../src/user/service_accounts.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { Stamps } from "../parts/facts.tsx";
import { blank, type Filled } from "../parts/forms.tsx";
import { Facts } from "../parts/resource_fields.tsx";
import type { RecordParts } from "../resource/view.tsx";
import { type Confirming, NewToken, TokenForm, TokenTable } from "../user/token_parts.tsx";
import { AUDIT, SERVICE_ACCOUNTS } from "./paths.ts";
import { RightsSection } from "./user_rights.tsx";
import { accountValues, UserState } from "./user_view.tsx";

export const DEACTIVATE = {
  title: "Deactivate this service account?",
  detail: "Its tokens end immediately, and none of them comes back.",
  verb: "Deactivate",
};

interface ServiceAccountProps {
  row: ServiceAccount;
  tokens: HeldToken[];
  making: Filled;
  /** A token that was made or rotated just now: shown this once. */
  made: string | undefined;
  confirming: Confirming;
  may: Explanation | undefined;
}

export function serviceAccountParts({
  row,
  tokens,
  making,
  made,
  confirming,
  may,
}: ServiceAccountProps): RecordParts {
  const { username, display_name, state } = row;
  const path = encodeURIComponent(username);
  const isActive = state === "active";
  return {
    heading: display_name ?? username,
    lead: (
      <>
        {username} <UserState state={state} />
      </>
    ),
    mayEdit: isActive,
    facts: (
      <>
        <Facts
          of={serviceAccount}
          row={row}
          own={accountValues(row)}
          elsewhere={["display_name"]}
        />
        <Stamps of={row} />
      </>
    ),
    danger: (
      <>
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
            {...(isActive && confirmAttributes(DEACTIVATE))}
          >
            <input type="hidden" name="username" value={username} />
            <button type="submit" class={isActive ? "quiet bad" : ""}>
              {isActive ? "Deactivate" : "Activate"}
            </button>
          </form>
        </div>
      </>
    ),
    contents: (
      <>
        {made && <NewToken token={made} />}
        <section aria-labelledby="tokens-title">
          <h2 id="tokens-title">Tokens</h2>
          {tokens.length === 0 ? (
            <p class="muted">
              No tokens yet. {isActive && <a href="#make-title">Make the first one</a>}
            </p>
          ) : (
            <TokenTable
              tokens={tokens}
              caption={`Tokens of ${username}`}
              revoke={{ action: `${SERVICE_ACCOUNTS}/revoke`, fields: { username } }}
              rotate={({ id }) => `${SERVICE_ACCOUNTS}/rotate/${path}/${id}`}
            />
          )}
        </section>
        {isActive && (
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
      </>
    ),
  };
}
