import { TEMPLATES, type Trigger } from "../../src/events/triggers/trigger.ts";
import { trigger } from "../../src/events/triggers/triggers.ts";
import type { ListJson } from "../../src/store/records.ts";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { Icon } from "../parts/icon.tsx";
import { List } from "../parts/list.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { TRIGGERS, triggerPath } from "./paths.ts";
import { PRODUCT_NAMES } from "./trigger_form.tsx";
import { RunStatusTag, StateTag } from "./trigger_view.tsx";

interface Props {
  params: URLSearchParams;
  listed: ListJson;
  rows: Trigger[];
}

export function TriggersPage(shown: Props) {
  return (
    <>
      <header class="head">
        <div>
          <h1>Triggers</h1>
          <p class="lead">Changes start a job elsewhere, whose result comes back to the hosts</p>
        </div>
        <div class="actions">
          {TEMPLATES.map((template) => (
            <a class="button" href={`${TRIGGERS}/create/${template}`}>
              <Icon name="plus" /> Add {PRODUCT_NAMES[template].name}
            </a>
          ))}
        </div>
      </header>
      <TriggerList {...shown} />
    </>
  );
}

export function TriggerList({ params, listed, rows }: Props) {
  return (
    <List
      noun="triggers"
      singular="trigger"
      path={TRIGGERS}
      params={params}
      listed={listed}
      rows={rows}
      columns={COLUMNS}
      empty={
        <div class="empty">
          <EmptyPicture icon="activity" />
          <p>No triggers yet</p>
          <p class="muted">Forty registrations are one job, and each host says how it ended</p>
        </div>
      }
    />
  );
}

const COLUMNS = columnsOf<Trigger>(
  trigger,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ id, name }) => (
        <a class="open" href={triggerPath(id)}>
          {name}
        </a>
      ),
    },
    { name: "template", label: "Starts", cell: ({ template }) => PRODUCT_NAMES[template].name },
    { name: "url", cell: ({ url }) => url },
    { name: "is_active", label: "State", cell: (row) => <StateTag trigger={row} /> },
    {
      name: "last_run",
      cell: ({ last_run }) => last_run && <RunStatusTag status={last_run} />,
    },
  ],
  [
    ...(["filters", "variables", "body", "headers", "revision"] as const),
    ...(["has_secret", "has_read_token", "is_workflow", "token_kind"] as const),
    ...(["job_template", "limit", "project", "ref", "job", "username", "secret_header"] as const),
  ],
);
