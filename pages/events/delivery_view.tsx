// The page of a message of a webhook: its attempts, with request and answer.
import type { Static } from "@sinclair/typebox";
import type { Delivery, deliveryAttempt } from "../../src/events/webhooks/delivery.ts";
import type { Webhook } from "../../src/events/webhooks/webhook.ts";
import { AskOfPage } from "../help/ask.tsx";
import { Icon } from "../parts/icon.tsx";
import { Snippet } from "../parts/snippet.tsx";
import { momentInWords, Time } from "../records/time.tsx";
import { WEBHOOKS } from "./paths.ts";
import { Status } from "./webhook_view.tsx";

type Attempt = Static<typeof deliveryAttempt>;

interface Props {
  row: Webhook;
  delivery: Delivery;
  attempts: Attempt[];
  /** Why an action was refused. */
  problem: string | undefined;
}

export function DeliveryPage({ row, delivery, attempts, problem }: Props) {
  const { change_set } = delivery;
  return (
    <>
      <header class="head">
        <div>
          <h1>
            {change_set === null ? "Test message" : "Message"} of{" "}
            {momentInWords(delivery.created_at ?? "")}
          </h1>{" "}
          <AskOfPage />
          <p class="lead">
            <Status status={delivery.status} /> <span class="mono">{delivery.message}</span>
          </p>
        </div>
        <div class="actions">
          {change_set !== null && (
            <a class="button" href={`/changes/${change_set}`}>
              The change
            </a>
          )}
          <form method="post" action={`${WEBHOOKS}/send/${row.id}/${delivery.id}`}>
            <button type="submit" class="primary">
              <Icon name="activity" /> Send again
            </button>
          </form>
        </div>
      </header>
      {problem && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      {delivery.next_at && (
        <p>
          The next attempt: <Time at={delivery.next_at} />
        </p>
      )}
      <div class="stack">
        {attempts.length === 0 && <p class="muted">No attempts yet</p>}
        {attempts.map((one) => (
          <AttemptPart attempt={one} />
        ))}
      </div>
    </>
  );
}

function AttemptPart({ attempt: one }: { attempt: Attempt }) {
  const at = momentInWords(one.at.slice(0, 19));
  const title = `attempt-${one.id}`;
  return (
    <section aria-labelledby={title}>
      <h2 id={title}>
        {at} <span class={one.problem ? "tag bad" : "tag good"}>{one.status ?? "no answer"}</span>
      </h2>
      <p>
        {one.problem ?? "Delivered"}, in {one.milliseconds.toLocaleString("en")} ms
      </p>
      <details>
        <summary>Request</summary>
        <Snippet
          text={`POST ${one.url}\n${headersOf(one.request_headers)}\n\n${one.request_body}`}
        />
      </details>
      {one.status !== null && (
        <details>
          <summary>Answer</summary>
          <Snippet text={`${one.status}\n${headersOf(one.answer_headers)}\n\n${one.answer_body}`} />
        </details>
      )}
    </section>
  );
}

function headersOf(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}
