// The parts of pages by which people make and use passkeys.
import type { ComponentChildren } from "preact";
import { asset } from "../../static/mod.ts";
import { Field, type Filled } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { useFrame } from "../request/frame.ts";
import { PASSKEY_LOGIN } from "./paths.ts";

interface PasskeyFormProps {
  /** Where the form is sent with what the browser has made, and where the script gets the options for that. */
  action: string;
  options: string;
  children: ComponentChildren;
}

/** A form that the script fills in by a passkey, and a sentence instead of it without scripting. */
export function PasskeyForm({ action, options, children }: PasskeyFormProps) {
  const { nonce } = useFrame();
  return (
    <>
      <form class="sheet js-only" method="post" action={action} data-passkey={options}>
        <input type="hidden" name="credential" autocomplete="off" />
        {children}
      </form>
      <p class="muted no-js-only">Passkeys need scripting, which is off in this browser.</p>
      <script src={asset("passkeys.js")} nonce={nonce} defer />
    </>
  );
}

/** On the login page. */
export function PasskeyButton({ next }: { next: string }) {
  return (
    <PasskeyForm action={PASSKEY_LOGIN} options={`${PASSKEY_LOGIN}/options`}>
      <input type="hidden" name="next" value={next} />
      <div class="buttons">
        <button type="submit">
          <Icon name="key" /> Log in with a passkey
        </button>
      </div>
    </PasskeyForm>
  );
}

export function PasskeyName({ filled }: { filled: Filled }) {
  return (
    <Field
      filled={filled}
      name="name"
      hint="Where it is: laptop, phone, security key"
      more={{ required: "" }}
      autofocus
    />
  );
}

/** Why a form was refused, if that is not about one of its fields. */
export function Problem({ filled, field }: { filled: Filled; field: string }) {
  const found = filled.errors.find((error) => error.field === field);
  if (!found) return null;
  return (
    <p class="note bad" role="alert">
      {found.message}
    </p>
  );
}

/** Shown once. */
export function RecoveryCodes({ codes, next }: { codes: string[]; next: string }) {
  const text = codes.join("\n");
  return (
    <div class="sheet">
      <p>
        With a recovery code you can log in when you have lost your passkeys. Each works once. Keep
        them where you keep passwords: they are shown only now.
      </p>
      <pre class="snippet" id="recovery-codes">
        <code>{text}</code>
      </pre>
      <div class="buttons">
        <button type="button" class="js-only" data-copy={text}>
          <Icon name="copy" /> Copy
        </button>
        <a class="button primary" href={next}>
          Continue
        </a>
      </div>
    </div>
  );
}
