import { Conflict, type EditConflict } from "../../parts/conflict.tsx";
import { Field, type Filled, idOf, Summary } from "../../parts/forms.tsx";
import { ListField, ListFieldBefore } from "../../parts/list_field.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { Select } from "../../parts/select.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { PATH, TYPES, viewPath } from "./list.tsx";
import { type GroupPreviewState, PreviewPanel } from "./preview.tsx";

export interface FormProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  children: string[];
  preview: GroupPreviewState;
  /** The group that is edited, its version, and its lists when the form was opened. */
  editing?: { name: string; version: number; hosts: string; children: string[] };
  conflict?: EditConflict;
}

const FORM = "group-form";
const OPTIONS = Object.entries(TYPES).map(([value, label]) => ({ value, label }));

/** Creates and changes a group, and previews the affected hosts. */
export function GroupForm(props: FormProps) {
  const { action, filled, editing, conflict, preview } = props;
  return (
    <div class="split optional">
      <form id={FORM} class="sheet group" method="post" action={action} data-guard>
        {editing && <Before {...editing} />}
        {conflict && <Conflict {...conflict} noun="group" shape={filled.shape} />}
        <Summary filled={filled} />
        <Field
          filled={filled}
          name="name"
          hint={editing && "Old URLs redirect to the new name; playbooks have to be changed"}
          autofocus
        />
        <Select filled={filled} name="type" label="Type" options={OPTIONS} />
        <ByQuery {...props} />
        <ByHand {...props} />
        <Children {...props} />
        <Field
          filled={filled}
          name="vars"
          hint="YAML or a JSON object. Stored as JSON, without comments"
          rows={10}
          more={{ class: "mono", spellcheck: "false" }}
        />
        <OtherFields filled={filled} placed={PLACED} />
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          <button type="submit" name="preview" value="true">
            Preview
          </button>
          <a class="button quiet" href={editing ? viewPath(editing.name) : PATH}>
            Cancel
          </a>
        </div>
      </form>
      <PreviewPanel action={action} form={FORM} state={preview} />
    </div>
  );
}

const PLACED = [
  ...["name", "type", "query", "vars", "host", "hosts", "hosts_before"],
  ...["children", "children_before"],
];

function Before({ version, hosts, children }: NonNullable<FormProps["editing"]>) {
  return (
    <>
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="hosts_before" value={hosts} />
      <ListFieldBefore name="children" values={children} />
    </>
  );
}

function ByQuery({ filled }: FormProps) {
  return (
    <div class="by-query">
      <Field
        filled={filled}
        name="query"
        hint="As in the list of hosts; the group contains all hosts that match"
        more={{ class: "mono", spellcheck: "false" }}
      />
    </div>
  );
}

function ByHand({ filled }: FormProps) {
  const id = idOf("host");
  const suggest = "/inventory/_retrieve_host_names";
  return (
    <div class="by-hand">
      <Field
        filled={filled}
        name="hosts"
        hint="One name per line"
        rows={5}
        more={{ class: "mono", spellcheck: "false" }}
      />
      <Field filled={filled} name="host" more={suggesting({ id, suggest })}>
        <Suggestions id={id} names={[]} />
      </Field>
    </div>
  );
}

function Children({ filled, children }: FormProps) {
  return (
    <ListField
      filled={filled}
      name="children"
      noun="Group"
      values={children}
      hint="Hosts of these groups are also in this group"
      names={[]}
      suggest="/network/_retrieve_group_names"
    />
  );
}
