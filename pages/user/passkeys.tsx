// GET and POST /user/passkeys/add, …/rename/(id), …/remove/(id) and …/codes: the passkeys of the caller. POST …/options:
// what the browser needs to make one.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { invalid, notFound, Refusal } from "../../src/input/errors.ts";
import { keyIn } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import * as passkeys from "../../src/user/passkeys/passkeys.ts";
import { NOT_HERE } from "../../src/user/passkeys/requirement.ts";
import * as sessions from "../../src/user/sessions.ts";
import { type Page, page, redirect } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import { challengeOf } from "../request/cookies.ts";
import { guard } from "../request/guard.ts";
import { RecoveryCodes } from "./passkeys_forms.tsx";
import { optionsFor } from "./passkeys_login.tsx";
import { AddPage, CodesPage, RemovePage, RenamePage } from "./passkeys_view.tsx";
import { PASSKEYS, PROFILE, partyOf } from "./paths.ts";

const EVERYONE = { see: "everyone" } as const;

export const passkeyPages = new Elysia({ prefix: PASSKEYS, normalize: false })
  .use(guard)
  .get("/add", ({ request, caller }) => showAdd(request, caller), EVERYONE)
  .post("/add", ({ request, caller, form }) => add(request, caller, form), EVERYONE)
  .post("/options", ({ request, caller, form }) => begin(request, caller, form), EVERYONE)
  .get(
    "/rename/:id",
    ({ request, caller, params }) => showRename(request, caller, params.id),
    EVERYONE,
  )
  .post(
    "/rename/:id",
    ({ request, caller, params, form }) => rename(request, caller, params.id, form),
    EVERYONE,
  )
  .get(
    "/remove/:id",
    ({ request, caller, params }) => showRemove(request, caller, params.id),
    EVERYONE,
  )
  .post(
    "/remove/:id",
    ({ request, caller, params, form }) => remove(request, caller, params.id, form),
    EVERYONE,
  )
  .get("/codes", ({ request, caller }) => showCodes(request, caller), EVERYONE)
  .post("/codes", ({ request, caller, form }) => makeCodes(request, caller, form), EVERYONE);

/** The form for a new passkey. */
const adding = {
  ...passkeys.newPasskey,
  properties: { ...passkeys.newPasskey.properties, ...passkeys.confirmation.properties },
};

async function show(
  request: Request,
  shown: Pick<Page, "title" | "body"> & Partial<Page>,
): Promise<Response> {
  const crumbs = [{ label: "Profile", href: PROFILE }, { label: shown.title }];
  return page(request, { crumbs, ...shown });
}

async function mustConfirm(caller: Caller): Promise<boolean> {
  return !(await sessions.isFresh(caller));
}

async function showAdd(
  request: Request,
  caller: Caller,
  filled: Filled = blank(adding),
  refusal?: Refusal,
): Promise<Response> {
  const isPossible = partyOf(request) !== undefined;
  return show(request, {
    title: "Add a passkey",
    status: refusal?.status,
    body: (
      <AddPage filled={filled} isPossible={isPossible} mustConfirm={await mustConfirm(caller)} />
    ),
  });
}

async function begin(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const password = currentPasswordIn(form);
  const { options, cookie } = await passkeys.begin(caller, requireParty(request), password);
  return optionsFor(request, { create: options }, cookie);
}

function requireParty(request: Request) {
  const party = partyOf(request);
  if (!party) throw invalid("credential", NOT_HERE);
  return party;
}

function currentPasswordIn(form: FormData): string | undefined {
  // An empty field is not a wrong password.
  if (form.get("current_password") === "") form.delete("current_password");
  return readFormInput(passkeys.confirmation, form).current_password;
}

async function add(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () => {
    const input = readFormInput(passkeys.newPasskey, form);
    return passkeys.add(caller, requireParty(request), { input, cookie: challengeOf(request) });
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    return showAdd(request, caller, refused(adding, form, refusal), refusal);
  }
  if (tried.done) return showNewCodes(request, tried.done, "Added the passkey");
  return redirect(request, PROFILE, "Added the passkey and ended all other sessions");
}

async function showNewCodes(request: Request, codes: string[], lead: string): Promise<Response> {
  return show(request, {
    title: "Recovery codes",
    isSecret: true,
    body: (
      <>
        <PageHead title="Recovery codes" lead={lead} />
        <RecoveryCodes codes={codes} next={PROFILE} />
      </>
    ),
  });
}

interface OwnPasskey {
  passkey: passkeys.Passkey;
  isLast: boolean;
}

async function ownPasskey(caller: Caller, id: string): Promise<OwnPasskey> {
  const held = (await passkeys.overview(caller.id ?? 0))?.passkeys ?? [];
  const passkey = held.find((one) => one.id === keyIn(id));
  if (!passkey) throw notFound();
  return { passkey, isLast: held.length === 1 };
}

async function showRename(
  request: Request,
  caller: Caller,
  id: string,
  again?: { filled: Filled; refusal: Refusal },
): Promise<Response> {
  const { passkey } = await ownPasskey(caller, id);
  return show(request, {
    title: `Rename ${passkey.name}`,
    status: again?.refusal.status,
    headers: again?.refusal.headers,
    body: (
      <RenamePage
        passkey={passkey}
        filled={again?.filled ?? blank(passkeys.renamedPasskey, { name: passkey.name })}
        mustConfirm={await mustConfirm(caller)}
      />
    ),
  });
}

async function rename(
  request: Request,
  caller: Caller,
  id: string,
  form: FormData,
): Promise<Response> {
  const { passkey } = await ownPasskey(caller, id);
  const tried = await tryWithPassword(async () => {
    const password = currentPasswordIn(form);
    const { name } = readFormInput(passkeys.renamedPasskey, form);
    await passkeys.rename(caller, passkey.id, { name, password });
  });
  if ("done" in tried) return redirect(request, PROFILE, "Renamed the passkey");
  const { refusal } = tried;
  const filled = refused(passkeys.renamedPasskey, form, refusal);
  return showRename(request, caller, id, { filled, refusal });
}

async function showRemove(
  request: Request,
  caller: Caller,
  id: string,
  refusal?: Refusal,
): Promise<Response> {
  const { passkey, isLast } = await ownPasskey(caller, id);
  return show(request, {
    title: `Remove ${passkey.name}`,
    status: refusal?.status,
    headers: refusal?.headers,
    body: (
      <RemovePage
        passkey={passkey}
        isLast={isLast}
        filled={filledOf(refusal)}
        mustConfirm={await mustConfirm(caller)}
      />
    ),
  });
}

function filledOf(refusal: Refusal | undefined): Filled {
  return { ...blank(passkeys.confirmation), errors: refusal?.errors ?? [] };
}

async function remove(
  request: Request,
  caller: Caller,
  id: string,
  form: FormData,
): Promise<Response> {
  const key = keyIn(id);
  if (key === undefined) throw notFound();
  const tried = await tryWithPassword(() => passkeys.remove(caller, key, currentPasswordIn(form)));
  if ("refusal" in tried) return showRemove(request, caller, id, tried.refusal);
  return redirect(request, PROFILE, "Removed the passkey and ended all other sessions");
}

async function showCodes(request: Request, caller: Caller, refusal?: Refusal): Promise<Response> {
  const found = await passkeys.overview(caller.id ?? 0);
  if (!found) throw notFound();
  return show(request, {
    title: "Recovery codes",
    status: refusal?.status,
    headers: refusal?.headers,
    body: (
      <CodesPage
        left={found.codes}
        filled={filledOf(refusal)}
        mustConfirm={await mustConfirm(caller)}
      />
    ),
  });
}

async function makeCodes(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await tryWithPassword(() => passkeys.newCodes(caller, currentPasswordIn(form)));
  if ("refusal" in tried) return showCodes(request, caller, tried.refusal);
  return showNewCodes(request, tried.done, "The earlier ones do not work any more");
}

/** After too many wrong passwords the form is shown again, too. */
function tryWithPassword<T>(work: () => Promise<T>) {
  return attempt(work).catch((error) => {
    if (!(error instanceof Refusal && error.status === 429)) throw error;
    const { status, message, headers } = error;
    const errors = [{ field: "current_password", message }];
    return { refusal: new Refusal(status, message, { headers, errors }) };
  });
}
