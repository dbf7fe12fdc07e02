import { ITEM_KINDS, type ItemKind } from "../../../src/inventory/attributes/attribute.ts";
import type {
  ItemChoices,
  SerialDuplicate,
  StackMembers,
} from "../../../src/inventory/items/choices.ts";
import { CHOOSE_BELOW } from "../../../src/inventory/items/form_input.ts";
import { item } from "../../../src/inventory/items/item.ts";
import { Conflict, type EditConflict } from "../../parts/conflict.tsx";
import { CheckBox, Field, type Filled, fieldLabel, idOf, Summary } from "../../parts/forms.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { SaveButtons } from "../../parts/save_buttons.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { useHx } from "../../request/frame.ts";
import { MACS_HINT } from "../../texts.ts";
import { PATH, viewPath } from "./list.tsx";
import { SerialDuplicates } from "./serial_duplicates.tsx";

export interface FormProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  choices: ItemChoices;
  twins: SerialDuplicate[];
  stack: StackMembers | undefined;
  /** Kinds with an unknown name: the attribute can be created with the item. */
  missing: ItemKind[];
  /** The kinds to create. */
  wanted: string[];
  /** The MAC addresses to remove. */
  freed: string[];
  /** The item that is edited, and its version. */
  editing?: { ics_id: string; isTemporary: boolean; version: number; macs: string[] };
  conflict?: EditConflict;
}

/** The form that creates and edits an item. */
export function ItemForm(given: FormProps) {
  const { action, editing, conflict } = given;
  const labels = editing && { macs: "Add MAC addresses" };
  const filled = labels ? { ...given.filled, labels } : given.filled;
  const props = { ...given, filled };
  return (
    <form class="sheet item" method="post" action={action} data-guard>
      {editing && <input type="hidden" name="version" value={editing.version} />}
      {conflict && <Conflict {...conflict} noun="item" shape={filled.shape} />}
      <Summary filled={filled} />
      <SerialNumber {...props} />
      <Label {...props} />
      <div class="pair">
        {ITEM_KINDS.map((kind) => (
          <Attribute {...props} kind={kind} />
        ))}
      </div>
      <Placement {...props} />
      {editing && <Macs {...props} macs={editing.macs} />}
      <Field filled={filled} name="macs" hint={MACS_HINT} rows={2} more={{ class: "mono" }} />
      {!editing && <Field filled={filled} name="comment" rows={2} />}
      <OtherFields filled={filled} placed={PLACED} />
      <SaveButtons isNew={!editing} back={editing ? viewPath(editing.ics_id) : PATH} />
    </form>
  );
}

const PLACED = [
  ...["serial_number", "ics_id", "quantity", ...ITEM_KINDS, "create", "parent", "host"],
  ...["stack_member", "macs", "free", "comment", "leave_parent"],
];

function SerialNumber({ action, filled, twins }: FormProps) {
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

function Label({ filled, editing }: FormProps) {
  const quantity = <Field filled={filled} name="quantity" more={{ inputmode: "numeric" }} />;
  if (editing && !editing.isTemporary) {
    return (
      <div class="pair">
        <div class="field">
          <label for="field-ics_id">{fieldLabel(filled, "ics_id")}</label>
          <input type="text" id="field-ics_id" class="mono" value={editing.ics_id} readOnly />
          <p class="hint">Printed on a label, so it cannot be changed</p>
        </div>
        {quantity}
      </div>
    );
  }
  const hint = editing
    ? `${editing.ics_id} is temporary: enter the id of the label, or leave blank`
    : "Leave blank for a temporary id until there is a label";
  return (
    <div class="pair">
      <Field filled={filled} name="ics_id" hint={hint} more={{ class: "mono" }} />
      {quantity}
    </div>
  );
}

function Attribute(props: FormProps & { kind: ItemKind }) {
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
          Create {kind} ‘{filled.values[kind]}’
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

function Placement(props: FormProps) {
  const { action, filled, editing } = props;
  const hx = useHx();
  const look = { get: action, target: "#stack", swap: "outerHTML", trigger: "change" };
  const id = idOf("host");
  const hint = editing
    ? "The item gets the location and status of a new parent, unless you change them here"
    : "Blank location and status are taken from the parent";
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
export function StackMember({ filled, stack }: Pick<FormProps, "filled" | "stack">) {
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
function Macs({ macs, freed }: FormProps & { macs: string[] }) {
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
