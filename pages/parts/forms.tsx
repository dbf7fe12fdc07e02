// The parts of every form. A refused form is shown again filled in, each error beside its
// field and all of them above.
import type { TObject, TSchema } from "@sinclair/typebox";
import type { ComponentChildren } from "preact";
import { type FieldError, Refusal } from "../../src/input/errors.ts";
import { BY_FORCE } from "../../src/network/addresses/allocation.ts";

export type Values = Record<string, string | undefined>;

/** The state of a form: its shape, its values and its errors. */
export interface Filled {
  shape: TObject;
  values: Values;
  faults: FieldError[];
  /** Checked while the user types: the focus stays, and there is no summary of the errors. */
  isDraft?: boolean;
}

export function blank(shape: TObject, values: Values = {}): Filled {
  return { shape, values, faults: [] };
}

/** The form as it came in, with what was refused. */
export function refused(shape: TObject, form: FormData, refusal: Refusal): Filled {
  const values = new Map<string, string>();
  for (const [name, value] of form) values.set(name, String(value));
  return { shape, values: Object.fromEntries(values), faults: refusal.errors.map(inForm) };
}

/** What programs send as a parameter is a box in a form. */
function inForm({ field, message }: FieldError): FieldError {
  return { field, message: message.replace(BY_FORCE, BY_BOX) };
}

export const BY_BOX = "; tick the box below to use it";

/** Runs a write that a form asked for; what is wrong with the form comes back as its faults. */
export async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ done: T } | { refusal: Refusal }> {
  try {
    return { done: await work() };
  } catch (fault) {
    if (fault instanceof Refusal && (fault.status === 422 || fault.status === 412))
      return { refusal: fault };
    throw fault;
  }
}

export function Summary({ filled, id }: { filled: Filled; id?: string }) {
  const { faults, isDraft } = filled;
  if (faults.length === 0 || isDraft) return null;
  return (
    <div class="summary" role="alert">
      <h2>
        {faults.length === 1
          ? "One thing needs attention"
          : `${faults.length} things need attention`}
      </h2>
      <ul>
        {faults.map(({ field, message }) => (
          <li>
            <a href={`#${idOf(field, id)}`}>
              {labelOf(filled, field)}: {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface FieldProps {
  filled: Filled;
  name: string;
  label?: string;
  hint?: string;
  type?: "text" | "password" | "email" | "date";
  autocomplete?: "username" | "current-password" | "new-password" | "email" | "name";
  autofocus?: boolean;
  rows?: number;
  /** Distinguishes the fields of two forms on one page. */
  form?: string;
  /** Further attributes of the input: its suggestions, what htmx does. */
  more?: Record<string, string>;
  children?: ComponentChildren;
}

/** A label, an input as the shape describes it, a hint and the fault. */
export function Field(props: FieldProps) {
  const { filled, name, label = labelOf(filled, name), hint, form, rows, children } = props;
  const id = idOf(name, form);
  const fault = filled.faults.find(({ field }) => field === name);
  const describedBy = [hint && `hint-${id}`, fault && `error-${id}`].filter(Boolean).join(" ");
  const common = {
    id,
    name,
    required: filled.shape.required?.includes(name) ?? false,
    maxLength: textOf(filled.shape.properties[name])?.maxLength,
    autocomplete: props.autocomplete ?? ("off" as const),
    "aria-describedby": describedBy || undefined,
    "aria-invalid": fault ? true : undefined,
    autofocus: props.autofocus || isFirstFault(filled, name),
    ...props.more,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows ? (
        <textarea rows={rows} {...common}>
          {filled.values[name] ?? ""}
        </textarea>
      ) : (
        <Input type={props.type ?? "text"} value={filled.values[name]} common={common} />
      )}
      {children}
      <Remarks id={id} hint={hint} fault={fault} />
    </div>
  );
}

/** The hint and the error below a field; screen readers read them with it. */
export function Remarks({ id, hint, fault }: { id: string; hint?: string; fault?: FieldError }) {
  return (
    <>
      {hint && (
        <p class="hint" id={`hint-${id}`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="error" id={`error-${id}`}>
          {fault.message}
        </p>
      )}
    </>
  );
}

interface InputProps {
  type: "text" | "password" | "email" | "date";
  value: string | undefined;
  common: {
    id: string;
    name: string;
    required: boolean;
    maxLength: number | undefined;
    autocomplete: NonNullable<FieldProps["autocomplete"]> | "off";
    autofocus: boolean;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
  };
}

// A page never contains a password, not even the one that was just typed.
function Input({ type, value, common }: InputProps) {
  if (type === "password") return <input type="password" {...common} />;
  if (type === "email") return <input type="email" value={value} {...common} />;
  if (type === "date") return <input type="date" value={value} {...common} />;
  return <input type="text" value={value} {...common} />;
}

/** A box that sends "true", preceded by a hidden "false". */
export function Check({ filled, name, label, form }: Omit<FieldProps, "type"> & { label: string }) {
  const id = idOf(name, form);
  return (
    <div class="field check">
      <input type="hidden" name={name} value="false" />
      <input
        type="checkbox"
        id={id}
        name={name}
        value="true"
        checked={filled.values[name] === "true"}
      />
      <label for={id}>{label}</label>
    </div>
  );
}

/** Where the focus goes when a form comes back. */
export function isFirstFault({ faults, isDraft }: Filled, name: string): boolean {
  return !isDraft && faults[0]?.field === name;
}

export function idOf(name: string, form?: string): string {
  return form ? `${form}-${name}` : `field-${name}`;
}

/** What people call a field of a form: the title in its shape, or its name in words. */
export function labelOf({ shape }: Pick<Filled, "shape">, name: string): string {
  return shape.properties[name]?.title ?? inWords(name);
}

export function inWords(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function textOf(schema: TSchema | undefined): TSchema | undefined {
  return schema?.anyOf?.find((one: TSchema) => one.type === "string") ?? schema;
}
