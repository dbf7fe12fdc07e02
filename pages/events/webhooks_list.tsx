import { WEBHOOK_STATES, type Webhook, webhook } from "../../src/events/webhooks/webhook.ts";
import type { ListJson } from "../../src/store/records.ts";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { Filters, List, ListHead } from "../parts/list.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { WEBHOOKS, webhookView } from "./paths.ts";
import { FORMAT_NAMES } from "./webhook_form.tsx";

export interface WebhooksProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: Webhook[];
}

export function WebhooksPage(shown: WebhooksProps) {
  return (
    <>
      <ListHead
        title="Webhooks"
        lead="Programs that are told of each change, in order and without loss"
        path={WEBHOOKS}
        noun="webhook"
        mayAdd
      />
      <Filters path={WEBHOOKS} params={shown.params} noun="webhooks">
        <ChoiceFilter
          name="state"
          label="Any state"
          params={shown.params}
          options={WEBHOOK_STATES}
        />
      </Filters>
      <WebhookList {...shown} />
    </>
  );
}

export function WebhookList({ params, listed, rows }: WebhooksProps) {
  return (
    <List
      noun="webhooks"
      singular="webhook"
      path={WEBHOOKS}
      params={params}
      listed={listed}
      rows={rows}
      columns={COLUMNS}
      fields={["state"]}
      empty={
        <div class="empty">
          <EmptyPicture icon="activity" />
          <p>No webhooks yet</p>
          <p class="muted">A webhook sends each change to a program of yours</p>
        </div>
      }
    />
  );
}

const TONES = { active: "good", failing: "bad", paused: "bad", off: "" };

export function WebhookState({ state }: Pick<Webhook, "state">) {
  return <span class={`tag ${TONES[state]}`}>{state}</span>;
}

const COLUMNS = columnsOf<Webhook>(
  webhook,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ id, name }, inList) => (
        <a class="open" href={webhookView(id) + inList}>
          {name}
        </a>
      ),
    },
    { name: "url", sortable: true, class: "mono", cell: ({ url }) => originOf(url) },
    { name: "state", sortable: true, cell: ({ state }) => <WebhookState state={state} /> },
    { name: "waiting", sortable: true, class: "number", cell: ({ waiting }) => waiting },
    { name: "owner", sortable: true },
    { name: "format", sortable: true, cell: ({ format }) => FORMAT_NAMES[format] },
  ],
  ["filters"],
);

/** The rest of a URL may be long, or secret. */
function originOf(url: string): string {
  return new URL(url).origin;
}
