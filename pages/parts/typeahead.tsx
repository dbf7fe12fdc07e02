import type { VNode } from "preact";
import { precompiled } from "./precompiled_markup.ts";

interface Props {
  name: string;
  id: string;
  label: string;
  value: string;
  /** The first names, for browsers without scripting too. */
  names: string[];
  /** Where the script asks for names that match better: a list in the shape `{"data": [{"name"}]}`. */
  suggest: string;
}

/** A filter by name: any text will do, the names that there are come as suggestions. */
export function Typeahead({ label, ...props }: Props) {
  return (
    <>
      <input
        type="text"
        {...suggesting(props)}
        name={props.name}
        value={props.value}
        aria-label={label}
        placeholder={label}
        autocomplete="off"
      />
      <Suggestions {...props} />
    </>
  );
}

/** The attributes of an input that its suggestions belong to. */
export function suggesting({ id, suggest }: Pick<Props, "id" | "suggest">) {
  return { id, list: `${id}-names`, "data-suggest": suggest };
}

export function Suggestions({ id, names }: Pick<Props, "id" | "names">) {
  return <datalist id={`${id}-names`}>{optionsOf(names)}</datalist>;
}

/** The very same list of names is shown again and again: hundreds, which seldom change. */
const known = new WeakMap<string[], VNode>();

function optionsOf(names: string[]): VNode {
  const options = known.get(names) ?? drawn(names);
  known.set(names, options);
  return options;
}

function drawn(names: string[]): VNode {
  const options = precompiled(() => (
    <>
      {names.map((name) => (
        <option value={name} />
      ))}
    </>
  ));
  return options({});
}
