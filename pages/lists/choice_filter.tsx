import { Options } from "../parts/select.tsx";

interface Props {
  params: URLSearchParams;
  name: string;
  /** The label, and the option without a filter. */
  label: string;
  options: readonly string[];
  /** Labels of the options. */
  labels?: Readonly<Record<string, string>>;
}

/** A filter by one of a few values. A value that is not an option stays visible, as an option of its own. */
export function ChoiceFilter({ params, name, label, options, labels }: Props) {
  const given = filterValue(params, name);
  const chosen = options.find((one) => one.toLowerCase() === given.toLowerCase());
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}</option>
      <Options
        options={options.map((one) => ({ value: one, label: labels?.[one] ?? one }))}
        value={chosen ?? given}
      />
    </select>
  );
}

/** Several values of one filter are shown as a chip instead. */
export function filterValue(params: URLSearchParams, name: string): string {
  return params.getAll(name).length === 1 ? (params.get(name) ?? "") : "";
}
