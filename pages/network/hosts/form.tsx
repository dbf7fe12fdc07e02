import type { HostChoices } from "../../../src/network/hosts/choices.ts";
import type { Proposal } from "../../../src/network/hosts/form_checks.ts";
import { MOVE_HINT } from "../../../src/network/hosts/mounted_items.ts";
import { Conflict, type EditConflict } from "../../parts/conflict.tsx";
import { CheckBox, Field, type Filled, Summary } from "../../parts/forms.tsx";
import { ListField, ListFieldBefore } from "../../parts/list_field.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { SaveButtons } from "../../parts/save_buttons.tsx";
import { Select } from "../../parts/select.tsx";
import { useHx } from "../../request/frame.ts";
import {
  AddressField,
  CheckNote,
  type EditedConnection,
  MacField,
  NetworkField,
  useFieldCheck,
} from "../connection.tsx";
import { hostPath } from "../paths.ts";
import { PATH } from "./list.tsx";

/** The list fields. */
export interface Lists {
  items: string[];
  automation_groups: string[];
}

export interface FormProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  lists: Lists;
  choices: HostChoices;
  /** The MAC addresses of the items. */
  macs: string[];
  proposal: Proposal | undefined;
  /** The host that is edited, its version, and its lists when the form was opened. */
  editing?: { id: number; name: string; version: number; before: Lists };
  conflict?: EditConflict;
}

/** The form that creates and edits a host. */
export function HostForm(props: FormProps) {
  const { action, filled, choices, editing, conflict } = props;
  const types = choices.device_types.map((name) => ({ value: name, label: name }));
  return (
    <form class="sheet host" method="post" action={action} data-guard>
      {editing && <Before {...editing} />}
      {conflict && <Conflict {...conflict} noun="host" shape={filled.shape} />}
      <Summary filled={filled} />
      <Name {...props} />
      <div class="pair">
        <Select filled={filled} name="device_type" options={types} />
        <CheckBox filled={filled} name="is_ioc" label="IOC" />
      </div>
      {!editing && <First {...props} />}
      <Equipment {...props} />
      <Field filled={filled} name="description" rows={2} />
      <Field
        filled={filled}
        name="automation_vars"
        hint="For Ansible, as YAML or a JSON object; they override those of its groups"
        rows={3}
        more={{ class: "mono", spellcheck: "false" }}
      />
      <OtherFields filled={filled} placed={PLACED} />
      <SaveButtons isNew={!editing} back={editing ? hostPath(editing.name) : PATH} />
    </form>
  );
}

const PLACED = [
  ...["name", "device_type", "is_ioc", "network", "ip", "mac", "description", "automation_vars"],
  ...["items", "items_before", "automation_groups", "automation_groups_before", "take_items"],
];

function Before({ version, before }: NonNullable<FormProps["editing"]>) {
  return (
    <>
      <input type="hidden" name="version" value={version} />
      <ListFieldBefore name="items" values={before.items} />
      <ListFieldBefore name="automation_groups" values={before.automation_groups} />
    </>
  );
}

const RENAMED =
  "A new name also changes the main interface and the full name; cnames stay, and old URLs redirect";

function Name({ filled, editing }: FormProps) {
  const check = useFieldCheck(subjectOf(editing));
  return (
    <div>
      <Field filled={filled} name="name" hint={editing && RENAMED} autofocus more={check("name")} />
      <CheckNote field="name" />
    </div>
  );
}

function First({ filled, choices, proposal, macs }: FormProps) {
  const of = subjectOf(undefined);
  return (
    <fieldset class="part">
      <legend>First interface</legend>
      <NetworkField filled={filled} of={of} networks={choices.networks} none="No network" />
      <div class="pair">
        <AddressField filled={filled} of={of} proposal={proposal} />
        <MacField filled={filled} of={of} macs={macs} />
      </div>
    </fieldset>
  );
}

function Equipment({ filled, lists, choices, editing }: FormProps) {
  const hx = useHx();
  const look = hx({
    post: "/network/_validate/items",
    target: "#field-mac-names",
    swap: "outerHTML",
    trigger: "change",
  });
  return (
    <>
      <ListField
        filled={filled}
        name="items"
        noun="Item"
        values={lists.items}
        hint={editing ? undefined : "Their MAC addresses are suggested above"}
        names={[]}
        suggest="/network/_suggest/items"
        more={editing ? { class: "mono" } : { class: "mono", ...look }}
      />
      {filled.errors.some(({ message }) => message.endsWith(MOVE_HINT)) && (
        <CheckBox filled={filled} name="take_items" label="Move these items from the other hosts" />
      )}
      <ListField
        filled={filled}
        name="automation_groups"
        noun="Group"
        values={lists.automation_groups}
        names={choices.groups}
        suggest="/network/_suggest/groups"
      />
    </>
  );
}

function subjectOf(editing: FormProps["editing"]): EditedConnection {
  return editing ? { host: editing.id } : {};
}
