import { Options } from "../parts/select.tsx";

interface Props {
  name: string;
  /** The label, and the option without a filter. */
  label: string;
  params: URLSearchParams;
  options: readonly string[];
  /** Labels of the options. */
  labels?: Readonly<Record<string, string>>;
}

/** A filter by one of a few values. */
export function ChoiceFilter({ name, label, params, options, labels = {} }: Props) {
  const given = filterValue(params, name);
  const value = options.find((one) => one.toLowerCase() === given.toLowerCase()) ?? given;
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}</option>
      <Options
        options={options.map((one) => ({ value: one, label: labels[one] ?? one }))}
        value={value}
      />
    </select>
  );
}

/** Several values of one filter are shown as a chip instead. */
export function filterValue(params: URLSearchParams, name: string): string {
  return params.getAll(name).length === 1 ? (params.get(name) ?? "") : "";
}
