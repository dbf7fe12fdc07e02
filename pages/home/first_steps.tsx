// What an empty site shows: the first steps, in the order in which records need each other.
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";

interface FirstStep {
  href: string;
  label: string;
  what: string;
  allowed: Allowed;
}

const STEPS: FirstStep[] = [
  {
    href: "/network/domains",
    label: "Add domain",
    what: "the names of your hosts end with it",
    allowed: ["admin"],
  },
  {
    href: "/network/scopes/create",
    label: "Add scope",
    what: "a range of VLANs and a block of addresses",
    allowed: ["admin"],
  },
  {
    href: "/network/networks/create",
    label: "Add network",
    what: "a VLAN with addresses for hosts",
    allowed: ["admin"],
  },
  {
    href: "/network/hosts/create",
    label: "Add host",
    what: "it gets the first free address",
    allowed: ["network", "admin"],
  },
  {
    href: "/network/hosts/import",
    label: "Import hosts",
    what: "with their interfaces, from an Excel or CSV file",
    allowed: ["network", "admin"],
  },
  {
    href: "/inventory/attributes/location",
    label: "Add locations",
    what: "the halls, rooms and racks where equipment is",
    allowed: ["inventory", "admin"],
  },
  {
    href: "/inventory/items/import",
    label: "Import items",
    what: "from an Excel or CSV file",
    allowed: ["inventory", "admin"],
  },
  {
    href: "/admin/users/create",
    label: "Add users",
    what: "with the groups that they need",
    allowed: ["admin"],
  },
  {
    href: "/user/profile",
    label: "Generate token",
    what: "for programs that use the API",
    allowed: "everyone",
  },
];

/** The steps that the caller is permitted to take. */
export function FirstSteps({ caller }: { caller: Caller }) {
  return (
    <div class="cards">
      <section class="card" aria-labelledby="steps-title">
        <h2 id="steps-title">First steps</h2>
        <ol class="steps">
          {STEPS.filter(({ allowed }) => may(caller, allowed)).map(({ href, label, what }) => (
            <li>
              <a href={href}>{label}</a>
              <span class="muted">{what}</span>
            </li>
          ))}
        </ol>
      </section>
      {may(caller, ["admin"]) && (
        <section class="card" aria-labelledby="demo-title">
          <h2 id="demo-title">Or look around first</h2>
          <p>
            Fill this empty site with demo data: a year in the life of racks, crates, cards and
            their networks. In the folder of Cadastre, run
          </p>
          <pre class="snippet" tabindex={0}>
            <code>npm run demo</code>
          </pre>
          <p class="muted">
            With the binary, run <code>cadastre seed</code>. Demo data cannot be taken out again:
            use a database that you can delete.
          </p>
        </section>
      )}
    </div>
  );
}
