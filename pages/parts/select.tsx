import type { ComponentChildren } from "preact";
import { type Filled, fieldLabel, HintAndError, idOf, Label, takesFocus } from "./forms.tsx";

export interface Option {
  value: string;
  label: string;
}

interface Props {
  filled: Filled;
  name: string;
  options: Option[];
  label?: string;
  hint?: string;
  /** Of the first field of a form. */
  autofocus?: boolean;
  /** Distinguishes the fields of two forms on one page. */
  form?: string;
  /** Further attributes of the select, such as hx- attributes. */
  more?: Record<string, string>;
  children?: ComponentChildren;
}

/** A label, a select, a hint and the error. */
export function Select({ filled, name, options, form, more, ...props }: Props) {
  const { label = fieldLabel(filled, name), hint, autofocus, children } = props;
  const id = idOf(name, form);
  const value = filled.values[name] ?? "";
  const error = filled.errors.find(({ field }) => field === name);
  const describedBy = [hint && `hint-${id}`, error && `error-${id}`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <Label id={id} label={label} />
      <select
        id={id}
        name={name}
        required={options[0]?.value === "" && filled.shape.required?.includes(name)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy || undefined}
        autofocus={takesFocus(filled, name, autofocus)}
        {...more}
      >
        <Options options={options} value={value} />
      </select>
      {children}
      <HintAndError id={id} hint={hint} error={error} />
    </div>
  );
}

/** A value that is not an option stays visible, as an option of its own. */
export function Options({ options, value }: { options: Option[]; value: string }) {
  const isOther = value !== "" && !options.some((one) => one.value === value);
  return (
    <>
      {isOther && (
        <option value={value} selected>
          {value}
        </option>
      )}
      {options.map((one) => (
        <option value={one.value} selected={one.value === value}>
          {one.label}
        </option>
      ))}
    </>
  );
}
