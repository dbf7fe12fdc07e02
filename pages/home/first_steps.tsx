// The first steps of a new site, in the order in which records need each other.
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";
import type { FirstStep as Step } from "../../src/system/first_steps.ts";

interface LinkedStep {
  href: string;
  label: string;
  what: string;
  makes: Step;
  allowed: Allowed;
}

const STEPS: LinkedStep[] = [
  {
    href: "/network/domains",
    label: "Add domain",
    what: "the names of your hosts end with it",
    makes: "domains",
    allowed: ["admin"],
  },
  {
    href: "/network/scopes/create",
    label: "Add scope",
    what: "a range of VLANs and a block of addresses",
    makes: "scopes",
    allowed: ["admin"],
  },
  {
    href: "/network/networks/create",
    label: "Add network",
    what: "a VLAN with addresses for hosts",
    makes: "networks",
    allowed: ["admin"],
  },
  {
    href: "/network/hosts/create",
    label: "Add host",
    what: "it gets the first free address",
    makes: "hosts",
    allowed: ["network", "admin"],
  },
  {
    href: "/network/hosts/import",
    label: "Import hosts",
    what: "with their interfaces, from an Excel or CSV file",
    makes: "hosts",
    allowed: ["network", "admin"],
  },
  {
    href: "/inventory/attributes/location",
    label: "Add locations",
    what: "the halls, rooms and racks where equipment is",
    makes: "locations",
    allowed: ["inventory", "admin"],
  },
  {
    href: "/inventory/items/import",
    label: "Import items",
    what: "from an Excel or CSV file",
    makes: "items",
    allowed: ["inventory", "admin"],
  },
  {
    href: "/admin/users/create",
    label: "Add users",
    what: "and decide what they may do",
    makes: "users",
    allowed: ["admin"],
  },
  {
    href: "/user/profile",
    label: "Generate token",
    what: "for programs that use the API",
    makes: "tokens",
    allowed: "everyone",
  },
];

interface Props {
  caller: Caller;
  /** Undefined for users who are not told, because nothing is there yet. */
  taken?: ReadonlySet<Step> | undefined;
  isEmpty: boolean;
}

/** The steps that the caller is permitted to take. */
export function FirstSteps({ caller, taken, isEmpty }: Props) {
  return (
    <div class="cards">
      <section class="card" aria-labelledby="steps-title">
        <h2 id="steps-title">First steps</h2>
        <ol class="steps">
          {STEPS.filter(({ allowed }) => may(caller, allowed)).map(
            ({ href, label, what, makes }) => (
              <li>
                <a href={href}>{label}</a> {taken?.has(makes) && <span class="tag good">done</span>}
                <span class="muted">{what}</span>
              </li>
            ),
          )}
        </ol>
        {taken && (
          <form method="post" action={CLOSE}>
            <button type="submit" class="quiet">
              Close first steps
            </button>
          </form>
        )}
      </section>
      {isEmpty && may(caller, ["admin"]) && <Demo />}
    </div>
  );
}

export const CLOSE = "/admin/first-steps/close";

function Demo() {
  return (
    <section class="card" aria-labelledby="demo-title">
      <h2 id="demo-title">Or look around first</h2>
      <p>
        Fill this empty site with demo data: a year in the life of racks, crates, cards and their
        networks. In Cadastre's folder, run
      </p>
      <pre class="snippet" tabindex={0}>
        <code>npm run demo</code>
      </pre>
      <p class="muted">
        With the binary, run <code>cadastre seed</code>. Demo data cannot be removed: try it in a
        separate database.
      </p>
    </section>
  );
}
