import { Icon } from "../parts/icon.tsx";
import { page } from "./page.tsx";

interface ConfirmationTexts {
  title: string;
  /** The records that are deleted with it. */
  detail: string;
  verb: string;
  back: string;
}

/** Shows a confirmation page, unless the user has confirmed in a dialog. */
export function confirmFirst(
  request: Request,
  form: FormData,
  question: ConfirmationTexts,
): Response | undefined {
  if (form.get("confirmed") === "true") return undefined;
  const { title, detail, verb, back } = question;
  const kept = [...form].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return page(request, {
    title,
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <form class="sheet" method="post">
          <p>{detail}</p>
          {kept.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="confirmed" value="true" />
          <div class="buttons">
            <button type="submit" class="primary bad">
              <Icon name="trash" /> {verb}
            </button>
            <a class="button quiet" href={back}>
              Cancel
            </a>
          </div>
        </form>
      </>
    ),
  });
}

/** Attributes for a form that a script may confirm in a dialog before it is sent. */
export function confirmAttributes({ title, detail, verb }: DialogTexts) {
  return { "data-confirm": title, "data-detail": detail, "data-verb": verb };
}

/** A question without the way back, which the dialog does not need. */
type DialogTexts = Omit<ConfirmationTexts, "back">;

export interface ActionButton {
  name: string;
  label: string;
  icon?: string;
  question?: DialogTexts | undefined;
}

interface ActionFormProps extends ActionButton {
  /** Where the form is sent to, with the name as `action`. */
  to: string;
  /** A field that names the record, if the path does not. */
  field?: [name: string, value: string];
}

/** A button that does something with the record of the page, which may have to be confirmed. */
export function ActionForm({ to, field, name, label, icon, question }: ActionFormProps) {
  return (
    <form method="post" action={to} {...(question && confirmAttributes(question))}>
      {field && <input type="hidden" name={field[0]} value={field[1]} />}
      <button type="submit" class={question ? "quiet bad" : ""} name="action" value={name}>
        {icon && <Icon name={icon} />} {label}
      </button>
    </form>
  );
}

interface DangerousActionsProps extends Pick<ActionFormProps, "to" | "field"> {
  actions: ActionButton[];
}

/** The buttons below the facts of a record, which end or change how it works. */
export function DangerousActions({ actions, ...of }: DangerousActionsProps) {
  return (
    <div class="danger">
      {actions.map((action) => (
        <ActionForm {...of} {...action} />
      ))}
    </div>
  );
}

interface DeleteFormProps {
  /** Where the form is sent to, and the field that names the record. */
  action: string;
  field: [name: string, value: string];
  noun: string;
  name: string;
  detail: string;
}

/** The button on the page of a record that deletes it. */
export function DeleteForm({ action, field: [field, value], noun, name, detail }: DeleteFormProps) {
  return (
    <form
      method="post"
      action={action}
      {...confirmAttributes({ title: `Delete ${name}?`, detail, verb: "Delete" })}
    >
      <input type="hidden" name={field} value={value} />
      <button type="submit" class="quiet bad">
        <Icon name="trash" /> Delete this {noun}
      </button>
    </form>
  );
}
