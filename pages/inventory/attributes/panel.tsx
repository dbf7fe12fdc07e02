import type { Timeline } from "../../../src/history/history.ts";
import type { Attribute, AttributeKind } from "../../../src/inventory/attributes/attribute.ts";
import type { AttributeRow } from "../../../src/inventory/attributes/attributes.ts";
import { confirmAttributes } from "../../layout/confirm.tsx";
import { colourOfStatus, Pill } from "../../lists/pill.tsx";
import type { EditConflict } from "../../parts/conflict.tsx";
import { Field, type Filled, fieldLabel, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { Facts, OtherFields } from "../../parts/resource_fields.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { inList } from "../../records/in_list.tsx";
import { recordPath } from "../../records/links.tsx";
import { liveRecord } from "../../records/live.tsx";
import { Meanwhile } from "../../records/meanwhile.tsx";
import { withParams } from "../../request/url_parameters.ts";
import type { ListPlace, ShownList } from "../../resource/list.tsx";
import { CODE_STOPS_WORKING } from "../../texts.ts";

export interface Selected {
  record: Attribute;
  version: number;
  timeline: Timeline;
}

/** The data of the page of one kind. */
export interface AttributesPageProps extends ShownList<AttributeRow> {
  of: AttributeKind;
  place: Pick<ListPlace<AttributeRow>, "resource" | "path" | "list">;
  /** The selected attribute. */
  opened: Selected | undefined;
  adding: Filled;
  changing: Filled | undefined;
  /** The version that the form changes. */
  version: number | undefined;
  conflict: EditConflict | undefined;
}

type Props = AttributesPageProps & { opened: Selected };

export function attributePath(of: AttributeKind, name: string): string {
  return recordPath(of.plural, name) ?? "";
}

/** The selected attribute: its label, its fields, its history and its deletion. */
export function AttributePanel(props: Props) {
  const { of, params, opened, path, mayEdit, mayDelete, refused } = props;
  const { record } = opened;
  const code = `CSE:${of.name}:${record.name}`;
  const here = withParams(path, params, { selected: record.id });
  return (
    <aside
      class="panel"
      id="panel"
      aria-labelledby="panel-title"
      data-live={mayEdit ? undefined : liveRecord(of.resource, record.id)}
    >
      <header>
        <h2 id="panel-title">
          <a href={attributePath(of, record.name) + inList(params)}>{record.name}</a>
        </h2>
        <a
          class="quiet"
          href={withParams(path, params, { selected: null })}
          aria-label="Close"
          title="Close"
        >
          <Icon name="x" />
        </a>
      </header>
      <figure class="qr">
        <Qr text={code} />
        <figcaption class="mono">{code}</figcaption>
      </figure>
      {mayEdit ? <Change {...props} here={here} /> : <Described {...props} />}
      <section aria-labelledby="history-title">
        <h3 id="history-title">History</h3>
        <RecordTimeline timeline={opened.timeline} of={{ table: of.plural, id: record.id }} />
      </section>
      {refused && (
        <p class="note bad" role="alert">
          {refused.message}. Open <a href={attributePath(of, record.name)}>{record.name}</a> to see
          what uses it, and change that first
        </p>
      )}
      {mayDelete && (
        <form
          method="post"
          action={here}
          {...confirmAttributes({
            title: `Delete ${record.name}?`,
            detail: CODE_STOPS_WORKING,
            verb: "Delete",
          })}
        >
          <input type="hidden" name="action" value="delete" />
          <input type="hidden" name="id" value={record.id} />
          <button type="submit" class="quiet bad">
            <Icon name="trash" /> Delete this {of.name}
          </button>
        </form>
      )}
    </aside>
  );
}

function Described({ of, opened: { record } }: Props) {
  return (
    <>
      <p>{record.description}</p>
      <dl class="facts">
        <Facts
          of={of.resource}
          row={record}
          own={ownFacts(of, record)}
          elsewhere={["name", "description", "qrcode"]}
        />
      </dl>
    </>
  );
}

/** The colour of a status is shown as lists show it. */
export function ownFacts({ name: kind }: AttributeKind, { name, colour }: Attribute) {
  if (kind !== "status") return {};
  return {
    colour: (
      <>
        <Pill colour={colourOfStatus(name, colour) ?? "grey"}>{name}</Pill>{" "}
        {!colour && <span class="muted">automatic</span>}
      </>
    ),
  };
}

/** The fields that the forms of attributes place themselves. */
export const PLACED = ["name", "description"];

function Change({ of, opened, changing, version, conflict, here }: Props & { here: string }) {
  if (!changing) return null;
  const { record } = opened;
  return (
    <form class="sheet" method="post" action={here} data-guard>
      <Meanwhile of={of.resource} id={record.id} version={version ?? opened.version} />
      <input type="hidden" name="action" value="update" />
      <input type="hidden" name="id" value={record.id} />
      <input type="hidden" name="version" value={version} />
      {conflict && <Conflict {...conflict} shape={changing.shape} />}
      <Summary filled={changing} />
      <Field filled={changing} name="name" />
      <Field filled={changing} name="description" rows={3} />
      <OtherFields filled={changing} placed={PLACED} />
      <div class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
      </div>
    </form>
  );
}

/** Shows all fields, as there are few: their values beside yours. */
function Conflict({ theirs, yours, shape }: EditConflict & Pick<Filled, "shape">) {
  return (
    <div class="note warn" role="alert">
      <p>This record was saved while you were editing. Save again to keep your values.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {Object.keys(theirs).map((name) => (
            <tr>
              <th scope="row">{fieldLabel({ shape }, name)}</th>
              <td>{theirs[name]}</td>
              <td>{yours[name]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
