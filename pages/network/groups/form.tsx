// The form of a group. While the user types, htmx gets the hosts that the change affects; without scripting a button
// shows them.
import { readFormInput } from "../../../src/input/shape.ts";
import * as entry from "../../../src/network/groups/form_input.ts";
import type { GroupWithParents } from "../../../src/network/groups/groups.ts";
import { rowOf } from "../../../src/store/records.ts";
import { textsIn } from "../../../src/store/versions.ts";
import { fragment, wantsFragment } from "../../layout/page.tsx";
import { attempt, Field, type Filled, idOf } from "../../parts/forms.tsx";
import { ListField, ListFieldBefore } from "../../parts/list_field.tsx";
import { Select } from "../../parts/select.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { field, textsOf, versionIn } from "../../request/form_values.ts";
import type { FormParts } from "../../resource/form.tsx";
import {
  type AskedForm,
  type FormState,
  recordChange,
  recordCreation,
  type ShownForm,
} from "../../resource/hooks.ts";
import { PreviewBody, PreviewPanel } from "./preview.tsx";

const { newEntry, changedEntry, namesIn, FORM_FIELDS } = entry;

export const groupCreation = recordCreation({
  shape: newEntry,
  work: async (caller, input) => rowOf(await entry.create(caller, input)),
  placeholders: { name: crypto.randomUUID() },
});

export const groupChange = recordChange({
  shape: changedEntry,
  // Earlier versions have no hosts: history does not contain them.
  values: (record) => ({ ...textsIn(record, FORM_FIELDS), ...hostsIn(record) }),
  work: (caller, input, { edited }) => entry.update(caller, edited.id, input),
});

function hostsIn(record: object): { hosts?: string } {
  if (!("hosts" in record && "type" in record && Array.isArray(record.hosts))) return {};
  return { hosts: record.type === "static" ? record.hosts.join("\n") : "" };
}

/** The affected hosts, alone or beside the form. */
export async function previewGroup({
  request,
  caller,
  edited,
  form,
}: AskedForm<GroupWithParents>): Promise<Response | FormState<GroupWithParents> | undefined> {
  if (!form || !(wantsFragment(request) || form.has("preview"))) return undefined;
  const tried = await attempt(async () =>
    edited
      ? entry.previewChanged(caller, edited.row, readFormInput(changedEntry, form))
      : entry.previewNew(caller, readFormInput(newEntry, form)),
  );
  const errors = "refusal" in tried ? tried.refusal.errors : [];
  const said = <PreviewBody state={"refusal" in tried ? { errors } : { preview: tried.done }} />;
  if (wantsFragment(request)) return fragment(request, said);
  return {
    filled: { shape: edited ? changedEntry : newEntry, values: valuesIn(form), errors },
    edited: edited && { ...edited, version: versionIn(form) || edited.version },
    sent: form,
    said,
    status: errors.length > 0 ? 422 : 200,
  };
}

/** Moves the picked host into the list, so that another one can be picked. */
function valuesIn(form: FormData): Filled["values"] {
  const texts = textsOf(form);
  const names = [...namesIn(texts.hosts), ...namesIn(texts.host)];
  return { ...texts, hosts: [...new Set(names)].join("\n"), host: "" };
}

const FORM = "group-form";
export const TYPES = { static: "Static", query: "By query" };
const TYPE_OPTIONS = Object.entries(TYPES).map(([value, label]) => ({ value, label }));

export function groupForm(state: ShownForm<GroupWithParents>): FormParts {
  const { action, filled, edited, sent, said } = state;
  const children = sent?.getAll("children").map(String) ?? edited?.row.children ?? [];
  return {
    attributes: { id: FORM, class: "sheet group" },
    hidden: edited && <Before {...state} />,
    fields: (
      <>
        <Field
          filled={filled}
          name="name"
          hint={edited && "Old URLs redirect to the new name; playbooks have to be changed"}
          autofocus
        />
        <Select filled={filled} name="type" label="Type" options={TYPE_OPTIONS} />
        <ByQuery filled={filled} />
        <ByHand filled={filled} />
        <Children filled={filled} names={children.filter((one) => one.trim() !== "")} />
        <Field
          filled={filled}
          name="vars"
          hint="YAML or a JSON object. Stored as JSON, without comments"
          rows={10}
          more={{ class: "mono", spellcheck: "false" }}
        />
      </>
    ),
    placed: PLACED,
    isSingle: true,
    buttons: (
      <button type="submit" name="preview" value="true">
        Preview
      </button>
    ),
    beside: <PreviewPanel action={action} form={FORM} said={said} />,
  };
}

const PLACED = [
  ...["name", "type", "query", "vars", "host", "hosts", "hosts_before"],
  ...["children", "children_before"],
];

/** The lists as they were when the form was opened. */
function Before({ edited, sent }: ShownForm<GroupWithParents>) {
  const hosts = sent ? field(sent, "hosts_before") : edited?.values.hosts;
  const children = sent?.getAll("children_before").map(String) ?? edited?.row.children ?? [];
  return (
    <>
      <input type="hidden" name="hosts_before" value={hosts} />
      <ListFieldBefore name="children" values={children} />
    </>
  );
}

function ByQuery({ filled }: { filled: Filled }) {
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

function ByHand({ filled }: { filled: Filled }) {
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

function Children({ filled, names }: { filled: Filled; names: string[] }) {
  return (
    <ListField
      filled={filled}
      name="children"
      noun="Group"
      values={names}
      hint="Hosts of these groups are also in this group"
      names={[]}
      suggest="/network/_retrieve_group_names"
    />
  );
}
