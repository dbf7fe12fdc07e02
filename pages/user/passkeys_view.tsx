// What a user sees of their passkeys.

import type { ComponentChildren } from "preact";
import type { Overview, Passkey } from "../../src/user/passkeys/passkeys.ts";
import { Field, type Filled } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Time } from "../records/time.tsx";
import { PasskeyForm, PasskeyName, Problem } from "./passkeys_forms.tsx";
import { PASSKEYS, PROFILE } from "./paths.ts";

/** The section of the profile page. */
export function Passkeys({ passkeys, codes, isRequired }: Overview) {
  return (
    <section class="card wide" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Passkeys</h2>
      {passkeys.length > 0 && (
        <PasskeyTable passkeys={passkeys} caption="Passkeys" actions={OwnActions} />
      )}
      <div class="sheet">
        {passkeys.length > 0 ? (
          <p>
            {codes === 1 ? "1 recovery code is" : `${codes} recovery codes are`} left.{" "}
            <a href={`${PASSKEYS}/codes`}>Generate new codes</a>
          </p>
        ) : (
          <p class="muted">
            No passkeys yet. With one, you log in by your device or a security key, and nobody by
            your password alone.
          </p>
        )}
        {isRequired && <p class="muted">Your group needs a passkey.</p>}
        <div class="buttons">
          <a class="button" href={`${PASSKEYS}/add`}>
            <Icon name="plus" /> Add a passkey
          </a>
        </div>
      </div>
    </section>
  );
}

interface TableProps {
  passkeys: readonly Passkey[];
  caption: string;
  /** The buttons and links that change one. */
  actions(passkey: Passkey): ComponentChildren;
}

export function PasskeyTable({ passkeys, caption, actions }: TableProps) {
  return (
    <PlainTable
      caption={caption}
      rows={passkeys}
      columns={[
        { label: "Name", cell: ({ name }) => name },
        { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
        {
          label: "Last used",
          cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : "never"),
        },
        { label: "Actions", class: "tight", cell: actions },
      ]}
    />
  );
}

function OwnActions({ id, name }: Passkey) {
  return (
    <>
      <a class="button quiet" href={`${PASSKEYS}/rename/${id}`} aria-label={`Rename ${name}`}>
        <Icon name="pencil" /> Rename
      </a>
      <a class="button quiet bad" href={`${PASSKEYS}/remove/${id}`} aria-label={`Remove ${name}`}>
        <Icon name="trash" /> Remove
      </a>
    </>
  );
}

function CurrentPassword({ filled }: { filled: Filled }) {
  return (
    <Field
      filled={filled}
      name="current_password"
      type="password"
      autocomplete="current-password"
      hint="Required as you logged in more than 15 minutes ago"
      more={{ required: "" }}
    />
  );
}

function Head({ title }: { title: string }) {
  return (
    <header class="head">
      <h1>{title}</h1>
    </header>
  );
}

function Cancel() {
  return (
    <a class="button quiet" href={PROFILE}>
      Cancel
    </a>
  );
}

interface FormProps {
  filled: Filled;
  /** The session is too old to do this without the password. */
  mustConfirm: boolean;
}

export function AddPage({ filled, mustConfirm, isPossible }: FormProps & { isPossible: boolean }) {
  return (
    <>
      <Head title="Add a passkey" />
      <Problem filled={filled} field="credential" />
      <Problem filled={filled} field="passkey" />
      {isPossible ? (
        <PasskeyForm action={`${PASSKEYS}/add`} options={`${PASSKEYS}/options`}>
          <PasskeyName filled={filled} />
          {mustConfirm && <CurrentPassword filled={filled} />}
          <div class="buttons">
            <button type="submit" class="primary">
              <Icon name="key" /> Add
            </button>
            <Cancel />
          </div>
        </PasskeyForm>
      ) : (
        <p class="note">
          Passkeys do not work at this address: an admin has to set PUBLIC_URL to an https address.
        </p>
      )}
    </>
  );
}

export function RenamePage({ passkey, filled, mustConfirm }: FormProps & { passkey: Passkey }) {
  return (
    <>
      <Head title={`Rename ${passkey.name}`} />
      <Problem filled={filled} field="passkey" />
      <form class="sheet" method="post" action={`${PASSKEYS}/rename/${passkey.id}`}>
        <PasskeyName filled={filled} />
        {mustConfirm && <CurrentPassword filled={filled} />}
        <div class="buttons">
          <button type="submit" class="primary">
            Rename
          </button>
          <Cancel />
        </div>
      </form>
    </>
  );
}

interface RemoveProps extends FormProps {
  passkey: Passkey;
  isLast: boolean;
}

export function RemovePage({ passkey, isLast, filled, mustConfirm }: RemoveProps) {
  return (
    <>
      <Head title={`Remove ${passkey.name}?`} />
      <Problem filled={filled} field="passkey" />
      <form class="sheet" method="post" action={`${PASSKEYS}/remove/${passkey.id}`}>
        <p>
          You cannot log in with it any more, and all your other sessions end.
          {isLast && " It is your last one: then your password alone is enough to log in."}
        </p>
        {mustConfirm && <CurrentPassword filled={filled} />}
        <div class="buttons">
          <button type="submit" class="primary bad">
            <Icon name="trash" /> Remove
          </button>
          <Cancel />
        </div>
      </form>
    </>
  );
}

export function CodesPage({ left, filled, mustConfirm }: FormProps & { left: number }) {
  return (
    <>
      <Head title="Recovery codes" />
      <Problem filled={filled} field="passkey" />
      <form class="sheet" method="post" action={`${PASSKEYS}/codes`}>
        <p>
          {left} of your codes {left === 1 ? "is" : "are"} left. New ones replace them: the earlier
          ones do not work any more.
        </p>
        {mustConfirm && <CurrentPassword filled={filled} />}
        <div class="buttons">
          <button type="submit" class="primary">
            Generate new codes
          </button>
          <Cancel />
        </div>
      </form>
    </>
  );
}
