// Confirms the deletion of a host or an interface: lists what is deleted with it. If that is more than one record, the
// user has to type the name.
import type { Impact } from "../../src/network/deletion_impact.ts";
import { page } from "../layout/page.tsx";
import { countOf } from "../parts/count.ts";
import { Icon } from "../parts/icon.tsx";
import { field } from "../request/form_values.ts";

interface DeleteConfirmation {
  /** The record in words: the host ws-01. */
  called: string;
  /** The text to type if more than this record is deleted. */
  name: string;
  impact: Impact;
  /** The fields of the form that confirms. */
  kept: Array<[name: string, value: string]>;
  /** Which records stay, and why. */
  note?: string;
  /** How many addresses become free. */
  addresses: number;
  back: string;
  crumbs: Array<{ label: string; href?: string }>;
}

/** Undefined once it is confirmed. */
export function confirmDelete(
  request: Request,
  form: FormData,
  question: DeleteConfirmation,
): Response | undefined {
  const { impact, name } = question;
  const isMore = impact.interfaces + impact.cnames > 0 || question.kept.length > 1;
  const typed = field(form, "typed");
  const isSeen = field(form, "seen") === fingerprintOf(impact);
  if (isMore ? isSeen && typed === name : form.get("confirmed") === "true") return undefined;
  const isSubmitted = typed !== "" || form.has("seen");
  return page(request, {
    title: `Delete ${question.called}?`,
    status: isSubmitted ? 422 : 200,
    crumbs: [...question.crumbs, { label: "Delete" }],
    body: (
      <ConfirmDelete
        {...question}
        isMore={isMore}
        error={isSubmitted ? errorFor(isSeen, name) : undefined}
      />
    ),
  });
}

function errorFor(isSeen: boolean, name: string): string {
  return isSeen
    ? `Type ${name} to delete it`
    : "The records have changed; check the list and confirm again";
}

function fingerprintOf({ interfaces, cnames, items }: Impact): string {
  return [interfaces, cnames, items].join("-");
}

function ConfirmDelete(props: DeleteConfirmation & { isMore: boolean; error: string | undefined }) {
  const { called, name, impact, kept, note, isMore, error, back } = props;
  return (
    <>
      <header class="head">
        <h1>Delete {called}?</h1>
      </header>
      <form class="sheet" method="post">
        <ImpactList {...props} />
        {note && <p class="note warn">{note}</p>}
        {kept.map(([field, value]) => (
          <input type="hidden" name={field} value={value} />
        ))}
        {isMore ? (
          <div class="field">
            <input type="hidden" name="seen" value={fingerprintOf(impact)} />
            <label for="field-typed">Type {name} to confirm</label>
            <input
              type="text"
              id="field-typed"
              name="typed"
              autocomplete="off"
              autofocus
              required
              aria-invalid={error ? true : undefined}
              aria-describedby={error ? "error-field-typed" : undefined}
            />
            {error && (
              <p class="error" id="error-field-typed">
                {error}
              </p>
            )}
          </div>
        ) : (
          <input type="hidden" name="confirmed" value="true" />
        )}
        <div class="buttons">
          <button type="submit" class="primary bad">
            <Icon name="trash" /> Delete
          </button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}

/** The counts of the rows that are deleted or changed. */
function ImpactList({ impact, addresses }: DeleteConfirmation) {
  const { interfaces, cnames, items } = impact;
  const lines = [
    interfaces > 0 && `${countOf(interfaces, "interface")} will be deleted`,
    cnames > 0 && `${countOf(cnames, "cname")} will be deleted`,
    addresses > 0 && `${countOf(addresses, "address")} will be free`,
    items > 0 && `${countOf(items, "item")} will have no host`,
  ].filter(Boolean);
  if (lines.length === 0) return <p>Nothing else will be deleted.</p>;
  return (
    <ul class="losses">
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}
