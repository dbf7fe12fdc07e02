// The form of a host; a new one has its first interface there.
import { choices, type HostChoices, macsOn } from "../../../src/network/hosts/choices.ts";
import { type Proposal, proposeIn } from "../../../src/network/hosts/form_checks.ts";
import * as entry from "../../../src/network/hosts/form_input.ts";
import type { Host } from "../../../src/network/hosts/host.ts";
import { MOVE_HINT } from "../../../src/network/hosts/mounted_items.ts";
import { textsIn } from "../../../src/store/versions.ts";
import { CheckBox, Field, type Filled } from "../../parts/forms.tsx";
import { ListField, ListFieldBefore } from "../../parts/list_field.tsx";
import { Select } from "../../parts/select.tsx";
import { useHx } from "../../request/frame.ts";
import type { FormParts } from "../../resource/form.tsx";
import { recordChange, recordCreation, type ShownForm } from "../../resource/hooks.ts";
import {
  AddressField,
  CheckNote,
  type EditedConnection,
  MacField,
  NetworkField,
  useFieldCheck,
} from "../connection.tsx";

const { newEntry, changedEntry, FORM_FIELDS } = entry;

export const hostCreation = recordCreation({
  shape: newEntry,
  work: async (caller, input) => ({ name: await entry.create(caller, input) }),
  placeholders: { name: crypto.randomUUID(), device_type: "Physical" },
  keeps: ["device_type", "is_ioc", "network", "automation_groups"],
});

export const hostChange = recordChange({
  shape: changedEntry,
  values: (record) => textsIn(record, FORM_FIELDS),
  work: (caller, input, { edited }) => entry.update(caller, edited.id, input),
});

/** The list fields. */
interface Lists {
  items: string[];
  automation_groups: string[];
}

interface HostInputsProps {
  filled: Filled;
  lists: Lists;
  choices: HostChoices;
  /** The MAC addresses of the items. */
  macs: string[];
  proposal: Proposal | undefined;
  edited: Host | undefined;
}

export async function hostForm(state: ShownForm<Host>): Promise<FormParts> {
  const { request, caller, edited, sent } = state;
  const { values } = state.filled;
  const isOpened = !edited && !sent;
  const lists = sent ? listsIn(sent) : (edited?.row ?? listsIn(new URL(request.url).searchParams));
  const [offered, macs] = await Promise.all([choices(caller), macsOn(lists.items)]);
  // The map of a network links its free addresses to this form.
  const network = values.network ?? onlyOne(offered.networks);
  const proposal = isOpened && network ? await proposeIn(caller, network) : undefined;
  const proposed = { device_type: "Physical", network, ip: proposal?.ip ?? "" };
  const filled = isOpened ? { ...state.filled, values: { ...proposed, ...values } } : state.filled;
  const before = sent ? beforeIn(sent) : lists;
  return {
    attributes: { class: "sheet host" },
    filled,
    hidden: edited && (
      <>
        <ListFieldBefore name="items" values={before.items} />
        <ListFieldBefore name="automation_groups" values={before.automation_groups} />
      </>
    ),
    fields: (
      <Inputs
        filled={filled}
        lists={lists}
        choices={offered}
        macs={macs}
        proposal={proposal}
        edited={edited?.row}
      />
    ),
    placed: PLACED,
  };
}

/** The first network of a site is the one that is meant. */
function onlyOne([first, ...others]: HostChoices["networks"]): string | undefined {
  return others.length === 0 ? first?.name : undefined;
}

type Sent = Pick<FormData, "getAll"> | Pick<URLSearchParams, "getAll">;

function listsIn(sent: Sent): Lists {
  return { items: namesIn(sent, "items"), automation_groups: namesIn(sent, "automation_groups") };
}

/** As they were when the form was opened. */
function beforeIn(form: FormData): Lists {
  return {
    items: namesIn(form, "items_before"),
    automation_groups: namesIn(form, "automation_groups_before"),
  };
}

function namesIn(sent: Sent, name: string): string[] {
  const texts = sent.getAll(name).map((one) => String(one).trim());
  return texts.filter((text) => text !== "");
}

function Inputs(props: HostInputsProps) {
  const { filled, choices: offered, edited } = props;
  const types = offered.device_types.map((name) => ({ value: name, label: name }));
  return (
    <>
      <Name {...props} />
      <div class="pair">
        <Select filled={filled} name="device_type" options={types} />
        <CheckBox filled={filled} name="is_ioc" label="IOC" />
      </div>
      {!edited && <First {...props} />}
      <Equipment {...props} />
      <Field filled={filled} name="description" rows={2} />
      <Field
        filled={filled}
        name="automation_vars"
        hint="For Ansible, as YAML or a JSON object; they override those of its groups"
        rows={3}
        more={{ class: "mono", spellcheck: "false" }}
      />
    </>
  );
}

const PLACED = [
  ...["name", "device_type", "is_ioc", "network", "ip", "mac", "description", "automation_vars"],
  ...["items", "items_before", "automation_groups", "automation_groups_before", "take_items"],
];

const RENAMED =
  "A new name also changes the main interface and the full name; cnames stay, and old URLs redirect";

function Name({ filled, edited }: HostInputsProps) {
  const check = useFieldCheck(subjectOf(edited));
  return (
    <div>
      <Field filled={filled} name="name" hint={edited && RENAMED} autofocus more={check("name")} />
      <CheckNote field="name" />
    </div>
  );
}

function First({ filled, choices: offered, proposal, macs }: HostInputsProps) {
  const of = subjectOf(undefined);
  return (
    <fieldset class="part">
      <legend>First interface</legend>
      <NetworkField filled={filled} of={of} networks={offered.networks} none="No network" />
      <div class="pair">
        <AddressField filled={filled} of={of} proposal={proposal} />
        <MacField filled={filled} of={of} macs={macs} />
      </div>
    </fieldset>
  );
}

function Equipment({ filled, lists, choices: offered, edited }: HostInputsProps) {
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
        hint={edited ? undefined : "Their MAC addresses are suggested above"}
        names={[]}
        suggest="/network/_suggest/items"
        more={edited ? { class: "mono" } : { class: "mono", ...look }}
      />
      {filled.errors.some(({ message }) => message.endsWith(MOVE_HINT)) && (
        <CheckBox filled={filled} name="take_items" label="Move these items from the other hosts" />
      )}
      <ListField
        filled={filled}
        name="automation_groups"
        noun="Group"
        values={lists.automation_groups}
        names={offered.groups}
        suggest="/network/_suggest/groups"
      />
    </>
  );
}

function subjectOf(edited: Host | undefined): EditedConnection {
  return edited ? { host: edited.id } : {};
}
