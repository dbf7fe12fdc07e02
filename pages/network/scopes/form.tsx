import { Conflict, type EditConflict } from "../../parts/conflict.tsx";
import { Field, type Filled, Summary } from "../../parts/forms.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { SaveButtons } from "../../parts/save_buttons.tsx";
import { SCOPES, scopePath } from "../paths.ts";
import { Choice } from "../scope_choice.tsx";

interface Props {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  domains: string[];
  editing?: { name: string; version: number };
  conflict?: EditConflict;
}

/** Creates and edits a scope. */
export function ScopeForm({ action, filled, domains, editing, conflict }: Props) {
  const number = { inputmode: "numeric" };
  return (
    <form class="sheet" method="post" action={action} data-guard>
      {editing && <input type="hidden" name="version" value={editing.version} />}
      {conflict && <Conflict noun="scope" shape={filled.shape} {...conflict} />}
      <Summary filled={filled} />
      <Field filled={filled} name="name" autofocus />
      <div class="pair">
        <Field filled={filled} name="first_vlan" more={number} />
        <Field filled={filled} name="last_vlan" more={number} />
      </div>
      <Field
        filled={filled}
        name="supernet"
        hint="Networks are allocated from this block; it must not overlap with other scopes"
        more={{ class: "mono", placeholder: "10.1.0.0/16" }}
      />
      <Choice filled={filled} name="domain" names={domains} hint="Default domain of its networks" />
      <OtherFields filled={filled} placed={PLACED} />
      <SaveButtons isNew={!editing} back={editing ? scopePath(editing.name) : SCOPES} />
    </form>
  );
}

const PLACED = ["name", "first_vlan", "last_vlan", "supernet", "domain"];
