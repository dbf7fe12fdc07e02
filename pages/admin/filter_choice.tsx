interface Props {
  name: string;
  /** The label of the option without a filter. */
  any: string;
  params: URLSearchParams;
  options: readonly string[];
  /** Labels of the values. */
  labels?: Readonly<Record<string, string>>;
}

/** A filter with few values above a list. */
export function FilterChoice({ name, any, params, options, labels = {} }: Props) {
  const value = filterValue(params, name).toLowerCase();
  return (
    <select name={name} aria-label={any}>
      <option value="">{any}</option>
      {options.map((option) => (
        <option value={option} selected={option.toLowerCase() === value}>
          {labels[option] ?? option}
        </option>
      ))}
    </select>
  );
}

/** Several values of one filter are shown as a chip instead. */
export function filterValue(params: URLSearchParams, name: string): string {
  return params.getAll(name).length === 1 ? (params.get(name) ?? "") : "";
}
