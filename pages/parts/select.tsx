import type { ComponentChildren } from "preact";
import { type Filled, idOf, isFirstFault, labelOf, Remarks } from "./forms.tsx";

interface Props {
  filled: Filled;
  name: string;
  options: Array<{ value: string; label: string }>;
  label?: string;
  hint?: string;
  /** Distinguishes the fields of two forms on one page. */
  form?: string;
  /** Further attributes of the select: what htmx does. */
  more?: Record<string, string>;
  children?: ComponentChildren;
}

/** A choice of few: a label, a select, a hint and the fault. What was sent and is none of them stays seen. */
export function Select({ filled, name, options, form, more, ...props }: Props) {
  const { label = labelOf(filled, name), hint, children } = props;
  const id = idOf(name, form);
  const value = filled.values[name] ?? "";
  const fault = filled.faults.find(({ field }) => field === name);
  const describedBy = [hint && `hint-${id}`, fault && `error-${id}`].filter(Boolean).join(" ");
  const isStrange = value !== "" && !options.some((one) => one.value === value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        aria-invalid={fault ? true : undefined}
        aria-describedby={describedBy || undefined}
        autofocus={isFirstFault(filled, name)}
        {...more}
      >
        {isStrange && (
          <option value={value} selected>
            {value}
          </option>
        )}
        {options.map((one) => (
          <option value={one.value} selected={one.value === value}>
            {one.label}
          </option>
        ))}
      </select>
      {children}
      <Remarks id={id} hint={hint} fault={fault} />
    </div>
  );
}
