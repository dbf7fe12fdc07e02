// The parts of every form. A refused form is shown again filled in, each error beside its
// field and all of them above.
import type { TObject, TSchema } from "@sinclair/typebox";
import type { ComponentChildren } from "preact";
import { topicOf } from "../../src/help/topics.ts";
import { type FieldError, Refusal } from "../../src/input/errors.ts";
import { SITE_PARTS } from "../../src/input/shape.ts";
import { FORCE_HINT } from "../../src/network/addresses/allocation.ts";
import { siteSchemas } from "../../src/store/site/field.ts";
import { AskOf } from "../help/ask.tsx";
import { useFrame } from "../request/frame.ts";
import { inPlainWords, inTitle, reasonsOf } from "../texts.ts";

export type FormValues = Record<string, string | undefined>;

/** The state of a form: its shape, its values and its errors. */
export interface Filled {
  shape: TObject;
  values: FormValues;
  errors: FieldError[];
  /** What this form calls its fields, where that is not their title. */
  labels?: Readonly<Record<string, string>>;
  /** Checked while the user types: the focus stays, and there is no summary of the errors. */
  isDraft?: boolean;
}

export function blank(shape: TObject, values: FormValues = {}): Filled {
  return { shape, values, errors: [] };
}

/** The submitted values with the errors. */
export function refused(shape: TObject, form: FormData, refusal: Refusal): Filled {
  const given = Map.groupBy(form, ([name]) => name);
  const values = Array.from(given, ([name, pairs]) => {
    const texts = pairs.map(([, value]) => String(value));
    const isList = shape.properties[name]?.type === "array";
    const text = isList ? texts.filter((one) => one !== "").join("\n") : texts.at(-1);
    return [name, text ?? ""] as const;
  });
  const errors = refusal.errors.map((error) => inForm(error, form));
  return { shape, values: Object.fromEntries(values), errors };
}

/**
 * An error in the words of a form: a parameter for programs is a box here, and an element of a list is a line of its
 * text, or one of several inputs.
 */
function inForm(error: FieldError, form: FormData): FieldError {
  const { field, message, suggestion, given } = error;
  const inBox = message.replace(FORCE_HINT, BY_BOX);
  const [, name = field, index] = /^(\w+)\.(\d+)$/.exec(field) ?? [];
  if (index === undefined)
    return { field, message: inBox, ...(suggestion && given && { suggestion, given }) };
  return { field: name, message: placeOf(Number(index), form.getAll(name)) + inBox };
}

/** Blank lines and inputs are not in the list, but people count them. */
function placeOf(index: number, texts: FormDataEntryValue[]): string {
  const lines = texts.flatMap((text) => String(text).split(/\r?\n/));
  const filled = lines.flatMap((line, at) => (line.trim() === "" ? [] : [at + 1]));
  if (filled.length === 1) return "";
  return `${texts.length > 1 ? "Entry" : "Line"} ${filled[index] ?? index + 1}: `;
}

export const BY_BOX = "; tick the box below to use it";

/** Runs a write for a form; returns the refusal if it is refused with 422 or 412. */
export async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ done: T } | { refusal: Refusal }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof Refusal && (error.status === 422 || error.status === 412))
      return { refusal: error };
    throw error;
  }
}

/** To delete or revoke what is gone already is no error. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof Refusal && error.status === 404)) throw error;
}

export function Summary({ filled, id }: { filled: Filled; id?: string }) {
  const { errors, isDraft } = filled;
  if (errors.length === 0 || isDraft) return null;
  // Several lines of a field may be wrong.
  const wrong = new Set(errors.map(({ field }) => field)).size;
  return (
    <div class="summary" role="alert">
      <h2>{wrong === 1 ? "1 field needs attention" : `${wrong} fields need attention`}</h2>
      <ul>
        {errors.map(({ field, message }) => (
          <li>
            <a href={`#${idOf(field, id)}`}>
              {fieldLabel(filled, field)}: {inPlainWords(message)}
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
  /** Of the first field of a form. */
  autofocus?: boolean;
  rows?: number;
  /** Distinguishes the fields of two forms on one page. */
  form?: string;
  /** Further attributes of the input, such as suggestions and hx- attributes. */
  more?: Record<string, string>;
  children?: ComponentChildren;
}

/** A label, an input for the field of the shape, a hint and the error. */
export function Field(props: FieldProps) {
  const { filled, name, label = fieldLabel(filled, name), hint, form, rows, children } = props;
  const id = idOf(name, form);
  const error = filled.errors.find(({ field }) => field === name);
  const describedBy = [hint && `hint-${id}`, error && `error-${id}`].filter(Boolean).join(" ");
  const common = {
    id,
    name,
    required: filled.shape.required?.includes(name) ?? false,
    maxLength: textOf(schemaIn(filled.shape, name))?.maxLength,
    autocomplete: props.autocomplete ?? ("off" as const),
    "aria-describedby": describedBy || undefined,
    "aria-invalid": error ? true : undefined,
    autofocus: takesFocus(filled, name, props.autofocus),
    ...props.more,
  };
  return (
    <div class="field">
      <Label id={id} label={label} />
      {rows ? (
        <textarea rows={rows} {...common}>
          {filled.values[name] ?? ""}
        </textarea>
      ) : (
        <Input type={props.type ?? "text"} value={filled.values[name]} common={common} />
      )}
      {children}
      <HintAndError id={id} hint={hint} error={error} />
    </div>
  );
}

/** The label of an input; beside it a "?" if it is a word that needs one. */
export function Label({ id, label }: { id: string; label: string }) {
  const text = <label for={id}>{label}</label>;
  if (!topicOf(label)) return text;
  return (
    <div>
      {text} <AskOf label={label} />
    </div>
  );
}

/** The hint and the error below a field; screen readers read them with it. */
export function HintAndError({
  id,
  hint,
  error,
}: {
  id: string;
  hint?: string;
  error?: FieldError;
}) {
  return (
    <>
      {hint && (
        <p class="hint" id={`hint-${id}`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`error-${id}`}>
          {inPlainWords(error.message)} <Meant id={id} {...error} />
        </p>
      )}
    </>
  );
}

/** Puts the name that was probably meant into its field, in place of the one that was given. */
export function Meant({ id, suggestion, given }: Partial<FieldError> & { id: string }) {
  if (suggestion === undefined) return null;
  return (
    <button type="button" class="js-only" data-fill={id} data-given={given} value={suggestion}>
      Use {suggestion}
    </button>
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

// A page never contains a password, not even the one that was just submitted.
function Input({ type, value, common }: InputProps) {
  if (type === "password") return <input type="password" {...common} />;
  if (type === "email") return <input type="email" value={value} {...common} />;
  if (type === "date") return <input type="date" value={value} {...common} />;
  return <input type="text" value={value} {...common} />;
}

/** A checkbox that sends "true", preceded by a hidden "false". */
export function CheckBox({
  filled,
  name,
  label,
  form,
}: Omit<FieldProps, "type"> & { label: string }) {
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
      <Label id={id} label={label} />
    </div>
  );
}

interface BoxesProps {
  filled: Filled;
  name: string;
  form?: string;
  legend: string;
  /** What each value means. */
  options: Readonly<Record<string, string>>;
  /** The values are for programs: only their meanings are shown. */
  hidesValues?: boolean;
  hint: string;
}

/** A list of names, each with a checkbox. */
export function CheckBoxes(props: BoxesProps) {
  const { filled, name, form, legend, options, hidesValues = false, hint } = props;
  const chosen = (filled.values[name] ?? "").split("\n");
  const error = filled.errors.find(({ field }) => field.split(".")[0] === name);
  const id = idOf(name, form);
  return (
    <fieldset class="part" id={id} aria-describedby={`hint-${id}`}>
      <legend>
        {legend} <AskOf label={legend} />
      </legend>
      <input type="hidden" name={name} value="" />
      {Object.entries(options).map(([value, meaning]) => {
        const box = idOf(`${name}-${value.replace(":", "-")}`, form);
        return (
          <div class="field check">
            <input
              type="checkbox"
              id={box}
              name={name}
              value={value}
              checked={chosen.includes(value)}
            />
            <label for={box}>
              {hidesValues ? (
                meaning
              ) : (
                <>
                  {value} <span class="muted">{meaning}</span>
                </>
              )}
            </label>
          </div>
        );
      })}
      <HintAndError id={id} hint={hint} {...(error && { error })} />
    </fieldset>
  );
}

/** The first field with an error gets the focus; without errors the first field of the form. */
export function takesFocus({ errors, isDraft }: Filled, name: string, isFirst = false): boolean {
  if (isDraft) return false;
  return errors.length > 0 ? errors[0]?.field === name : isFirst;
}

export function idOf(name: string, form?: string): string {
  // A dot would begin a class in a selector, and an id has no blanks.
  const plain = name.replace(/[. ]/g, "-");
  return form ? `${form}-${plain}` : `field-${plain}`;
}

/** The label of a field: that of the form, the title in its shape, or its name in words. */
export function fieldLabel(
  { shape, labels }: Pick<Filled, "shape" | "labels">,
  name: string,
): string {
  return labels?.[name] ?? schemaIn(shape, name)?.title ?? nameInWords(name);
}

/** The schema of an input, also of one that is a field within another. */
function schemaIn({ properties }: TObject, name: string): TSchema | undefined {
  const [outer = "", key] = name.split(".");
  const table = properties[outer]?.[SITE_PARTS];
  const { caller } = useFrame();
  if (!table || !key || !caller) return properties[name];
  return siteSchemas(caller, table)[key];
}

export function nameInWords(name: string): string {
  return inTitle(name.replaceAll("_", " "));
}

function textOf(schema: TSchema | undefined): TSchema | undefined {
  return schema?.anyOf?.find((one: TSchema) => one.type === "string") ?? schema;
}

/** Above a page: why an action on it was refused. */
export function RefusalNote({ refusal }: { refusal: Refusal | undefined }) {
  if (!refusal) return null;
  return (
    <p class="note bad" role="alert">
      {reasonsOf(refusal.errors)}
    </p>
  );
}
