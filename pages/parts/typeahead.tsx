import { precompiled } from "./precompiled_markup.ts";

interface Props {
  name: string;
  id: string;
  label: string;
  value: string;
  /** The first names; also for browsers without scripting. */
  names: string[];
  /** The URL of the suggestions; it answers `{"data": [{"name"}]}`. */
  suggest: string;
}

/** A filter by name: any text is allowed, existing names are suggested. */
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

/** The attributes that give an input its suggestions. */
export function suggesting({ id, suggest }: Pick<Props, "id" | "suggest">) {
  return { id, list: `${id}-names`, "data-suggest": suggest };
}

export function Suggestions({ id, names }: Pick<Props, "id" | "names">) {
  return <datalist id={`${id}-names`}>{names.map((name) => Choice({ name }))}</datalist>;
}

const Choice = precompiled<{ name: string }>(({ name }) => <option value={name} />);
