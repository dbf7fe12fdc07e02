// The forms of a user.
import type { UserGroup } from "../../src/auth/auth.ts";
import { PASSWORD_RULE } from "../../src/user/passwords.ts";
import { Conflict, type EditConflict } from "../parts/conflict.tsx";
import { CheckBox, CheckBoxes, Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { SaveButtons } from "../resource/form.tsx";

/** What each group lets its members do. */
export const MEANINGS: Record<UserGroup, string> = {
  admin: "everything, including users",
  auditor: "read everything, including sensitive records and the audit log",
  inventory: "create and change items and attributes",
  network: "create and change hosts, interfaces and groups",
};

interface FormProps {
  filled: Filled;
  action: string;
  back: string;
}

export function NewUserForm({ filled, action, back }: FormProps) {
  return (
    <form class="sheet" method="post" action={action} data-guard>
      <Summary filled={filled} />
      <Field
        filled={filled}
        name="username"
        hint="Stored in lower case; it cannot be changed later"
        autofocus
      />
      <Details filled={filled} />
      <Field
        filled={filled}
        name="password"
        type="password"
        autocomplete="new-password"
        hint={PASSWORD_RULE}
      >
        <Reveal of="field-password" />
      </Field>
      <SaveButtons isNew back={back} />
    </form>
  );
}

interface EditProps extends FormProps {
  version: number;
  conflict?: EditConflict | undefined;
}

export function EditUserForm({ filled, action, back, version, conflict }: EditProps) {
  return (
    <form class="sheet" method="post" action={action} data-guard>
      <input type="hidden" name="version" value={version} />
      {conflict && <Conflict noun="user" shape={filled.shape} {...conflict} />}
      <Summary filled={filled} />
      <Details filled={filled} autofocus />
      <SaveButtons isNew={false} back={back} />
    </form>
  );
}

function Details({ filled, autofocus }: { filled: Filled; autofocus?: boolean }) {
  return (
    <>
      <Field filled={filled} name="display_name" autofocus={autofocus} />
      <Field filled={filled} name="email" type="email" />
      <GroupBoxes filled={filled} />
    </>
  );
}

export function GroupBoxes({ filled }: { filled: Filled }) {
  return (
    <CheckBoxes
      filled={filled}
      name="groups"
      legend="Groups"
      options={MEANINGS}
      hint="Without a group: read everything that is not sensitive"
    />
  );
}

/** Sets a new password; it ends the sessions of the user. */
export function PasswordForm({ filled: given, action }: Pick<FormProps, "filled" | "action">) {
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
