import type { ComponentChildren } from "preact";
import { precompiledBy } from "../parts/precompiled_markup.ts";
import { optionOf } from "../parts/select.tsx";

interface Look {
  name: string;
  /** The label, and the option without a filter. */
  label: string;
  options: readonly string[];
  /** Labels of the options. */
  labels?: Readonly<Record<string, string>>;
}

interface Props extends Look {
  params: URLSearchParams;
}

/** A filter by one of a few values. A value that is not an option stays visible, as an option of its own. */
export function ChoiceFilter({ params, ...look }: Props) {
  const given = filterValue(params, look.name);
  const chosen = look.options.find((one) => one.toLowerCase() === given.toLowerCase());
  const isOther = given !== "" && chosen === undefined;
  return Choice({ ...look, chosen })({
    other: isOther && optionOf({ value: given, label: given }, true),
  });
}

interface ChosenLook extends Look {
  chosen: string | undefined;
}

const Choice = precompiledBy<ChosenLook, { other: ComponentChildren }>(
  ({ name, label, options, labels, chosen }, { other }) => (
    <select name={name} aria-label={label}>
      <option value="">{label}</option>
      {other}
      {options.map((one) => optionOf({ value: one, label: labels?.[one] ?? one }, one === chosen))}
    </select>
  ),
);

/** Several values of one filter are shown as a chip instead. */
export function filterValue(params: URLSearchParams, name: string): string {
  return params.getAll(name).length === 1 ? (params.get(name) ?? "") : "";
}
