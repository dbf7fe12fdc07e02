import type { HiddenCounts, InterfacesOutside } from "../../../src/network/networks/usage.ts";
import type { ScopeChoices } from "../../../src/network/scopes/choices.ts";
import type { ScopeSpace } from "../../../src/network/scopes/free_space.ts";
import { Conflict, type EditConflict } from "../../parts/conflict.tsx";
import { countOf } from "../../parts/count.ts";
import { CheckBox, Field, Summary } from "../../parts/forms.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { SaveButtons } from "../../parts/save_buttons.tsx";
import { Select } from "../../parts/select.tsx";
import { NETWORKS, networkPath } from "../paths.ts";
import { Choice } from "../scope_choice.tsx";
import { Addresses, type AddressesProps, useNetworkCheck } from "./addresses.tsx";

export interface FormProps extends AddressesProps {
  choices: ScopeChoices;
  editing?: Editing;
}

interface Editing {
  vlan_name: string;
  vlan_id: number;
  version: number;
  hidden: HiddenCounts;
  outside: InterfacesOutside | undefined;
  conflict?: EditConflict;
}

/** Creates and edits a network. Leaving a field checks it and fills in the fields that depend on it. */
export function NetworkForm(props: FormProps) {
  const { action, filled, editing, space } = props;
  const check = useNetworkCheck(props);
  return (
    <form
      class="sheet"
      id="entry"
      method="post"
      action={action}
      data-guard
      data-changed={filled.isDraft}
    >
      {editing && <input type="hidden" name="version" value={editing.version} />}
      {editing?.conflict && <Conflict noun="network" shape={filled.shape} {...editing.conflict} />}
      <Summary filled={filled} />
      {editing ? <Fixed {...props} editing={editing} /> : <ScopeAndSize {...props} />}
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
      <OtherFields filled={filled} placed={PLACED} />
      <SaveButtons isNew={!editing} back={editing ? networkPath(editing.vlan_name) : NETWORKS} />
      {!editing && <FillIn />}
    </form>
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

function ScopeAndSize(props: FormProps) {
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

/** Last, as Enter in a field presses the first button of the form. */
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

function Fixed({ space, editing }: FormProps & { editing: Editing }) {
  return (
    <p class="muted">
      VLAN {editing.vlan_id} in scope {space?.name}
    </p>
  );
}

function Sensitive({ filled, editing }: FormProps) {
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

function hiddenSentence({ hosts, interfaces, cnames }: HiddenCounts): string {
  if (hosts === 0) return "No hosts would become hidden.";
  const counts: Array<[count: number, noun: string]> = [
    [hosts, "host"],
    [interfaces, "interface"],
    [cnames, "cname"],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, noun]) => countOf(count, noun));
  return `This would hide ${parts.join(", ")} from all others.`;
}
