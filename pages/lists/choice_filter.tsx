interface Props {
  name: string;
  label: string;
  params: URLSearchParams;
  options: readonly string[];
}

/** A filter by one of a few names. */
export function ChoiceFilter({ name, label, params, options }: Props) {
  const given = params.getAll(name);
  const value = given.length === 1 ? (given[0] ?? "").toLowerCase() : "";
  const isOther = value !== "" && !options.some((option) => option.toLowerCase() === value);
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}</option>
      {isOther && (
        <option value={given[0]} selected>
          {given[0]}
        </option>
      )}
      {options.map((option) => (
        <option value={option} selected={option.toLowerCase() === value}>
          {option}
        </option>
      ))}
    </select>
  );
}
