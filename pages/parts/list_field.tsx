import { MOST_ELEMENTS } from "../../src/input/limits.ts";
import { AskOf } from "../help/ask.tsx";
import { inPlainWords } from "../texts.ts";
import { type Filled, fieldLabel, idOf } from "./forms.tsx";
import { Suggestions, suggesting } from "./typeahead.tsx";

interface Props {
  filled: Filled;
  name: string;
  /** Distinguishes the fields of two forms on one page. */
  form?: string | undefined;
  values: string[];
  label?: string;
  /** Singular, for screen readers: group. */
  noun: string;
  hint?: string;
  names: string[];
  /** The URL of the suggestions. */
  suggest: string;
  /** Further attributes of each input. */
  more?: Record<string, string>;
}

const SPARE = 2;

/** A field for each name, and blank ones to add more; blanks are ignored. */
export function ListField({ filled, name, form, values, noun, ...props }: Props) {
  const { label = fieldLabel(filled, name), hint, names, suggest, more } = props;
  const first = idOf(name, form);
  const error = filled.errors.find(({ field }) => field === name);
  const shown = [...values.slice(0, MOST_ELEMENTS), ...Array.from({ length: SPARE }, () => "")];
  return (
    <fieldset class="field several" aria-describedby={error ? `error-${first}` : undefined}>
      <legend>
        {label} <AskOf label={label} />
      </legend>
      <div>
        {shown.map((value, at) => (
          <input
            type="text"
            {...suggesting({ id: first, suggest })}
            id={at === 0 ? first : `${first}-${at + 1}`}
            name={name}
            value={value}
            aria-label={`${noun} ${at + 1}`}
            aria-invalid={error && at === 0 ? true : undefined}
            autocomplete="off"
            {...more}
          />
        ))}
      </div>
      <Suggestions id={first} names={names} />
      {hint && <p class="hint">{hint}</p>}
      {values.length > MOST_ELEMENTS && (
        <p class="error">
          Only the first {MOST_ELEMENTS.toLocaleString("en")} of{" "}
          {values.length.toLocaleString("en")} are shown
        </p>
      )}
      {error && (
        <p class="error" id={`error-${first}`}>
          {inPlainWords(error.message)}
        </p>
      )}
    </fieldset>
  );
}

/** The values when the form was opened. A form with more than MOST_ELEMENTS is refused anyway. */
export function ListFieldBefore({ name, values }: Pick<Props, "name" | "values">) {
  return (
    <>
      {values.slice(0, MOST_ELEMENTS).map((value) => (
        <input type="hidden" name={`${name}_before`} value={value} />
      ))}
    </>
  );
}
