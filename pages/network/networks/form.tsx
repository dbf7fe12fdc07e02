// The form of a network. Leaving a field sends it with `_validate`: nothing is written, and the form comes back with the
// fields that depend on the named one, and with its errors.
import { asDryRunOfDraft, type Caller } from "../../../src/auth/auth.ts";
import { formatBlock, readBlock } from "../../../src/input/addresses.ts";
import { type FieldError, refuse } from "../../../src/input/errors.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/networks/form_input.ts";
import type { NetworkRow } from "../../../src/network/networks/network.ts";
import * as networks from "../../../src/network/networks/networks.ts";
import * as use from "../../../src/network/networks/usage.ts";
import { choices, type ScopeChoices } from "../../../src/network/scopes/choices.ts";
import { freeIn, type ScopeSpace, spaceNamed } from "../../../src/network/scopes/free_space.ts";
import { rowOf } from "../../../src/store/records.ts";
import { countOf } from "../../parts/count.ts";
import { attempt, BY_BOX, CheckBox, Field } from "../../parts/forms.tsx";
import { Select } from "../../parts/select.tsx";
import { field, textsOf, versionIn } from "../../request/form_values.ts";
import type { FormParts } from "../../resource/form.tsx";
import {
  type AskedForm,
  type FormState,
  recordChange,
  recordCreation,
  type ShownForm,
} from "../../resource/hooks.ts";
import { Choice } from "../scope_choice.tsx";
import { Addresses, type AddressesProps, useNetworkCheck } from "./addresses.tsx";

const { newEntry } = entry;
const { changedNetwork } = networks;

export const networkCreation = recordCreation({
  shape: newEntry,
  complete: async (form) => {
    const texts = networkTextsIn(form);
    return formOf(entry.proposeAtLast(await spaceNamed(texts.scope ?? ""), texts));
  },
  work: (caller, input, { form }) =>
    unlessDoubted(caller, entry.doubtsOf(networkTextsIn(form)), async (as) => {
      const { vlan_name } = rowOf(await entry.create(as, input));
      return { name: vlan_name };
    }),
  keeps: ["scope"],
});

export const networkChange = recordChange({
  shape: changedNetwork,
  work: (caller, input, { form, edited }) =>
    unlessDoubted(caller, doubtsIn(form, edited.values), async (as) => {
      const { vlan_name } = rowOf(await networks.update(as, edited.id, input));
      return { name: vlan_name };
    }),
});

/** With doubts the write is a dry run: once it has no errors, the user is asked. */
async function unlessDoubted<T>(
  caller: Caller,
  doubts: FieldError[],
  work: (as: Caller) => Promise<T>,
): Promise<T> {
  if (doubts.length === 0) return work(caller);
  await work(asDryRunOfDraft(caller));
  throw refuse(doubts.map(({ field, message }) => ({ field, message: `${message}${BY_BOX}` })));
}

/** A range that was so before is not asked about again. */
function doubtsIn(form: FormData, before: entry.NetworkTexts): FieldError[] {
  const texts = networkTextsIn(form);
  const isSame = ["address", "first_ip", "last_ip"].every((name) => texts[name] === before[name]);
  return isSame ? [] : entry.doubtsOf(texts);
}

function networkTextsIn(form: FormData): entry.NetworkTexts {
  const { _validate, ...texts } = textsOf(form);
  return texts;
}

function formOf(texts: entry.NetworkTexts): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.append(name, text ?? "");
  return form;
}

/** A new network shows the errors of fields that are filled in, not of blank ones. */
export async function checkNetwork({
  caller,
  form,
  edited,
}: AskedForm<NetworkRow>): Promise<FormState<NetworkRow> | undefined> {
  if (!form?.has("_validate")) return undefined;
  const texts = networkTextsIn(form);
  const space = edited ? undefined : await spaceNamed(texts.scope ?? "");
  const values = entry.propose(space, texts, field(form, "_validate"));
  const [as, sent] = [asDryRunOfDraft(caller), formOf(values)];
  const tried = await attempt<unknown>(async () =>
    edited
      ? networks.update(as, edited.id, readFormInput(changedNetwork, sent))
      : unlessDoubted(as, entry.doubtsOf(values), async (by) =>
          entry.create(by, readFormInput(newEntry, sent)),
        ),
  );
  const errors = "refusal" in tried ? tried.refusal.errors : [];
  return {
    sent: form,
    edited: edited && { ...edited, version: versionIn(form) || edited.version },
    filled: {
      shape: edited ? changedNetwork : newEntry,
      values,
      errors: edited ? errors : errors.filter((error) => values[error.field]),
      isDraft: true,
    },
  };
}

/** The network that is edited, and what the change could affect. */
interface EditedNetwork {
  vlan_name: string;
  vlan_id: number;
  hidden: use.HiddenCounts;
  outside: use.InterfacesOutside | undefined;
}

interface NetworkInputsProps extends AddressesProps {
  choices: ScopeChoices;
  editing: EditedNetwork | undefined;
}

export async function networkForm(state: ShownForm<NetworkRow>): Promise<FormParts> {
  const { action, edited, sent } = state;
  const [offered, space, editing] = await Promise.all([
    choices(),
    spaceNamed(edited?.row.scope ?? state.filled.values.scope ?? ""),
    edited && editingState(edited.row, state.filled.values.address),
  ]);
  const given = state.filled.values;
  const values = edited ? given : entry.propose(space, given, sent ? "" : "scope");
  const filled = { ...state.filled, values };
  const size = Number(values.prefix ?? space?.selected_prefix);
  const subnets = space && !edited ? freeIn(space, size) : [];
  return {
    attributes: { id: "entry", "data-changed": filled.isDraft },
    filled,
    fields: <Inputs {...{ action, filled, choices: offered, space, subnets, editing }} />,
    placed: PLACED,
    buttons: !edited && <FillIn />,
  };
}

async function editingState(
  { id, vlan_name, vlan_id, address }: NetworkRow,
  entered = "",
): Promise<EditedNetwork> {
  const block = readBlock(entered.trim());
  const isMoved = block && formatBlock(block) !== address;
  const [hidden, outside] = await Promise.all([
    use.countsHiddenBy(id),
    isMoved ? use.interfacesOutside(id, formatBlock(block)) : undefined,
  ]);
  return { vlan_name, vlan_id, hidden, outside: outside?.total ? outside : undefined };
}

function Inputs(props: NetworkInputsProps) {
  const { filled, editing, space } = props;
  const check = useNetworkCheck(props);
  return (
    <>
      {editing ? (
        <p class="muted">
          VLAN {editing.vlan_id} in scope {space?.name}
        </p>
      ) : (
        <ScopeAndSize {...props} />
      )}
      <div class="pair">
        <Field
          filled={filled}
          name="vlan_name"
          autofocus={editing !== undefined}
          more={check("vlan_name")}
        />
        {!editing && (
          <Field
            filled={filled}
            name="vlan_id"
            hint={space && vlansLeft(space)}
            more={{ inputmode: "numeric", ...check("vlan_id") }}
          />
        )}
      </div>
      <Addresses {...props} />
      <Choice
        filled={filled}
        name="domain"
        names={props.choices.domains}
        blank={editing ? undefined : `Domain of the scope${space ? ` (${space.domain})` : ""}`}
      />
      <CheckBox filled={filled} name="admin_only" label="Only admins may add and change hosts" />
      <Sensitive {...props} />
    </>
  );
}

const PLACED = [
  "scope",
  "vlan_name",
  "vlan_id",
  "address",
  "first_ip",
  "last_ip",
  "gateway",
  "domain",
  "admin_only",
  "sensitive",
];

function ScopeAndSize(props: NetworkInputsProps) {
  const { filled, choices, space } = props;
  const check = useNetworkCheck(props);
  const sizes = (space?.prefixes ?? []).map((prefix) => ({
    value: String(prefix),
    label: `/${prefix}`,
  }));
  return (
    <div class="pair">
      <Choice filled={filled} name="scope" names={choices.scopes} more={check("scope")} autofocus />
      <Select
        filled={filled}
        name="prefix"
        label="Size"
        options={sizes}
        more={check("prefix")}
        hint={space ? "The first free block of this size" : "Choose a scope first"}
      />
    </div>
  );
}

/** Not the first button of the form, which Enter in a field presses. */
function FillIn() {
  return (
    <button class="no-js-only" type="submit" name="_validate" value="scope" formNoValidate>
      Fill in defaults of the scope
    </button>
  );
}

function vlansLeft({ vlans }: ScopeSpace): string {
  return `${vlans.length.toLocaleString("en")} free in this scope`;
}

function Sensitive({ filled, editing }: NetworkInputsProps) {
  return (
    <div class="field">
      <CheckBox filled={filled} name="sensitive" label="Sensitive" />
      <p class="hint">
        The network and its hosts are visible only to admins and auditors.
        {editing && filled.values.sensitive !== "true" && ` ${hiddenSentence(editing.hidden)}`}
      </p>
    </div>
  );
}

function hiddenSentence({ hosts, interfaces, cnames }: use.HiddenCounts): string {
  if (hosts === 0) return "No hosts would become hidden.";
  const counts: Array<[count: number, noun: string]> = [
    [hosts, "host"],
    [interfaces, "interface"],
    [cnames, "cname"],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, noun]) => countOf(count, noun));
  return `This would hide ${parts.join(", ")} from all others.`;
}
