// POST /user/login/passkey: a login by a passkey alone. GET and POST /user/login/second-step: what follows the password of
// an account with a passkey, or that needs one. POST …/options: what the browser needs to make or use a passkey.
import { type TObject, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { RelyingParty } from "../../src/auth/relying_party.ts";
import { readForm } from "../../src/http/form_body.ts";
import { contextOf, visitOf } from "../../src/http/request_context.ts";
import { invalid, Refusal } from "../../src/input/errors.ts";
import { closed, readFormInput } from "../../src/input/shape.ts";
import * as login from "../../src/user/login.ts";
import { newPasskey } from "../../src/user/passkeys/passkeys.ts";
import { NOT_HERE } from "../../src/user/passkeys/requirement.ts";
import * as secondStep from "../../src/user/passkeys/second_step.ts";
import * as use from "../../src/user/passkeys/use.ts";
import { page, redirect } from "../layout/page.tsx";
import { blank, type Filled, refused } from "../parts/forms.tsx";
import {
  challengeOf,
  clearSecondStep,
  secondStepOf,
  sessionOf,
  setChallenge,
  setSession,
} from "../request/cookies.ts";
import { field, requireOurSite, safePath } from "../request/form_values.ts";
import { enter, LOGIN_FORM_LIMITS, showLogin } from "./login.tsx";
import { ConfirmStep, NewCodes, SetUpStep } from "./passkeys_steps.tsx";
import { LOGIN, partyOf } from "./paths.ts";

export const passkeyLoginPages = new Elysia({ prefix: LOGIN, normalize: false })
  .post("/passkey", (context) => sent(context, logIn), { parse: () => null })
  .post("/passkey/options", (context) => sent(context, beginLogIn), { parse: () => null })
  .get("/second-step", async ({ request, route }) => {
    contextOf(request).route = route;
    return pendingOf(request, (pending) => showStep(request, pending));
  })
  .post("/second-step", (context) => sent(context, takeStep), { parse: () => null })
  .post("/second-step/options", (context) => sent(context, beginStep), { parse: () => null });

const { credential } = newPasskey.properties;
const loginWithPasskey = closed({ credential });
/** A passkey or a recovery code. */
const confirming = closed({
  credential: Type.Optional(credential),
  code: Type.Optional(
    Type.String({ maxLength: 100, title: "Recovery code", description: "Enter a recovery code" }),
  ),
});

type LoginStep = (request: Request, form: FormData) => Promise<Response>;

/** Pages without a session: the site of the form is checked, and the form is small. */
async function sent(
  { request, route }: { request: Request; route: string },
  work: LoginStep,
): Promise<Response> {
  contextOf(request).route = route;
  requireOurSite(request);
  return work(request, await readForm(request, LOGIN_FORM_LIMITS));
}

function requireParty(request: Request): RelyingParty {
  const party = partyOf(request);
  if (!party) throw invalid("credential", NOT_HERE);
  return party;
}

/** Options for the script, and the cookie with the challenge. */
export function optionsFor(request: Request, options: object, cookie: string): Response {
  return Response.json(options, { headers: { "set-cookie": setChallenge(request, cookie) } });
}

async function beginLogIn(request: Request): Promise<Response> {
  const { options, cookie } = await use.begin(requireParty(request));
  return optionsFor(request, { get: options }, cookie);
}

async function logIn(request: Request, form: FormData): Promise<Response> {
  try {
    const { credential } = readFormInput(loginWithPasskey, form);
    const given = { credential, cookie: challengeOf(request), ...visitOf(request) };
    const session = await use.logIn(requireParty(request), given);
    const before = sessionOf(request);
    if (before) await login.endSession(before);
    return enter(request, session, safePath(field(form, "next")));
  } catch (error) {
    if (!(error instanceof Refusal) || ![401, 422].includes(error.status)) throw error;
    const { status, headers, errors } = error;
    const message = errors[0]?.message ?? error.message;
    const filled = blank(login.credentials, { next: safePath(field(form, "next")) });
    return showLogin(request, filled, new Refusal(status, message, { headers }));
  }
}

/** Without a login that waits for its second step, it begins again. */
async function pendingOf(
  request: Request,
  work: (pending: secondStep.PendingLogin) => Response | Promise<Response>,
): Promise<Response> {
  const pending = await secondStep.pendingIn(secondStepOf(request));
  if (pending) return work(pending);
  const response = redirect(request, LOGIN, "The login took too long; begin again");
  response.headers.append("set-cookie", clearSecondStep(request));
  return response;
}

async function beginStep(request: Request): Promise<Response> {
  const pending = await secondStep.pendingIn(secondStepOf(request));
  if (!pending) throw invalid("credential", "The login took too long; begin again");
  const party = requireParty(request);
  if (pending.step === "confirm") {
    const { options, cookie } = await secondStep.beginConfirm(pending, party);
    return optionsFor(request, { get: options }, cookie);
  }
  const { options, cookie } = await secondStep.beginSetUp(pending, party);
  return optionsFor(request, { create: options }, cookie);
}

function takeStep(request: Request, form: FormData): Promise<Response> {
  return pendingOf(request, async (pending) => {
    const shape: TObject = pending.step === "confirm" ? confirming : newPasskey;
    try {
      return pending.step === "confirm"
        ? await confirm(request, pending, form)
        : await setUp(request, pending, form);
    } catch (error) {
      const isShown = error instanceof Refusal && [401, 422, 429].includes(error.status);
      if (!isShown) throw error;
      return showStep(request, pending, refused(shape, form, inFields(error)), error);
    }
  });
}

/** A refusal without a field is about the form as a whole. */
function inFields(refusal: Refusal): Refusal {
  if (refusal.errors.length > 0) return refusal;
  const { status, message } = refusal;
  return new Refusal(status, message, { errors: [{ field: "credential", message }] });
}

async function confirm(
  request: Request,
  pending: secondStep.PendingLogin,
  form: FormData,
): Promise<Response> {
  const { credential, code } = readFormInput(confirming, form);
  if (code === undefined) {
    if (credential === undefined) throw invalid("credential", String(CREDENTIAL_MISSING));
    const given = { credential, cookie: challengeOf(request), ...visitOf(request) };
    const session = await secondStep.confirm(pending, requireParty(request), given);
    return done(request, enter(request, session, pending.next));
  }
  const { session, left } = await secondStep.useCode(pending, { code, ...visitOf(request) });
  const said = `${left} recovery codes are left; if you have lost a passkey, remove it on your profile page`;
  return done(request, enter(request, session, pending.next, said));
}

const CREDENTIAL_MISSING = credential.description;

async function setUp(
  request: Request,
  pending: secondStep.PendingLogin,
  form: FormData,
): Promise<Response> {
  const input = readFormInput(newPasskey, form);
  const given = { input, cookie: challengeOf(request), ...visitOf(request) };
  const { session, codes } = await secondStep.setUp(pending, requireParty(request), given);
  const response = page(request, {
    title: "Recovery codes",
    kind: "login",
    isSecret: true,
    body: <NewCodes codes={codes} next={pending.next} />,
  });
  response.headers.append("set-cookie", setSession(request, session));
  return done(request, response);
}

function done(request: Request, response: Response): Response {
  response.headers.append("set-cookie", clearSecondStep(request));
  return response;
}

function showStep(
  request: Request,
  pending: secondStep.PendingLogin,
  filled: Filled = blank(pending.step === "confirm" ? confirming : newPasskey),
  refusal?: Refusal,
): Response {
  const isPossible = partyOf(request) !== undefined;
  const { username } = pending;
  return page(request, {
    title: pending.step === "confirm" ? "Second step" : "Set up a passkey",
    kind: "login",
    status: refusal?.status,
    headers: refusal?.headers,
    body:
      pending.step === "confirm" ? (
        <ConfirmStep username={username} filled={filled} isPossible={isPossible} />
      ) : (
        <SetUpStep username={username} filled={filled} isPossible={isPossible} />
      ),
  });
}
