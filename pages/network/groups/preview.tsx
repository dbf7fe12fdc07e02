// The hosts that a change of a group affects, beside its form.
import type { ComponentChildren } from "preact";
import type { FieldError } from "../../../src/input/errors.ts";
import { newEntry } from "../../../src/network/groups/form_input.ts";
import type {
  GroupPreview,
  HostDifference,
  HostsAffected,
} from "../../../src/network/groups/preview.ts";
import { countOf } from "../../parts/count.ts";
import { fieldLabel } from "../../parts/forms.tsx";
import { RecordLinks } from "../../records/links.tsx";
import { useHx } from "../../request/frame.ts";

type GroupPreviewState = { errors: FieldError[] } | { preview: GroupPreview };

interface Props {
  /** The URL of the form and of the preview. */
  action: string;
  /** The id of the form. */
  form: string;
  /** The preview, if there is one already. */
  said: ComponentChildren;
}

export function PreviewPanel({ action, form, said }: Props) {
  const hx = useHx();
  const live = hx({
    post: action,
    include: `#${form}`,
    trigger: `input from:#${form} delay:400ms`,
    target: "this",
    swap: "innerHTML",
    sync: "this:replace",
  });
  return (
    <aside class="panel" aria-labelledby="preview-title">
      <h2 id="preview-title">Affected hosts</h2>
      <div id="outlook" role="status" {...live}>
        {said ?? <p class="muted">No changes yet</p>}
      </div>
    </aside>
  );
}

/** The errors of the form, or the hosts that it affects. */
export function PreviewBody({ state }: { state: GroupPreviewState }) {
  if ("errors" in state) {
    return (
      <ul class="plain muted">
        {state.errors.map(({ field, message }) => (
          <li>
            {fieldLabel({ shape: newEntry }, field)}: {message}
          </li>
        ))}
      </ul>
    );
  }
  const { hosts, total, members } = state.preview;
  return (
    <>
      <p>
        {countOf(members, "host")} in the group,{" "}
        {total === 0 ? "none affected" : `${total.toLocaleString("en")} affected`}
      </p>
      {hosts.length > 0 && <TouchedHosts hosts={hosts} />}
      {total > hosts.length && (
        <p class="muted">and {(total - hosts.length).toLocaleString("en")} more</p>
      )}
    </>
  );
}

/** Hosts with the same changes are grouped. */
function TouchedHosts({ hosts }: { hosts: HostsAffected[] }) {
  const alike = Map.groupBy(hosts, ({ name, ...fate }) => JSON.stringify(fate));
  return (
    <ul class="touched">
      {[...alike.values()].map((some) => (
        <Alike hosts={some} />
      ))}
    </ul>
  );
}

const FEW = 6;

function Alike({ hosts }: { hosts: HostsAffected[] }) {
  const [first] = hosts;
  if (!first) return null;
  const { joins, leaves, changes } = first;
  const names = hosts.slice(0, FEW).map(({ name }) => name);
  const rest = hosts.length - FEW;
  return (
    <li>
      <RecordLinks table="hosts" names={names} /> {rest > 0 && `and ${rest} more `}
      {joins && <span class="tag good">{"added"}</span>}
      {leaves && <span class="tag bad">{"removed"}</span>}
      {changes.length > 0 && (
        <dl>
          {changes.map((change) => (
            <Changed {...change} />
          ))}
        </dl>
      )}
    </li>
  );
}

function Changed({ variable, old, now }: HostDifference) {
  return (
    <>
      <dt>{variable}</dt>
      <dd>
        <del>{valueAsText(old)}</del> <ins>{valueAsText(now)}</ins>
      </dd>
    </>
  );
}

const LONGEST = 200;

/** An empty text for a variable that does not exist. */
function valueAsText(value: unknown): string {
  const text = value === null ? "" : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
