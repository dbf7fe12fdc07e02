// The first steps of a new site, in the order in which records need each other.
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";
import { NOTED, type NotedStep, type FirstStep as Step } from "../../src/system/first_steps.ts";
import { BACKUP_HELP, SIGN_IN, SYSTEM } from "../admin/paths.ts";
import { Qr } from "../parts/qr.tsx";

const STEPS_PATH = "/admin/first-steps";
export const NETWORK_STEP = `${STEPS_PATH}/network`;
export const NAMES_STEP = `${STEPS_PATH}/names`;
export const NOTE_STEP = `${STEPS_PATH}/done`;
export const CLOSE = `${STEPS_PATH}/close`;

interface FirstStepRow {
  /** One or two ways. */
  links: ReadonlyArray<readonly [href: string, label: string]>;
  what: string;
  more?: readonly [href: string, label: string];
  makes: Step;
  allowed: Allowed;
}

const STEPS: FirstStepRow[] = [
  {
    links: [[NETWORK_STEP, "Add first network"]],
    what: "a domain, a scope and a VLAN for hosts, in one form",
    makes: "networks",
    allowed: ["admin"],
  },
  {
    links: [[NAMES_STEP, "Add usual statuses and device types"]],
    what: "what state equipment is in, and what kinds of hosts there are",
    makes: "statuses",
    allowed: ["admin"],
  },
  {
    links: [
      ["/network/hosts/create", "Add host"],
      ["/network/hosts/import", "Import hosts"],
    ],
    what: "a host gets the first free address; a file is from Excel or CSV",
    makes: "hosts",
    allowed: ["network", "admin"],
  },
  {
    links: [["/inventory/attributes/location", "Add locations"]],
    what: "the halls, rooms and racks where equipment is",
    makes: "locations",
    allowed: ["inventory", "admin"],
  },
  {
    links: [
      ["/inventory/items/create", "Add item"],
      ["/inventory/items/import", "Import items"],
    ],
    what: "an item is any piece of equipment; a file is from Excel or CSV",
    makes: "items",
    allowed: ["inventory", "admin"],
  },
  {
    links: [["/admin/users/create", "Add users"]],
    what: "and decide what they may do",
    makes: "users",
    allowed: ["admin"],
  },
  {
    links: [[SYSTEM, "Make a backup"]],
    what: "of everything; the page says how the service makes one every day",
    more: [BACKUP_HELP, "How backups work"],
    makes: "backups",
    allowed: ["admin"],
  },
  {
    links: [[SIGN_IN, "Connect your site's sign-in"]],
    what: "a directory or a provider, or Cadastre passwords alone",
    makes: "sign_in",
    allowed: ["admin"],
  },
  {
    links: [],
    what: "to scan codes where the equipment is",
    makes: "phone",
    allowed: ["admin"],
  },
  {
    links: [["/user/profile", "Generate token"]],
    what: "for programs that use the API",
    makes: "tokens",
    allowed: "everyone",
  },
];

const NOTES: Record<NotedStep, string> = {
  sign_in: "Cadastre passwords are enough",
  phone: "My phone is connected",
};

interface Props {
  caller: Caller;
  /** Undefined for users who are not told, because nothing is there yet. */
  taken?: ReadonlySet<Step> | undefined;
  isEmpty: boolean;
  /** The address of the site. */
  origin: string;
}

/** The steps that the caller is permitted to take. */
export function FirstSteps({ caller, taken, isEmpty, origin }: Props) {
  return (
    <div class="cards">
      <section class="card" aria-labelledby="steps-title">
        <h2 id="steps-title">First steps</h2>
        <ol class="steps">
          {STEPS.filter(({ allowed }) => may(caller, allowed)).map((step) => (
            <li>
              <StepLine {...step} isDone={taken?.has(step.makes) ?? false} origin={origin} />
            </li>
          ))}
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

function StepLine(step: FirstStepRow & { isDone: boolean; origin: string }) {
  const { links, what, more, makes, isDone, origin } = step;
  const noted = NOTED.find((one) => one === makes);
  return (
    <>
      {links.map(([href, label], at) => (
        <>
          {at > 0 && " or "}
          <a href={href}>{label}</a>
        </>
      ))}
      {makes === "phone" && "Open Cadastre on a phone"}{" "}
      {isDone ? (
        <span class="tag good">done</span>
      ) : (
        <span class="muted">
          {what}
          {more && ". "}
          {more && <a href={more[0]}>{more[1]}</a>}
        </span>
      )}
      {makes === "phone" && !isDone && <PhoneCode origin={origin} />}
      {noted && !isDone && (
        <form method="post" action={NOTE_STEP}>
          <button type="submit" name="step" value={noted}>
            {NOTES[noted]}
          </button>
        </form>
      )}
    </>
  );
}

function PhoneCode({ origin }: { origin: string }) {
  const { hostname } = new URL(origin);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (isLocal)
    return (
      <p class="muted">
        A phone cannot reach {origin}: open Cadastre here by its address in your network first.
      </p>
    );
  return (
    <details>
      <summary>Show the code for the camera of the phone</summary>
      <figure class="qr">
        <Qr text={`${origin}/`} />
        <figcaption>{origin}</figcaption>
      </figure>
    </details>
  );
}

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
