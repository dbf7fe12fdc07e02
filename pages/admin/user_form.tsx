// The forms of a user.
import type { UserGroup } from "../../src/auth/auth.ts";
import { PASSWORD_RULE } from "../../src/user/passwords.ts";
import { CheckBox, CheckBoxes, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";

/** What each group lets its members do. */
export const MEANINGS: Record<UserGroup, string> = {
  admin: "everything, including users",
  auditor: "read everything, including sensitive records and the audit log",
  inventory: "create and change items and attributes",
  network: "create and change hosts, interfaces and groups",
};

/** A new user also has a name and a password. */
export function UserFields({ filled, isNew }: { filled: Filled; isNew: boolean }) {
  return (
    <>
      {isNew && <UsernameField filled={filled} />}
      <Field filled={filled} name="display_name" autofocus={!isNew} />
      <Field filled={filled} name="email" type="email" />
      <GroupBoxes filled={filled} />
      {isNew && (
        <Field
          filled={filled}
          name="password"
          type="password"
          autocomplete="new-password"
          hint={PASSWORD_RULE}
        >
          <Reveal of="field-password" />
        </Field>
      )}
    </>
  );
}

export function UsernameField({ filled }: { filled: Filled }) {
  return (
    <Field
      filled={filled}
      name="username"
      hint="Stored in lower case; it cannot be changed later"
      autofocus
    />
  );
}

export function GroupBoxes({ filled }: { filled: Filled }) {
  return (
    <CheckBoxes
      filled={filled}
      name="groups"
      legend="User groups"
      options={MEANINGS}
      hint="Users in no group can read everything that is not sensitive. You give a right in one place, such as one scope, on the page of the saved user"
    />
  );
}

/** Sets a new password; it ends the sessions of the user. */
export function PasswordForm({ filled: given, action }: { filled: Filled; action: string }) {
  const filled = { ...given, labels: { password: "New password" } };
  return (
    <form class="sheet" method="post" action={action}>
      <Summary filled={filled} id="pw" />
      <Field
        filled={filled}
        name="password"
        form="pw"
        type="password"
        autocomplete="new-password"
        hint={`${PASSWORD_RULE}. This ends all sessions`}
      >
        <Reveal of="pw-password" />
      </Field>
      <CheckBox
        filled={filled}
        name="end_tokens"
        form="pw"
        label="Revoke the personal tokens too"
      />
      <div class="buttons">
        <button type="submit">Set the password</button>
      </div>
    </form>
  );
}

function Reveal({ of }: { of: string }) {
  return (
    <button type="button" class="quiet js-only" data-reveal={of}>
      <Icon name="eye" /> Show
    </button>
  );
}
