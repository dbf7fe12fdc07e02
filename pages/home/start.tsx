// The forms of the first steps: the first network with its domain and scope, the usual statuses and device types, and
// what an admin says of the steps themselves.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import { contextOf } from "../../src/http/request_context.ts";
import { closed, readFormInput } from "../../src/input/shape.ts";
import * as first from "../../src/network/first_network.ts";
import type { NetworkTexts } from "../../src/network/networks/form_input.ts";
import { choices, MOST_NAMES, type ScopeChoices } from "../../src/network/scopes/choices.ts";
import * as usual from "../../src/network/usual_names.ts";
import * as firstSteps from "../../src/system/first_steps.ts";
import { page, redirect, withUndo } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { countOf } from "../parts/count.ts";
import {
  attempt,
  blank,
  CheckBoxes,
  Field,
  type Filled,
  idOf,
  refused,
  Summary,
} from "../parts/forms.tsx";
import { Suggestions, suggesting } from "../parts/typeahead.tsx";
import { textsOf } from "../request/form_values.ts";
import { useHx } from "../request/frame.ts";
import { guard } from "../request/guard.ts";
import { CLOSE, NAMES_STEP, NETWORK_STEP, NOTE_STEP } from "./first_steps.tsx";

export const startPages = new Elysia({ normalize: false })
  .use(guard)
  .get(
    NETWORK_STEP,
    async ({ request }) => {
      const values = await first.proposal(parentDomain(contextOf(request).origin));
      return showNetwork(request, blank(first.firstNetwork, values));
    },
    { see: ["admin"] },
  )
  .post(NETWORK_STEP, ({ request, caller, form }) => addNetwork(request, caller, form), {
    see: ["admin"],
  })
  .get(NAMES_STEP, ({ request }) => showNames(request), { see: ["admin"] })
  .post(
    NAMES_STEP,
    async ({ request, caller, form }) => {
      const tried = await attempt(() => usual.add(caller, readFormInput(CHOSEN, form)));
      if ("refusal" in tried) return showNames(request, refused(CHOSEN, form, tried.refusal));
      const { done } = tried;
      return redirect(
        request,
        "/",
        done > 0 ? withUndo(request, `Added ${countOf(done, "name")}`) : "There was nothing to add",
      );
    },
    { see: ["admin"] },
  )
  .post(
    NOTE_STEP,
    async ({ request, caller, form }) => {
      await firstSteps.note(caller, readFormInput(NOTED, form).step);
      return redirect(request, "/");
    },
    { see: ["admin"] },
  )
  .post(
    CLOSE,
    async ({ request, caller }) => {
      await firstSteps.close(caller);
      return redirect(request, "/");
    },
    { see: ["admin"] },
  );

const NOTED = closed({
  step: Type.Union(
    firstSteps.NOTED.map((step) => Type.Literal(step)),
    {
      description: `Use ${firstSteps.NOTED.join(" or ")}`,
    },
  ),
});

/** cadastre.lab.example.org is probably a host of lab.example.org. */
function parentDomain(origin: string): string {
  const [, ...labels] = new URL(origin).hostname.split(".");
  const isName = labels.length > 1 && /[a-z]/.test(labels.at(-1) ?? "");
  return isName ? labels.join(".") : "";
}

async function addNetwork(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { _validate, ...given } = textsOf(form);
  const texts = first.followed(given);
  if (_validate) return showNetwork(request, blank(first.firstNetwork, texts));
  const sent = formOf(texts);
  const tried = await attempt(async () =>
    first.create(caller, readFormInput(first.firstNetwork, sent)),
  );
  if ("refusal" in tried)
    return showNetwork(request, refused(first.firstNetwork, sent, tried.refusal));
  const { vlan_name = "" } = texts;
  const next = `/network/hosts/create?${new URLSearchParams({ network: vlan_name })}`;
  return redirect(request, next, withUndo(request, `Added network ${vlan_name}: now its hosts`));
}

function formOf(texts: NetworkTexts): FormData {
  const form = new FormData();
  for (const [name, text = ""] of Object.entries(texts)) form.append(name, text);
  return form;
}

async function showNetwork(request: Request, filled: Filled): Promise<Response> {
  const known = await choices();
  return step(request, filled, {
    title: "Add first network",
    lead: "A domain, a scope and a network, saved together",
    action: NETWORK_STEP,
    fields: <NetworkInputs filled={filled} known={known} />,
  });
}

function NetworkInputs({ filled, known }: { filled: Filled; known: ScopeChoices }) {
  const hx = useHx();
  const number = { inputmode: "numeric" };
  const mono = { class: "mono" };
  const part = { target: "#first-network", select: "#first-network", swap: "outerMorph" };
  const vals = JSON.stringify({ _validate: "supernet" });
  const follow = hx({ post: NETWORK_STEP, trigger: "change", vals, ...part });
  return (
    <>
      <Known filled={filled} name="domain" names={known.domains} autofocus>
        The names of hosts end with it, such as lab.example.org
      </Known>
      <fieldset class="part">
        <legend>Scope</legend>
        <Known filled={filled} name="scope" names={known.scopes}>
          A range of VLANs and a block of addresses, for many networks
        </Known>
        <Field
          filled={filled}
          name="supernet"
          hint="Usually a private block, such as 10.0.0.0/16"
          more={{ ...mono, ...follow }}
        />
        <div class="pair">
          <Field filled={filled} name="first_vlan" more={number} />
          <Field filled={filled} name="last_vlan" more={number} />
        </div>
      </fieldset>
      <fieldset class="part" id="first-network">
        <legend>Network</legend>
        <input type="hidden" name="_proposed" value={filled.values._proposed} />
        <div class="pair">
          <Field filled={filled} name="vlan_name" />
          <Field filled={filled} name="vlan_id" more={number} />
        </div>
        <Field
          filled={filled}
          name="address"
          hint="A block inside the supernet. As long as you leave it and the fields below as proposed, they follow the supernet"
          more={mono}
        />
        <div class="pair">
          <Field filled={filled} name="first_ip" more={mono} />
          <Field filled={filled} name="last_ip" more={mono} />
        </div>
        <Field filled={filled} name="gateway" hint="No host gets this address" more={mono} />
      </fieldset>
    </>
  );
}

interface KnownProps {
  filled: Filled;
  name: "domain" | "scope";
  names: string[];
  autofocus?: boolean;
  children: string;
}

/** A name that exists is offered; any other is new. */
function Known({ filled, name, names, autofocus = false, children }: KnownProps) {
  const id = idOf(name);
  const hint = names.length > 0 ? `${children}. If it exists, it is used unchanged` : children;
  const suggest = suggesting({ id, suggest: `/network/_retrieve_names/${name}s` });
  return (
    <Field {...{ filled, name, hint, autofocus }} more={suggest}>
      <Suggestions id={id} names={names.slice(0, MOST_NAMES)} />
    </Field>
  );
}

const CHOSEN = closed({
  statuses: chosenOf(usual.STATUSES),
  device_types: chosenOf(usual.DEVICE_TYPES),
});

function chosenOf(names: Readonly<Record<string, string>>) {
  return Type.Array(Type.Union(Object.keys(names).map((name) => Type.Literal(name))), {
    description: "Use the names that are offered",
    maxItems: Object.keys(names).length,
  });
}

async function showNames(request: Request, refusedNames?: Filled): Promise<Response> {
  const there = await usual.known();
  const left = (kind: keyof usual.KnownNames, all: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => !there[kind].includes(name.toLowerCase())),
    );
  const [statuses, types] = [
    left("statuses", usual.STATUSES),
    left("device_types", usual.DEVICE_TYPES),
  ];
  // The kinds of hosts that everybody needs exist from the beginning.
  const filled = refusedNames ?? blank(CHOSEN, { statuses: Object.keys(statuses).join("\n") });
  return step(request, filled, {
    title: "Add usual statuses and device types",
    lead: isEmpty(statuses) && isEmpty(types) ? "All of them exist already" : NAMES_LEAD,
    action: NAMES_STEP,
    fields: (
      <>
        <Names
          filled={filled}
          name="statuses"
          legend="Statuses"
          options={statuses}
          hint="What state an item is in"
        />
        <Names
          filled={filled}
          name="device_types"
          legend="Device types"
          options={types}
          hint="More types of hosts; the usual ones exist already"
        />
      </>
    ),
  });
}

const NAMES_LEAD = "Choose what your site needs; others can be added at any time";

function isEmpty(names: object): boolean {
  return Object.keys(names).length === 0;
}

function Names(props: Parameters<typeof CheckBoxes>[0]) {
  if (!isEmpty(props.options)) return <CheckBoxes {...props} />;
  return <input type="hidden" name={props.name} value="" />;
}

interface StepForm {
  title: string;
  lead: string;
  action: string;
  fields: ComponentChildren;
}

function step(request: Request, filled: Filled, { title, lead, action, fields }: StepForm) {
  return page(request, {
    title,
    crumbs: [{ label: "First steps", href: "/" }, { label: title }],
    status: filled.errors.length > 0 ? 422 : 200,
    body: (
      <>
        <PageHead title={title} lead={lead} />
        <form class="sheet" method="post" action={action} data-guard>
          <Summary filled={filled} />
          {fields}
          <div class="buttons">
            <button type="submit" class="primary">
              Save
            </button>
            <a class="button quiet" href="/">
              Cancel
            </a>
          </div>
        </form>
      </>
    ),
  });
}
