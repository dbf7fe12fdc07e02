// GET /admin/sign-in/view/(key): a provider, with the mappings of its groups. GET and POST …/edit/(key), GET …/test/(key),
// POST …/mapping/(key) and …/action/(key).
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { invalid, notFound } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { credentials } from "../../src/user/login.ts";
import { SignInFailed } from "../../src/user/sign_in/failure.ts";
import * as mappings from "../../src/user/sign_in/mappings.ts";
import {
  CHANGED_PROVIDER,
  type ChangedProvider,
  placedMapping,
  type ShownProvider,
} from "../../src/user/sign_in/provider.ts";
import * as providers from "../../src/user/sign_in/providers.ts";
import { authenticatedPerson } from "../../src/user/sign_in/trial.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { deleted, reasonsOf, saved } from "../texts.ts";
import { redirectsOf } from "../user/paths.ts";
import { toProvider } from "../user/sign_in.tsx";
import { CRUMB, providerView, SIGN_IN } from "./paths.ts";
import { ProviderForm, withoutBlanks } from "./provider_form.tsx";
import { failureOf, showTest, showTestForm } from "./provider_test.tsx";
import { ProviderPage, questionFor } from "./provider_view.tsx";

const ADMINS = { see: ["admin"] } as const;

export const providerPages = new Elysia({ prefix: SIGN_IN, normalize: false })
  .use(guard)
  .get("/view/:key", ({ request, caller, params }) => show(request, caller, params.key), ADMINS)
  .get(
    "/edit/:key",
    async ({ request, caller, params }) => {
      const provider = await providers.find(caller, params.key);
      return showForm(
        request,
        provider,
        blank(CHANGED_PROVIDER[provider.kind], valuesOf(provider)),
      );
    },
    ADMINS,
  )
  .post(
    "/edit/:key",
    ({ request, caller, params, form }) => update(request, caller, params.key, form),
    ADMINS,
  )
  .get("/test/:key", ({ request, caller, params }) => test(request, caller, params.key), ADMINS)
  .post(
    "/test/:key",
    ({ request, caller, params, form }) => testPassword(request, caller, params.key, form),
    ADMINS,
  )
  .post(
    "/mapping/:key",
    ({ request, caller, params, form }) => changeMapping(request, caller, params.key, form),
    ADMINS,
  )
  .post(
    "/action/:key",
    ({ request, caller, params, form }) => act(request, caller, params.key, form),
    ADMINS,
  );

interface ProviderPageState {
  mapping?: Filled;
  /** Why an action was refused. */
  problem?: string;
}

async function show(
  request: Request,
  caller: Caller,
  key: string,
  { mapping = blank(placedMapping), problem }: ProviderPageState = {},
): Promise<Response> {
  const provider = await providers.find(caller, key);
  const mapped = await mappings.list(caller, provider.id);
  return page(request, {
    title: provider.name,
    status: problem || mapping.errors.length > 0 ? 422 : 200,
    crumbs: [CRUMB, { label: "Sign-in", href: SIGN_IN }, { label: provider.name }],
    body: (
      <ProviderPage
        provider={provider}
        mappings={mapped}
        mapping={mapping}
        problem={problem}
        redirects={redirectsOf(request, key)}
      />
    ),
  });
}

/** The settings as texts; the secret is not among them. */
function valuesOf({ name, settings }: ShownProvider): Record<string, string> {
  return {
    needs_group: "true",
    ...Object.fromEntries(Object.entries(settings).map(([field, value]) => [field, String(value)])),
    name,
  };
}

function showForm(request: Request, provider: ShownProvider, filled: Filled): Response {
  const { key, name, kind } = provider;
  const view = providerView(key);
  return page(request, {
    title: `Edit ${name}`,
    status: filled.errors.length > 0 ? 422 : 200,
    crumbs: [
      CRUMB,
      { label: "Sign-in", href: SIGN_IN },
      { label: name, href: view },
      { label: "Edit" },
    ],
    body: (
      <>
        <PageHead title={`Edit ${name}`} />
        <ProviderForm
          filled={filled}
          kind={kind}
          action={`${SIGN_IN}/edit/${key}`}
          back={view}
          hasSecret={provider.has_secret}
        />
      </>
    ),
  });
}

async function update(
  request: Request,
  caller: Caller,
  key: string,
  form: FormData,
): Promise<Response> {
  const provider = await providers.find(caller, key);
  const shape = CHANGED_PROVIDER[provider.kind];
  const tried = await attempt(async () => {
    const input: ChangedProvider = readFormInput(shape, withoutBlanks(form));
    await providers.update(caller, key, input);
  });
  if ("refusal" in tried) return showForm(request, provider, refused(shape, form, tried.refusal));
  return redirect(request, providerView(key), saved(provider.name));
}

/** The browser logs in at the provider, and comes back to a page that shows what was said. */
async function test(request: Request, caller: Caller, key: string): Promise<Response> {
  await providers.find(caller, key);
  const provider = await providers.providerToAsk(key, { isTest: true });
  if (provider.kind === "ldap") return showTestForm(request, provider, blank(credentials));
  try {
    return await toProvider(request, provider, { next: providerView(key), is_test: true });
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    return show(request, caller, key, { problem: failureOf(error, provider) });
  }
}

/** A directory needs the name and the password of a person. */
async function testPassword(
  request: Request,
  caller: Caller,
  key: string,
  form: FormData,
): Promise<Response> {
  await providers.find(caller, key);
  const provider = await providers.providerToAsk(key, { isTest: true });
  if (provider.kind !== "ldap") throw notFound();
  const tried = await attempt(async () => readFormInput(credentials, form));
  if ("refusal" in tried) {
    return showTestForm(request, provider, refused(credentials, form, tried.refusal));
  }
  return showTest(request, caller, provider, async () => {
    const person = await authenticatedPerson(provider, tried.done);
    return { person, parts: { entry: person } };
  });
}

async function changeMapping(
  request: Request,
  caller: Caller,
  key: string,
  form: FormData,
): Promise<Response> {
  const back = providerView(key);
  if (form.has("remove")) {
    const [id = "", isRight] = field(form, "remove").split("-");
    await mappings.remove(caller, key, { id: keyNamed(id), isRight: isRight === "right" });
    return redirect(request, back, "Removed the mapping");
  }
  const tried = await attempt(async () =>
    mappings.add(caller, key, readFormInput(placedMapping, form)),
  );
  if ("refusal" in tried) {
    return show(request, caller, key, { mapping: refused(placedMapping, form, tried.refusal) });
  }
  return redirect(request, back, "Added the mapping");
}

async function act(
  request: Request,
  caller: Caller,
  key: string,
  form: FormData,
): Promise<Response> {
  const provider = await providers.find(caller, key);
  const action = field(form, "action");
  const back = providerView(key);
  const question = questionFor(provider, action);
  const asking = question && confirmFirst(request, form, { ...question, back });
  if (asking) return asking;
  const tried = await attempt(() => actionNamed(action)(caller, key));
  if ("refusal" in tried) {
    return show(request, caller, key, { problem: reasonsOf(tried.refusal.errors) });
  }
  if (action === "delete") return redirect(request, SIGN_IN, deleted(provider.name));
  return redirect(request, back, `${provider.name} is ${action}d`);
}

type ProviderActionHandler = (caller: Caller, key: string) => Promise<void>;

const ACTIONS = new Map<string, ProviderActionHandler>([
  ["enable", (caller, key) => providers.enable(caller, key, true)],
  ["disable", (caller, key) => providers.enable(caller, key, false)],
  ["delete", providers.remove],
]);

function actionNamed(name: string): ProviderActionHandler {
  const action = ACTIONS.get(name);
  if (!action) throw invalid("action", `Use one of ${[...ACTIONS.keys()].join(", ")}`);
  return action;
}
