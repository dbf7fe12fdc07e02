// The form of an item. htmx gets what depends on a field: the items with the same serial number, the stack members of a
// host.
import type { Caller } from "../../../src/auth/auth.ts";
import { Refusal } from "../../../src/input/errors.ts";
import { ITEM_KINDS, type ItemKind } from "../../../src/inventory/attributes/attribute.ts";
import * as choices from "../../../src/inventory/items/choices.ts";
import * as entry from "../../../src/inventory/items/form_input.ts";
import { item } from "../../../src/inventory/items/item.ts";
import { isTemporary } from "../../../src/inventory/items/item_rules.ts";
import type * as items from "../../../src/inventory/items/items.ts";
import { type Texts, textsIn } from "../../../src/store/versions.ts";
import { fragment, wantsFragment } from "../../layout/page.tsx";
import { blank, CheckBox, Field, type Filled, fieldLabel, idOf } from "../../parts/forms.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { ModelAndPlace } from "../../records/links.tsx";
import { useHx } from "../../request/frame.ts";
import type { FormParts } from "../../resource/form.tsx";
import {
  type AskedForm,
  recordChange,
  recordCreation,
  type ShownForm,
} from "../../resource/hooks.ts";
import { MACS_HINT } from "../../texts.ts";
import { itemPath } from "./paths.ts";

const { newEntry, changedEntry, CHOOSE_BELOW, FORM_FIELDS } = entry;
const TRYING = { placeholders: { serial_number: "-" }, dependents: { stack_member: "host" } };

export const itemCreation = recordCreation({
  ...TRYING,
  shape: newEntry,
  work: async (caller, input) => ({ name: await entry.create(caller, input) }),
  keeps: [...ITEM_KINDS, "parent"],
});

export const itemChange = recordChange({
  ...TRYING,
  shape: changedEntry,
  values: valuesOf,
  work: async (caller, input, { edited }) => {
    const { ics_id, changed } = await entry.update(caller, edited.name, input);
    return { name: ics_id, changed };
  },
});

/** A temporary id leaves the field empty. */
function valuesOf(record: object): Texts {
  const { ics_id = "", ...values } = textsIn(record, FORM_FIELDS);
  return { ics_id: isTemporary(ics_id) ? "" : ics_id, ...values };
}

interface ItemInputsProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  choices: choices.ItemChoices;
  twins: choices.SerialDuplicate[];
  stack: choices.StackMembers | undefined;
  /** Kinds with an unknown name: the attribute can be created with the item. */
  missing: ItemKind[];
  /** The kinds to create. */
  wanted: string[];
  /** The MAC addresses to remove. */
  freed: string[];
  edited: items.ItemOfPage | undefined;
}

export async function itemForm(state: ShownForm<items.ItemOfPage>): Promise<FormParts> {
  const { caller, action, edited, sent } = state;
  const labels = edited && { macs: "Add MAC addresses" };
  const filled = labels ? { ...state.filled, labels } : state.filled;
  const { values } = filled;
  const [offered, others, stack, missing] = await Promise.all([
    choices.choices(caller),
    choices.duplicateSerials(values, edited?.name),
    stackOf(caller, { host: values.host, item: edited?.name }),
    choices.missing(values),
  ]);
  return {
    attributes: { class: "sheet item" },
    filled,
    fields: (
      <Inputs
        action={action}
        filled={filled}
        choices={offered}
        twins={others}
        stack={stack}
        missing={missing}
        wanted={sent?.getAll("create").map(String) ?? []}
        freed={sent?.getAll("free").map(String) ?? []}
        edited={edited?.row}
      />
    ),
    placed: PLACED,
  };
}

/** The fragment that depends on the field that htmx sent. */
export async function itemFormPart({
  request,
  caller,
  form,
  edited,
}: AskedForm<items.ItemOfPage>): Promise<Response | undefined> {
  if (form || !wantsFragment(request)) return undefined;
  const ics_id = edited?.name ?? "";
  const { searchParams } = new URL(request.url);
  const host = searchParams.get("host");
  if (host !== null) {
    const stack = await stackOf(caller, { host, item: ics_id });
    const values = { stack_member: String(stack?.selected_member ?? "") };
    return fragment(request, <StackMember filled={blank(changedEntry, values)} stack={stack} />);
  }
  const twins = await choices.duplicateSerials(Object.fromEntries(searchParams), ics_id);
  return fragment(request, <SerialDuplicates twins={twins} />);
}

/** Undefined for a host that does not exist or is hidden from the caller. */
async function stackOf(
  caller: Caller,
  { host, item: ics_id }: { host?: string; item?: string },
): Promise<choices.StackMembers | undefined> {
  const name = host?.trim().toLowerCase();
  if (!name) return undefined;
  try {
    return await choices.stackMembers(caller, { name }, ics_id);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

function Inputs(props: ItemInputsProps) {
  const { filled, edited } = props;
  return (
    <>
      <SerialNumber {...props} />
      <Label {...props} />
      <div class="pair">
        {ITEM_KINDS.map((kind) => (
          <Attribute {...props} kind={kind} />
        ))}
      </div>
      <Placement {...props} />
      <Macs {...props} />
      <Field filled={filled} name="macs" hint={MACS_HINT} rows={2} more={{ class: "mono" }} />
      {!edited && <Field filled={filled} name="comment" rows={2} />}
    </>
  );
}

const PLACED = [
  ...["serial_number", "ics_id", "quantity", ...ITEM_KINDS, "create", "parent", "host"],
  ...["stack_member", "macs", "free", "comment", "leave_parent"],
];

function SerialNumber({ action, filled, twins }: ItemInputsProps) {
  const hx = useHx();
  const look = {
    get: action,
    target: "#twins",
    swap: "outerHTML",
    include: "#field-manufacturer",
    trigger: "input changed delay:300ms, change from:#field-manufacturer",
    sync: "this:replace",
  };
  return (
    <>
      <Field filled={filled} name="serial_number" autofocus more={hx(look)} />
      <SerialDuplicates twins={twins} />
    </>
  );
}

function Label({ filled, edited }: ItemInputsProps) {
  const quantity = <Field filled={filled} name="quantity" more={{ inputmode: "numeric" }} />;
  if (edited && !isTemporary(edited.ics_id)) {
    return (
      <div class="pair">
        <div class="field">
          <label for="field-ics_id">{fieldLabel(filled, "ics_id")}</label>
          <input type="text" id="field-ics_id" class="mono" value={edited.ics_id} readOnly />
          <p class="hint">Printed on a label, so it cannot be changed</p>
        </div>
        {quantity}
      </div>
    );
  }
  const hint = edited
    ? `${edited.ics_id} is temporary: enter its label, or leave blank`
    : "As printed on it, such as AAA001. Default: a temporary id (ZZ…) until you attach a label";
  return (
    <div class="pair">
      <Field filled={filled} name="ics_id" hint={hint} more={{ class: "mono" }} />
      {quantity}
    </div>
  );
}

function Attribute(props: ItemInputsProps & { kind: ItemKind }) {
  const { filled, choices, kind, missing, wanted } = props;
  const id = idOf(kind);
  const suggest = `/inventory/_retrieve_attributes/${kind}`;
  return (
    <Field filled={filled} name={kind} more={suggesting({ id, suggest })}>
      <Suggestions id={id} names={choices[kind]} />
      {kind === "location" && <LeaveParent filled={filled} />}
      {missing.includes(kind) && (
        <label class="create">
          <input type="checkbox" name="create" value={kind} checked={wanted.includes(kind)} />
          Create {kind} "{filled.values[kind]}"
        </label>
      )}
    </Field>
  );
}

/** Once the user was asked; the item leaves its parent unless the user decides otherwise. */
export function LeaveParent({ filled, form }: { filled: Filled; form?: string }) {
  const isAsked = filled.errors.some(({ message }) => message.endsWith(CHOOSE_BELOW));
  const values = { ...(isAsked && { leave_parent: "true" }), ...filled.values };
  if (!values.leave_parent) return null;
  const asked = { ...filled, values };
  return (
    <CheckBox filled={asked} name="leave_parent" form={form} label="Take it out of its parent" />
  );
}

const HOSTS = "/inventory/_retrieve_host_names";

function Placement(props: ItemInputsProps) {
  const { action, filled, edited } = props;
  const hx = useHx();
  const look = { get: action, target: "#stack", swap: "outerHTML", trigger: "change" };
  const id = idOf("host");
  const hint = edited
    ? "The item gets the location and status of a new parent, unless you change them here"
    : "Default: the location and status of the parent";
  return (
    <>
      <Field
        filled={filled}
        name="parent"
        hint={hint}
        more={{ class: "mono", placeholder: "AAA001" }}
      />
      <div class="pair">
        <Field
          filled={filled}
          name="host"
          more={{ ...hx(look), ...suggesting({ id, suggest: HOSTS }) }}
        >
          <Suggestions id={id} names={[]} />
        </Field>
        <StackMember {...props} />
      </div>
    </>
  );
}

const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The free stack members of the host; all of them until a host is chosen. */
function StackMember({ filled, stack }: Pick<ItemInputsProps, "filled" | "stack">) {
  const chosen = filled.values.stack_member ?? "";
  const error = filled.errors.find(({ field }) => field === "stack_member");
  const free = stack ? stack.stack_members : ALL;
  const kept = /^[0-9]$/.test(chosen) && error ? [Number(chosen)] : [];
  const shown = [...new Set([...free, ...kept])].toSorted((one, other) => one - other);
  return (
    <div class="field" id="stack">
      <label for="field-stack_member">{fieldLabel(filled, "stack_member")}</label>
      <select
        id="field-stack_member"
        name="stack_member"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? "error-stack_member" : "hint-stack_member"}
      >
        <option value="">None</option>
        <StackOptions members={shown} selected={chosen} />
      </select>
      <p class="hint" id="hint-stack_member">
        {stack?.disabled ? "This host has no stack members" : "Only for network devices"}
      </p>
      {error && (
        <p class="error" id="error-stack_member">
          {error.message}
        </p>
      )}
    </div>
  );
}

export function StackOptions({ members, selected }: { members: number[]; selected: string }) {
  return (
    <>
      {members.map((member) => (
        <option value={member} selected={String(member) === selected}>
          {member}
        </option>
      ))}
    </>
  );
}

/** A checkbox that removes each address, so that simultaneous edits keep what the other user added. */
function Macs({ edited, freed }: ItemInputsProps) {
  const macs = edited?.macs ?? [];
  if (macs.length === 0) return null;
  return (
    <fieldset class="field">
      <legend>{item.fields.macs.label}</legend>
      {macs.map((mac) => (
        <label class="create">
          <input type="checkbox" name="free" value={mac} checked={freed.includes(mac)} />
          <span>
            Remove <span class="mono">{mac}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A warning, not an error: two cards can have the same number. Rendered empty too, as htmx replaces it. */
export function SerialDuplicates({ twins }: { twins: choices.SerialDuplicate[] }) {
  return (
    <div id="twins" role="status">
      {twins.length > 0 && (
        <div class="note warn">
          <p>{twins.length === 1 ? "Another item has" : "Other items have"} this serial number:</p>
          <ul class="plain">
            {twins.map(({ ics_id, model, location }) => (
              <li>
                <a class="mono" href={itemPath(ics_id)}>
                  {ics_id}
                </a>{" "}
                <ModelAndPlace model={model} location={location} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
