import type { ComponentChildren } from "preact";
import { MOST_NAMES } from "../../src/network/scopes/choices.ts";
import { Field, type Filled, idOf } from "../parts/forms.tsx";
import { Select } from "../parts/select.tsx";
import { Suggestions, suggesting } from "../parts/typeahead.tsx";

interface Props {
  filled: Filled;
  name: "scope" | "domain";
  /** At most MOST_NAMES + 1 names. */
  names: string[];
  hint?: string;
  /** The label of the blank option, if there is one. */
  blank?: string;
  more?: Record<string, string>;
  /** Of the first field of a form. */
  autofocus?: boolean;
}

/** A scope or a domain: a select, or a text field with suggestions if there are too many. */
export function Choice({ filled, name, names, hint, blank, more, autofocus }: Props) {
  if (names.length <= MOST_NAMES) {
    const first =
      blank === undefined && filled.values[name]
        ? []
        : [{ value: "", label: blank ?? `Choose a ${name}` }];
    const options = [...first, ...names.map((one) => ({ value: one, label: one }))];
    const shared = { filled, name, hint, more, autofocus };
    const select = <Select {...shared} options={options} />;
    return names.length === 0 && blank === undefined ? NothingToChoose({ name, select }) : select;
  }
  const id = idOf(name);
  const suggest = `/network/_retrieve_names/${name}s`;
  return (
    <Field
      filled={filled}
      name={name}
      hint={hint}
      autofocus={autofocus}
      more={{ ...suggesting({ id, suggest }), ...more }}
    >
      <Suggestions id={id} names={names} />
    </Field>
  );
}

/** The form needs a record that nobody has added yet. */
function NothingToChoose({ name, select }: Pick<Props, "name"> & { select: ComponentChildren }) {
  return (
    <div>
      {select}
      <p class="hint">
        No {name}s yet: <a href={`/network/${name}s/create`}>add a {name}</a> first
      </p>
    </div>
  );
}
