// The form that creates or changes a record: a page draws what is special to its resource, the other fields come from
// their description.
import type { ComponentChildren } from "preact";
import type { Crumb } from "../layout/layout.tsx";
import { Conflict, type EditConflict } from "../parts/conflict.tsx";
import { type Filled, Summary } from "../parts/forms.tsx";
import { OtherFields } from "../parts/resource_fields.tsx";
import { CHANGED_MEANWHILE } from "../texts.ts";

/** What a resource draws of its form itself. */
export interface FormParts {
  /** Attributes of the form, such as its id. */
  attributes?: Record<string, string | boolean | undefined>;
  /** Hidden fields, before everything else. */
  hidden?: ComponentChildren;
  /** The inputs of these fields, above those of all others. */
  fields?: ComponentChildren;
  placed?: readonly string[];
  /** Further buttons. */
  buttons?: ComponentChildren;
  /** Without a button that saves and shows the next empty form. */
  isSingle?: boolean;
  /** Beside the form. */
  beside?: ComponentChildren;
  /** The values to show, if they are not those that were given. */
  filled?: Filled;
  title?: string;
  lead?: ComponentChildren;
  crumbs?: Crumb[];
  /** Where the form leads without being sent. */
  back?: string;
}

interface ResourceFormProps extends FormParts {
  action: string;
  noun: string;
  filled: Filled;
  /** Of the record that is edited; a new one has none. */
  version: number | undefined;
  conflict: EditConflict | undefined;
  /** Somebody else has changed it since, and nothing was merged. */
  isStale: boolean;
  back: string;
}

export function ResourceForm(props: ResourceFormProps) {
  const { action, noun, filled, version, conflict, isStale, beside } = props;
  const { attributes, hidden, fields, placed = [], buttons, isSingle, back } = props;
  const form = (
    <form class="sheet" method="post" action={action} data-guard {...attributes}>
      {version !== undefined && <input type="hidden" name="version" value={version} />}
      {hidden}
      {conflict && <Conflict noun={noun} shape={filled.shape} {...conflict} />}
      {isStale && (
        <p class="note bad" role="alert">
          {CHANGED_MEANWHILE}
        </p>
      )}
      <Summary filled={filled} />
      {fields}
      <OtherFields filled={filled} placed={placed} autofocus={placed.length === 0} />
      <SaveButtons isNew={version === undefined && !isSingle} back={back}>
        {buttons}
      </SaveButtons>
    </form>
  );
  if (!beside) return form;
  return (
    <div class="split optional">
      {form}
      {beside}
    </div>
  );
}

interface SaveButtonsProps {
  isNew: boolean;
  back: string;
  children?: ComponentChildren;
}

/** The buttons of a form that creates or changes a record. */
export function SaveButtons({ isNew, back, children }: SaveButtonsProps) {
  return (
    <div class="buttons">
      <button type="submit" class="primary">
        Save
      </button>
      {isNew && (
        <button type="submit" name="again" value="true">
          Save and add another
        </button>
      )}
      {children}
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </div>
  );
}
