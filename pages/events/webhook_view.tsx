// The page of a webhook: its settings, what admins send by hand, and the log of its messages.
import { replayRange } from "../../src/events/webhooks/deliveries.ts";
import { DELIVERY_STATUSES, type Delivery, delivery } from "../../src/events/webhooks/delivery.ts";
import { type Webhook, webhook } from "../../src/events/webhooks/webhook.ts";
import type { ListJson } from "../../src/store/records.ts";
import { Ask } from "../help/ask.tsx";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Filters, List } from "../parts/list.tsx";
import { columnsOf, Facts } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { FilterLink } from "./filter_fields.tsx";
import { deliveryView, WEBHOOKS, webhookView } from "./paths.ts";
import { FORMAT_NAMES } from "./webhook_form.tsx";

interface DeliveriesProps {
  row: Webhook;
  params: URLSearchParams;
  listed: ListJson;
  deliveries: Delivery[];
}

export function Messages(shown: DeliveriesProps) {
  return (
    <section aria-labelledby="messages-title">
      <h2 id="messages-title">Messages</h2>
      <Filters path={webhookView(shown.row.id)} params={shown.params} noun="messages">
        <ChoiceFilter
          name="status"
          label="Any status"
          params={shown.params}
          options={DELIVERY_STATUSES}
        />
      </Filters>
      <DeliveryList {...shown} />
    </section>
  );
}

export function NewSecret({ secret }: { secret: string }) {
  return (
    <section class="note good" role="status" id="new-secret">
      <h2>
        Secret <Ask about="Secret" />
      </h2>
      <p>Copy it now: it is shown only once. The receiver verifies messages with it.</p>
      <p class="secret">
        <code>{secret}</code>
        <button type="button" class="quiet js-only" data-copy={secret}>
          <Icon name="copy" /> Copy
        </button>
      </p>
    </section>
  );
}

export function WebhookFacts({ row }: { row: Webhook }) {
  return (
    <Facts
      of={webhook}
      row={row}
      own={{
        url: <span class="mono">{row.url}</span>,
        format: FORMAT_NAMES[row.format],
        filters: <FilterLink filters={row.filters} />,
      }}
      elsewhere={["name", "state", "trouble", "is_active"]}
    />
  );
}

export function Replay({ row, filled }: { row: Webhook; filled: Filled }) {
  return (
    <section aria-labelledby="replay-title">
      <h2 id="replay-title">Replay</h2>
      <form class="sheet" method="post" action={`${WEBHOOKS}/replay/${row.id}`}>
        <Summary filled={filled} />
        <p class="hint">
          Changes that match the filters are sent again, as new messages. Use times, or the numbers
          of changes.
        </p>
        {Object.keys(replayRange.properties).map((name) => (
          <Field
            filled={filled}
            name={name}
            {...(name === "from" && { hint: "Such as 2026-01-31 14:05, in UTC" })}
          />
        ))}
        <div class="buttons">
          <button type="submit">Replay</button>
        </div>
      </form>
    </section>
  );
}

export function DeliveryList({ row, params, listed, deliveries }: DeliveriesProps) {
  return (
    <List
      noun="messages"
      singular="message"
      path={webhookView(row.id)}
      params={params}
      listed={listed}
      rows={deliveries.map((one) => ({ ...one, webhook: row.id }))}
      columns={COLUMNS}
      fields={["status"]}
      empty={
        <div class="empty">
          <EmptyPicture icon="activity" />
          <p>No messages yet</p>
          <p class="muted">
            The next change that matches the filters is listed here. To see a message now, press
            Send a test above.
          </p>
        </div>
      }
    />
  );
}

const STATUS_TONES = { waiting: "", delivered: "good", failed: "bad" };

export function Status({ status }: Pick<Delivery, "status">) {
  return <span class={`tag ${STATUS_TONES[status]}`}>{status}</span>;
}

type DeliveryRow = Delivery & { webhook: number };

const COLUMNS = columnsOf<DeliveryRow>(
  delivery,
  [
    {
      name: "created_at",
      label: "Time",
      sortable: true,
      fixed: true,
      class: "time",
      cell: ({ id, webhook: of, created_at }) => (
        <a class="open" href={deliveryView(of, id)}>
          <Time at={created_at} />
        </a>
      ),
    },
    {
      name: "change_set",
      cell: ({ change_set }) =>
        change_set === null ? "Test" : <a href={`/changes/${change_set}`}>Change</a>,
    },
    { name: "status", sortable: true, cell: ({ status }) => <Status status={status} /> },
    { name: "attempts", sortable: true, class: "number", cell: ({ attempts }) => attempts },
    { name: "problem", label: "Result", cell: ({ problem, answer }) => problem ?? answer },
    {
      name: "next_at",
      class: "time",
      cell: ({ next_at }) => next_at && <Time at={next_at} />,
    },
  ],
  ["answer"],
);
