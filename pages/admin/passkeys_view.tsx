// What admins see of passkeys.
import { Type } from "@sinclair/typebox";
import { GROUPS, type UserGroup } from "../../src/auth/auth.ts";
import { closed } from "../../src/input/shape.ts";
import type { Account } from "../../src/user/account.ts";
import type { Passkey } from "../../src/user/passkeys/passkeys.ts";
import { Ask } from "../help/ask.tsx";
import { confirmAttributes } from "../layout/confirm.tsx";
import { blank, CheckBox } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PasskeyTable } from "../user/passkeys_view.tsx";
import { SIGN_IN, USERS } from "./paths.ts";

const groupBoxes = closed(
  Object.fromEntries(GROUPS.map((group) => [group, Type.Optional(Type.Boolean())])),
);

/** The section of the page about the sign-in. */
export function PasskeyRequirement({ groups }: { groups: readonly UserGroup[] }) {
  const filled = blank(groupBoxes, Object.fromEntries(groups.map((group) => [group, "true"])));
  return (
    <section aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">
        Passkeys <Ask about="Passkeys" />
      </h2>
      <form class="sheet" method="post" action={`${SIGN_IN}/passkeys`}>
        <p>
          Members of these groups who log in with a Cadastre password also need a passkey. Those who
          have none set it up at their next login. This does not apply to break-glass accounts.
        </p>
        {GROUPS.map((group) => (
          <CheckBox filled={filled} name={group} label={group} />
        ))}
        <div class="buttons">
          <button type="submit">Save</button>
        </div>
      </form>
    </section>
  );
}

interface UserPasskeysProps {
  row: Account;
  held: readonly Passkey[];
}

/** The section of the page of a user. */
export function UserPasskeys({ row: { username }, held }: UserPasskeysProps) {
  if (held.length === 0) return null;
  return (
    <section aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">
        Passkeys <Ask about="Passkeys" />
      </h2>
      <PasskeyTable
        passkeys={held}
        caption={`Passkeys of ${username}`}
        actions={(passkey) => <RemoveForm username={username} passkey={passkey} />}
      />
    </section>
  );
}

function RemoveForm({ username, passkey }: { username: string; passkey: Passkey }) {
  return (
    <form
      method="post"
      action={`${USERS}/passkey`}
      {...confirmAttributes(questionFor(username, passkey))}
    >
      <input type="hidden" name="username" value={username} />
      <button
        type="submit"
        class="quiet bad"
        name="passkey_id"
        value={passkey.id}
        aria-label={`Remove ${passkey.name}`}
      >
        <Icon name="trash" /> Remove
      </button>
    </form>
  );
}

/** What has to be confirmed. */
export function questionFor(username: string, { name }: Passkey) {
  return {
    title: `Remove ${name}?`,
    detail: `${username} cannot log in with it any more, and is logged out everywhere.`,
    verb: "Remove",
  };
}
