// The pages of the fields that a site defines: beside a field, how records use it.
import { GROUPS } from "../../src/auth/auth.ts";
import { resourceOf } from "../../src/resources.ts";
import { siteField } from "../../src/site/site_field.ts";
import { type SiteFieldUsage, usageOf } from "../../src/site/usage.ts";
import { SITE_TABLES, SITE_TYPES } from "../../src/store/site/definitions.ts";
import { listPageOf } from "../lists/sources.ts";
import { countOf } from "../parts/count.ts";
import { CheckBox, CheckBoxes, Field, type Filled, nameInWords } from "../parts/forms.tsx";
import { Select } from "../parts/select.tsx";
import { ResourcePages } from "../resource/pages.tsx";
import { type StandardRow, standardHooks } from "../resource/standard.tsx";

const hooks = standardHooks(siteField);
const administration = { label: "Administration", href: "/admin" };

/** The others are shown when they are chosen. */
const COLUMNS = ["name", "label", "type", "required", "group", "visible_to", "editors"];
const ANYBODY = "Default: everybody who may do so with the record";

export const siteFieldPages = new ResourcePages<StandardRow, StandardRow>({
  ...hooks,
  room: administration,
  ...(hooks.list && {
    list: {
      ...hooks.list,
      columns: (shown) =>
        hooks.list
          ?.columns(shown)
          .map((column) => ({ ...column, rare: !COLUMNS.includes(column.name) })) ?? [],
    },
  }),
  form: ({ filled, edited }) => ({
    fields: (
      <>
        {!edited && <Select filled={filled} name="record" options={RECORDS} autofocus />}
        <Field
          filled={filled}
          name="label"
          hint="What people read"
          autofocus={edited !== undefined}
        />
        <Field filled={filled} name="key" hint="For programs: a-z, 0-9 and underscore" />
        <Select filled={filled} name="type" options={TYPES} />
        <Field
          filled={filled}
          name="choices"
          rows={3}
          hint="For a choice: a value on each line, or a value and what people read, such as A=Controlled area"
        />
        <Select
          filled={filled}
          name="references"
          options={[{ value: "", label: "Nothing" }, ...RECORDS]}
          hint="For the type reference"
        />
        <Field filled={filled} name="unit" hint="Shown after the label, such as EUR" />
        <Field filled={filled} name="help" rows={2} hint="Shown below the input" />
        <CheckBox filled={filled} name="required" label="Required" />
        <Field filled={filled} name="default" hint="What a new record has" />
        <Field
          filled={filled}
          name="models"
          rows={2}
          hint="One model per line: only items of these have the field. Default: all"
        />
        <Field filled={filled} name="group" hint="Fields of a section are together in forms" />
        <Field filled={filled} name="position" hint="Lower ones come first" />
        <Groups filled={filled} name="visible_to" legend="Visible to" />
        <Groups filled={filled} name="editors" legend="Editors" />
        <Field
          filled={filled}
          name="variable"
          hint="Ansible gets the value of a host under this name"
        />
      </>
    ),
    placed: Object.keys(filled.shape.properties),
  }),
  view: async (shown) => {
    const usage = await usageOf(shown.caller, String(shown.row.name));
    return {
      ...(await hooks.view?.(shown)),
      heading: String(shown.row.label),
      lead: `Field of ${usage ? SITE_TABLES[usage.definition.record] : "records"}`,
      ...(usage && { contents: <Usage {...usage} /> }),
    };
  },
}).routes();

const RECORDS = optionsOf(Object.keys(SITE_TABLES));
const TYPES = optionsOf(SITE_TYPES);

function optionsOf(words: readonly string[]) {
  return words.map((value) => ({ value, label: nameInWords(value) }));
}

function Groups(props: { filled: Filled; name: string; legend: string }) {
  const options = Object.fromEntries(GROUPS.map((one) => [one, ""]));
  return <CheckBoxes {...props} options={options} hint={ANYBODY} />;
}

/** The list of the records, by the value of the field. */
function listOf({ definition: { record, key } }: SiteFieldUsage, value?: string): string {
  const resource = resourceOf(SITE_TABLES[record]);
  const filter =
    value === undefined ? { [`site.${key}__isnull`]: "false" } : { [`site.${key}`]: value };
  return `${resource && listPageOf(resource)}?${new URLSearchParams(filter)}`;
}

function Usage(usage: SiteFieldUsage) {
  const { definition, records, misfits, index } = usage;
  const table = SITE_TABLES[definition.record];
  const noun = table.replace(/s$/, "");
  return (
    <section class="panel">
      <h2>Use</h2>
      <p>
        {records === 0 ? (
          `No ${noun} has a value yet.`
        ) : (
          <a href={listOf(usage)}>{countOf(records, noun)} with a value</a>
        )}
      </p>
      {misfits.length > 0 && (
        <>
          <h3>Values that are no choice any more</h3>
          <ul>
            {misfits.map(({ value, records: some }) => (
              <li>
                <a href={listOf(usage, value)}>{value}</a> of {countOf(some, noun)}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="muted">
        {index === "ready" ? "Its index is ready: filters are fast." : "Its index is being made."}
      </p>
    </section>
  );
}
