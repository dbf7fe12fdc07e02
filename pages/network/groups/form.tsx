import { Conflict, type Conflicting } from "../../parts/conflict.tsx";
import { Field, type Filled, idOf, Summary } from "../../parts/forms.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { Select } from "../../parts/select.tsx";
import { Several, SeveralBefore } from "../../parts/several.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { PATH, TYPES, viewPath } from "./list.tsx";
import { type Outlook, PreviewPanel } from "./preview.tsx";

export interface FormProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  children: string[];
  outlook: Outlook;
  /** What is being edited, in which version, and what it had when the form was opened. */
  editing?: { name: string; version: number; hosts: string; children: string[] };
  conflict?: Conflicting;
}

const FORM = "group-form";
const OPTIONS = Object.entries(TYPES).map(([value, label]) => ({ value, label }));

/** Creates and changes a group, and previews the hosts that this affects. */
export function GroupForm(props: FormProps) {
  const { action, filled, editing, conflict, outlook } = props;
  return (
    <div class="split optional">
      <form id={FORM} class="sheet group" method="post" action={action} data-guard>
        {editing && <Before {...editing} />}
        {conflict && <Conflict {...conflict} noun="group" shape={filled.shape} />}
        <Summary filled={filled} />
        <Field
          filled={filled}
          name="name"
          hint={editing && "Old addresses lead on to a new name; playbooks do not"}
          autofocus={!editing && filled.faults.length === 0}
        />
        <Select filled={filled} name="type" label="Its hosts are" options={OPTIONS} />
        <ByQuery {...props} />
        <ByHand {...props} />
        <Children {...props} />
        <Field
          filled={filled}
          name="vars"
          hint="YAML, or a JSON object. Kept as JSON: comments do not stay"
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
      <PreviewPanel action={action} form={FORM} outlook={outlook} />
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
      <SeveralBefore name="children" values={children} />
    </>
  );
}

function ByQuery({ filled }: FormProps) {
  return (
    <div class="by-query">
      <Field
        filled={filled}
        name="query"
        hint="As in the list of hosts; the hosts that it finds at the moment are in the group"
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
        hint="Names, one on each line"
        rows={5}
        more={{ class: "mono", spellcheck: "false" }}
      />
      <Field filled={filled} name="host" label="Add a host" more={suggesting({ id, suggest })}>
        <Suggestions id={id} names={[]} />
      </Field>
    </div>
  );
}

function Children({ filled, children }: FormProps) {
  return (
    <Several
      filled={filled}
      name="children"
      noun="Group"
      values={children}
      hint="Groups whose hosts are in this one too"
      names={[]}
      suggest="/network/_retrieve_group_names"
    />
  );
}
