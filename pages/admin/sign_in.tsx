// GET /admin/sign-in: the providers by which people log in, and local passwords. GET and POST …/create/(kind),
// POST …/passwords.

import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { notFound } from "../../src/input/errors.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { requiredGroups } from "../../src/user/passkeys/requirement.ts";
import * as breakGlass from "../../src/user/sign_in/break_glass.ts";
import {
  NEW_PROVIDER,
  type NewProvider,
  type ProviderKind,
  type ShownProvider,
} from "../../src/user/sign_in/provider.ts";
import * as providers from "../../src/user/sign_in/providers.ts";
import { Ask } from "../help/ask.tsx";
import { page, redirect } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { added, reasonsOf } from "../texts.ts";
import { PasskeyRequirement } from "./passkeys_view.tsx";
import { CRUMB, providerView, SIGN_IN, userPath } from "./paths.ts";
import { PROVIDER_KINDS, ProviderForm, ProviderState, withoutBlanks } from "./provider_form.tsx";

const ADMINS = { see: ["admin"] } as const;

export const signInAdminPages = new Elysia({ prefix: SIGN_IN, normalize: false })
  .use(guard)
  .get("", ({ request, caller }) => showSignIn(request, caller), ADMINS)
  .get(
    "/create/:kind",
    ({ request, params }) => {
      const kind = kindNamed(params.kind);
      return showForm(request, kind, blank(NEW_PROVIDER[kind], { needs_group: "true" }));
    },
    ADMINS,
  )
  .post(
    "/create/:kind",
    ({ request, caller, params, form }) => create(request, caller, kindNamed(params.kind), form),
    ADMINS,
  )
  .post("/passwords", ({ request, caller, form }) => setPasswords(request, caller, form), ADMINS);

function kindNamed(text: string): ProviderKind {
  if (text === "oidc" || text === "ldap") return text;
  throw notFound();
}

export async function showSignIn(
  request: Request,
  caller: Caller,
  problem?: string,
): Promise<Response> {
  const [found, isRequired, keepers, withPasskey] = await Promise.all([
    providers.list(caller),
    breakGlass.isRequired(),
    breakGlass.accounts(caller),
    requiredGroups(),
  ]);
  return page(request, {
    title: "Sign-in",
    status: problem ? 422 : 200,
    crumbs: [CRUMB, { label: "Sign-in" }],
    body: (
      <>
        <PageHead title="Sign-in" lead="How people log in: providers, passwords and passkeys">
          <div class="actions">
            {Object.entries(PROVIDER_KINDS).map(([kind, label]) => (
              <a class="button" href={`${SIGN_IN}/create/${kind}`}>
                <Icon name="plus" /> Add {label}
              </a>
            ))}
          </div>
        </PageHead>
        {problem && (
          <p class="note bad" role="alert">
            {problem}
          </p>
        )}
        <div class="stack">
          <Providers found={found} />
          <Passwords isRequired={isRequired} keepers={keepers} />
          <PasskeyRequirement groups={withPasskey} />
        </div>
      </>
    ),
  });
}

function Providers({ found }: { found: ShownProvider[] }) {
  if (found.length === 0) {
    return <p class="muted">No providers yet: everybody logs in with a Cadastre password.</p>;
  }
  return (
    <PlainTable
      caption="Providers"
      rows={found}
      columns={[
        {
          label: "Name",
          cell: ({ key, name }) => (
            <a class="open" href={providerView(key)}>
              {name}
            </a>
          ),
        },
        { label: "Kind", cell: ({ kind }) => PROVIDER_KINDS[kind] },
        { label: "State", cell: (provider) => <ProviderState provider={provider} /> },
        { label: "People", class: "number", cell: ({ people }) => people },
      ]}
    />
  );
}

function Passwords({ isRequired, keepers }: { isRequired: boolean; keepers: string[] }) {
  return (
    <section aria-labelledby="passwords-title">
      <h2 id="passwords-title">
        Cadastre passwords <Ask about="Break-glass account" />
      </h2>
      <p>
        {isRequired
          ? "Only break-glass accounts can log in with a Cadastre password."
          : "Anyone with a Cadastre password can log in."}{" "}
        Break-glass accounts always can, and the audit log has each use.{" "}
        {keepers.length === 0
          ? "There is no such account yet: mark an admin on the page of the user."
          : "They are: "}
        {keepers.map((username, at) => (
          <>
            {at > 0 && ", "}
            <a href={userPath(username)}>{username}</a>
          </>
        ))}
      </p>
      <form method="post" action={`${SIGN_IN}/passwords`}>
        <button type="submit" name="only_break_glass" value={isRequired ? "false" : "true"}>
          {isRequired ? "Let all accounts use their passwords" : "Only break-glass accounts"}
        </button>
      </form>
    </section>
  );
}

async function setPasswords(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const isOn = field(form, "only_break_glass") === "true";
  const tried = await attempt(() => breakGlass.require(caller, isOn));
  if ("refusal" in tried) return showSignIn(request, caller, reasonsOf(tried.refusal.errors));
  return redirect(request, SIGN_IN, "Saved who may use a password");
}

async function create(
  request: Request,
  caller: Caller,
  kind: ProviderKind,
  form: FormData,
): Promise<Response> {
  const given = withoutBlanks(form);
  const tried = await attempt(async () => {
    const input: NewProvider = readFormInput(NEW_PROVIDER[kind], given);
    await providers.create(caller, kind, input);
    return input;
  });
  if ("refusal" in tried)
    return showForm(request, kind, refused(NEW_PROVIDER[kind], form, tried.refusal));
  const { key, name } = tried.done;
  return redirect(request, providerView(key), added(name));
}

function showForm(request: Request, kind: ProviderKind, filled: Filled): Response {
  const title = `Add ${PROVIDER_KINDS[kind]}`;
  return page(request, {
    title,
    status: filled.errors.length > 0 ? 422 : 200,
    crumbs: [CRUMB, { label: "Sign-in", href: SIGN_IN }, { label: "Add" }],
    body: (
      <>
        <PageHead title={title} lead="Nobody can log in with it until you test and enable it" />
        <ProviderForm
          filled={filled}
          kind={kind}
          action={`${SIGN_IN}/create/${kind}`}
          back={SIGN_IN}
        />
      </>
    ),
  });
}
