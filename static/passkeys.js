// A form with data-passkey is sent after the browser has made or used a passkey. The attribute is the address that
// answers with the options for that. say and clearAlerts are defined in app.js.

document.addEventListener(
  "submit",
  (event) => {
    const { target: form } = event;
    if (!form.dataset.passkey || form.elements.credential.value) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    clearAlerts();
    askPasskey(form).catch((error) => say("alerts", PROBLEMS[error.name] ?? error.message));
  },
  true,
);

const PROBLEMS = {
  NotAllowedError: "No passkey was used: it was cancelled, or took too long",
  InvalidStateError: "This device has a passkey of yours already",
  TypeError: "The server did not respond. Try again",
};

async function askPasskey(form) {
  const { PublicKeyCredential: Passkey } = window;
  if (!Passkey?.parseRequestOptionsFromJSON) throw new Error("This browser has no passkeys");
  const { create, get } = await options(form);
  const { credentials } = navigator;
  const made = create
    ? await credentials.create({ publicKey: Passkey.parseCreationOptionsFromJSON(create) })
    : await credentials.get({ publicKey: Passkey.parseRequestOptionsFromJSON(get) });
  form.elements.credential.value = JSON.stringify(made);
  form.requestSubmit();
}

async function options(form) {
  const body = new URLSearchParams(new FormData(form));
  const headers = { accept: "application/json" };
  const response = await fetch(form.dataset.passkey, { method: "POST", body, headers });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(answer.errors?.[0].message ?? answer.detail);
}

// A page that the browser shows again still has what was sent.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-passkey]"))
    form.elements.credential.value = "";
});
