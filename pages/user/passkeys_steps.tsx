// The pages of the second step of a login.
import { Field, type Filled } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PasskeyForm, PasskeyName, Problem, RecoveryCodes } from "./passkeys_forms.tsx";
import { LOGIN, SECOND_STEP } from "./paths.ts";

interface StepProps {
  username: string;
  filled: Filled;
  /** Passkeys work at this address. */
  isPossible: boolean;
}

export function ConfirmStep({ username, filled, isPossible }: StepProps) {
  return (
    <>
      <Head title="Second step" lead={`Confirm that you are ${username}`} />
      <Problem filled={filled} field="credential" />
      {isPossible ? (
        <PasskeyForm action={SECOND_STEP} options={`${SECOND_STEP}/options`}>
          <div class="buttons">
            <button type="submit" class="primary">
              <Icon name="key" /> Use your passkey
            </button>
          </div>
        </PasskeyForm>
      ) : (
        <p class="note">Passkeys do not work at this address.</p>
      )}
      <form class="sheet" method="post" action={SECOND_STEP}>
        <Field
          filled={filled}
          name="code"
          hint="If you do not have your passkey"
          more={{ required: "", autocapitalize: "none", spellcheck: "false" }}
        />
        <div class="buttons">
          <button type="submit">Use this code</button>
          <Cancel />
        </div>
      </form>
    </>
  );
}

export function SetUpStep({ username, filled, isPossible }: StepProps) {
  return (
    <>
      <Head title="Set up a passkey" lead={`${username}, your group needs one to log in`} />
      <Problem filled={filled} field="credential" />
      <p>
        A passkey is kept by your device or by a security key. From now on you log in with it and
        your password, or with it alone.
      </p>
      {isPossible ? (
        <PasskeyForm action={SECOND_STEP} options={`${SECOND_STEP}/options`}>
          <PasskeyName filled={filled} />
          <div class="buttons">
            <button type="submit" class="primary">
              <Icon name="key" /> Set up a passkey
            </button>
            <Cancel />
          </div>
        </PasskeyForm>
      ) : (
        <p class="note bad">Passkeys do not work at this address; ask an admin.</p>
      )}
    </>
  );
}

export function NewCodes({ codes, next }: { codes: string[]; next: string }) {
  return (
    <>
      <Head title="Recovery codes" lead="Your passkey is set up, and you are logged in" />
      <RecoveryCodes codes={codes} next={next} />
    </>
  );
}

function Head({ title, lead }: { title: string; lead: string }) {
  return (
    <>
      <p class="brand">
        <Icon name="cadastre" /> Cadastre
      </p>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
    </>
  );
}

function Cancel() {
  return (
    <a class="button quiet" href={LOGIN}>
      Cancel
    </a>
  );
}
