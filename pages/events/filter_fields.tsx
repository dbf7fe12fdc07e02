// The filters of webhooks and triggers in their forms: a field for each, and one for the address of a filtered list of
// changes, which fills them.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { filterShape } from "../../src/events/subscriptions.ts";
import { changesQuery } from "../../src/history/filters.ts";
import { invalid, type Refusal, refuse } from "../../src/input/errors.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { resources } from "../../src/resources.ts";
import { CheckBoxes, Field, type Filled, type FormValues, nameInWords } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";
import { inTitle } from "../texts.ts";

const FILTER_NAMES = Object.keys(filterShape.properties);
/** A subscription goes on, so it is seldom limited to times: shown only where it is. */
const TIMES = ["from", "to"];
const ADDRESS = "address";

const LABELS: Record<string, string> = {
  kind: "Changes of these records",
  user: "Made by",
  record: "Of this record",
  scope: "In these network scopes",
  group: "In these groups",
  query: "Found by this query",
  q: "With this text",
  from: "Made at this time or later",
  to: "Made at this time or earlier",
};
const HINTS: Record<string, string> = {
  user: "Usernames, one per line. Default: changes by everybody",
  record: "The record's name. Changes of its parts match too",
  scope: "Names, one per line",
  group: "Names of Ansible groups, one per line",
  query:
    "A search query, such as is_ioc:true AND changed:ip, that the record matches before or after the change",
  q: "In the record's name, or in an old or new value",
};

/** For the shape of a form. */
export const filterInputs = {
  ...Object.fromEntries(
    FILTER_NAMES.map((name) => {
      const schema = filterShape.properties[name] ?? Type.String();
      return [name, Type.Optional({ ...schema, title: LABELS[name] ?? inTitle(name) } as TSchema)];
    }),
  ),
  [ADDRESS]: Type.Optional(Type.String({ title: "Changes as in this list" })),
};

/** The fields of a form that are not left blank, with the filters as an object. */
export function readWithFilters(shape: TObject, form: FormData): Record<string, unknown> {
  fillFromAddress(form);
  const given = new FormData();
  for (const [name, value] of form) {
    if (field(form, name) !== "" && name in shape.properties) given.append(name, value);
  }
  const input = Object.entries(readFormInput(shape, given));
  const isFilter = ([name]: [string, unknown]) => FILTER_NAMES.includes(name);
  return {
    ...Object.fromEntries(input.filter((pair) => !isFilter(pair))),
    filters: Object.fromEntries(input.filter(isFilter)),
  };
}

/** The parameters of an address take the place of what the fields had. */
function fillFromAddress(form: FormData): void {
  const [, query = ""] = field(form, ADDRESS).split("?");
  const params = new URLSearchParams(query.replace(/#.*$/, ""));
  if (field(form, ADDRESS) !== "" && params.size === 0) {
    throw invalid(
      ADDRESS,
      "Use an address such as https://cadastre.example.org/changes?kind=hosts",
    );
  }
  for (const name of new Set(params.keys())) {
    if (FILTER_NAMES.includes(name)) form.set(name, params.getAll(name).join("\n"));
    else if (!(name in changesQuery.properties))
      throw invalid(ADDRESS, `There is no filter "${name}"`);
  }
  form.delete(ADDRESS);
}

/** Each error in a filter at its field. */
export function atFilterFields(refusal: Refusal): Refusal {
  if (refusal.status !== 422) return refusal;
  return refuse(
    refusal.errors.map(({ field: name, message }) => ({
      field: name.replace(/^filters\./, ""),
      message,
    })),
  );
}

type Filters = Record<string, unknown>;

/** What the fields of a form show. */
export function valuesOfFilters(filters: Filters): FormValues {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, [value].flat().join("\n")]),
  );
}

const KINDS = Object.fromEntries(
  resources.map(({ name: kind, plural }) => [kind, inTitle(plural)]),
);

export function FilterFields({ filled }: { filled: Filled }) {
  const others = FILTER_NAMES.filter((name) => name !== "kind" && isShown(filled, name));
  return (
    <>
      <Field
        filled={filled}
        name={ADDRESS}
        hint="The URL of a list of changes with filters, which replace those below"
      />
      <CheckBoxes
        filled={filled}
        name="kind"
        legend={LABELS.kind ?? ""}
        options={KINDS}
        hidesValues
        hint="Default: all"
      />
      {others.map((name) => (
        <Field
          filled={filled}
          name={name}
          {...(HINTS[name] && { hint: HINTS[name] })}
          {...(filterShape.properties[name]?.type === "array" && { rows: 2 })}
        />
      ))}
    </>
  );
}

function isShown({ values, errors }: Filled, name: string): boolean {
  return !TIMES.includes(name) || Boolean(values[name]) || errors.some((one) => one.field === name);
}

/** A link to the list of the changes that match. */
export function FilterLink({ filters }: { filters: Filters }) {
  const pairs = Object.entries(filters).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  );
  if (pairs.length === 0) return <a href="/changes">every change</a>;
  const words = Object.entries(filters).map(
    ([name, value]) => `${nameInWords(name)}: ${[value].flat().join(", ")}`,
  );
  return <a href={`/changes?${new URLSearchParams(pairs)}`}>{words.join("; ")}</a>;
}
