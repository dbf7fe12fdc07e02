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
export function Typeahead({ id, suggest, name, value, label, names }: Props) {
  return (
    <>
      <input
        type="text"
        {...suggesting({ id, suggest })}
        name={name}
        value={value}
        aria-label={label}
        placeholder={label}
        autocomplete="off"
      />
      <Suggestions id={id} names={names} />
    </>
  );
}

/** The attributes that give an input its suggestions. */
export function suggesting({ id, suggest }: Pick<Props, "id" | "suggest">) {
  return { id, list: listOf(id), "data-suggest": suggest };
}

function listOf(id: string): string {
  return `${id}-names`;
}

export function Suggestions({ id, names }: Pick<Props, "id" | "names">) {
  return (
    <datalist id={listOf(id)}>
      {names.map((name) => (
        <option value={name} />
      ))}
    </datalist>
  );
}
