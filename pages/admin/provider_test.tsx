// What came back when an admin tested a provider: who it was, which groups they would get, and why.

import type { Caller } from "../../src/auth/auth.ts";
import { Refusal } from "../../src/input/errors.ts";
import { rightInWords } from "../../src/user/rights/place.ts";
import { SignInFailed, Unreachable } from "../../src/user/sign_in/failure.ts";
import type { LdapProvider, Provider } from "../../src/user/sign_in/provider.ts";
import { type LoginPreview, type TestedPerson, tested } from "../../src/user/sign_in/trial.ts";
import { page } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { Fact } from "../parts/facts.tsx";
import { Field, type Filled, Summary } from "../parts/forms.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Snippet } from "../parts/snippet.tsx";
import { CRUMB, providerView, SIGN_IN } from "./paths.ts";
import { Groups } from "./user_view.tsx";

/** Shows the result of a test, or why it failed. */
export async function showTest(
  request: Request,
  caller: Caller,
  provider: Provider,
  ask: () => Promise<TestedPerson>,
): Promise<Response> {
  const found = await tested(caller, provider, ask).catch((error) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  const { name } = provider;
  return page(request, {
    title: `Test of ${name}`,
    status: found instanceof Refusal ? 422 : 200,
    crumbs: crumbsOf(provider),
    body: (
      <>
        <PageHead title={`Test of ${name}`} lead="Nobody was logged in, and nothing was stored">
          <div class="actions">
            <a class="button" href={`${SIGN_IN}/test/${provider.key}`}>
              Test again
            </a>
          </div>
        </PageHead>
        {found instanceof Refusal ? (
          <Failure refusal={found} provider={provider} />
        ) : (
          <Result {...found} />
        )}
      </>
    ),
  });
}

/** The name and the password of a person of the directory. */
export function showTestForm(request: Request, provider: LdapProvider, filled: Filled): Response {
  const { name, key } = provider;
  return page(request, {
    title: `Test ${name}`,
    status: filled.errors.length > 0 ? 422 : 200,
    crumbs: crumbsOf(provider),
    body: (
      <>
        <PageHead title={`Test ${name}`} lead="Nobody is logged in, and nothing is stored" />
        <form class="sheet" method="post" action={`${SIGN_IN}/test/${key}`}>
          <Summary filled={filled} />
          <Field filled={filled} name="username" hint="Of a person in the directory" autofocus />
          <Field filled={filled} name="password" type="password" autocomplete="current-password" />
          <div class="buttons">
            <button type="submit" class="primary">
              Test
            </button>
            <a class="button quiet" href={providerView(key)}>
              Cancel
            </a>
          </div>
        </form>
      </>
    ),
  });
}

function crumbsOf({ key, name }: Pick<Provider, "key" | "name">) {
  return [
    CRUMB,
    { label: "Sign-in", href: SIGN_IN },
    { label: name, href: providerView(key) },
    { label: "Test" },
  ];
}

function Failure({ refusal, provider }: { refusal: Refusal; provider: Provider }) {
  return (
    <p class="note bad" role="alert">
      {failureOf(refusal, provider)}
    </p>
  );
}

export function failureOf(refusal: Refusal, { kind, settings }: Provider): string {
  if (!(refusal instanceof SignInFailed)) return refusal.message;
  const { reason } = refusal.details;
  if (!(refusal instanceof Unreachable)) return `${refusal.message}: ${reason}`;
  const [where, what] = kind === "oidc" ? [settings.issuer, "issuer"] : [settings.url, "URL"];
  return `Cannot reach ${where}: ${reason}. Check the ${what} and the firewall`;
}

function Result(found: LoginPreview) {
  const { person, username, exists, mayEnter, groups, parts } = found;
  return (
    <>
      <p class={mayEnter ? "note good" : "note bad"} role="status">
        {mayEnter
          ? `Would log in as ${username}, ${exists ? "an account that exists" : "a new account"}`
          : "Would be refused: no group is mapped, and this provider needs one"}
      </p>
      <div class="cards">
        <section class="card" aria-labelledby="person-title">
          <h2 id="person-title">Person</h2>
          <dl class="facts">
            <Fact label="Subject">
              <span class="mono">{person.subject}</span>
            </Fact>
            <Fact label="According to">{person.authority}</Fact>
            <Fact label="Username there">{person.username ?? "not given"}</Fact>
            <Fact label="Name">{person.display_name ?? "not given"}</Fact>
            <Fact label="Email">{person.email ?? "not given"}</Fact>
            <Fact label="Groups here">
              {groups.length > 0 ? <Groups groups={groups} /> : "none"}
            </Fact>
          </dl>
        </section>
        <Reasons {...found} />
        {Object.entries(parts).map(([name, claims]) => (
          <section class="card wide" aria-label={name}>
            <h2>What came back: {name}</h2>
            <Snippet text={shortened(JSON.stringify(claims, null, 2))} />
          </section>
        ))}
      </div>
    </>
  );
}

/** Characters that are shown of what came back. */
const MOST_SHOWN = 50_000;

function shortened(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… and more` : text;
}

function Reasons({ person, mapped, rights }: LoginPreview) {
  return (
    <section class="card wide" aria-labelledby="reasons-title">
      <h2 id="reasons-title">Groups, and why</h2>
      {person.groups.length === 0 ? (
        <p class="muted">The provider names no groups of this person: see where it says them</p>
      ) : (
        <PlainTable
          caption="Groups at the provider, and groups here"
          rows={person.groups.map((outer) => reasonFor(outer, mapped, rights))}
          columns={[
            { label: "Group at the provider", cell: ({ outer }) => outer },
            { label: "Group here", cell: ({ groups }) => <Groups groups={groups} /> },
            { label: "Because of", cell: ({ rules }) => rules.join(", ") || "no mapping" },
          ]}
        />
      )}
    </section>
  );
}

function reasonFor(
  outer: string,
  allMapped: LoginPreview["mapped"],
  allRights: LoginPreview["rights"],
) {
  const mapped = allMapped.filter((one) => one.because_of === outer);
  const rights = allRights.filter((one) => one.because_of === outer);
  const rules = [...mapped, ...rights].map(({ rule }) =>
    rule.is_pattern ? `the pattern ${rule.outer_group}` : `the mapping of ${rule.outer_group}`,
  );
  const groups = [
    ...mapped.map(({ group }) => group),
    ...rights.map(({ right }) => rightInWords(right)),
  ];
  return { outer, groups, rules };
}
