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
  return (
    <datalist id={`${id}-names`}>
      {names.map((name) => (
        <option value={name} />
      ))}
    </datalist>
  );
}
