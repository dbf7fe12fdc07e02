// The page of a trigger: its settings, the request that it sends, and its runs.

import type { RequestPreview, TriggerRun } from "../../src/events/triggers/runs.ts";
import { fieldsOf, type SpecialField, type Trigger } from "../../src/events/triggers/trigger.ts";
import type { ListJson } from "../../src/store/records.ts";
import { userPath } from "../admin/paths.ts";
import { countOf } from "../parts/count.ts";
import { Fact } from "../parts/facts.tsx";
import { fieldLabel } from "../parts/forms.tsx";
import { List } from "../parts/list.tsx";
import type { Column } from "../parts/list_columns.tsx";
import { Snippet } from "../parts/snippet.tsx";
import { Time } from "../records/time.tsx";
import { FilterLink } from "./filter_fields.tsx";
import { TRIGGERS, triggerPath } from "./paths.ts";
import { shapeOf } from "./trigger_input.ts";

export const RUN_TONES: Record<TriggerRun["state"], string> = {
  waiting: "",
  launching: "",
  started: "",
  succeeded: "good",
  failed: "bad",
  gave_up: "bad",
  skipped: "",
};

export function RunStatusTag({ status }: { status: TriggerRun["state"] }) {
  return <span class={`tag ${RUN_TONES[status]}`}>{status.replace("_", " ")}</span>;
}

interface RunsProps {
  trigger: Trigger;
  params: URLSearchParams;
  listed: ListJson;
  runs: TriggerRun[];
}

export function StateTag({ trigger }: { trigger: Pick<Trigger, "is_active"> }) {
  return trigger.is_active ? (
    <span class="tag good">active</span>
  ) : (
    <span class="tag">switched off</span>
  );
}

export function TriggerFacts({ trigger }: { trigger: Trigger }) {
  const shape = shapeOf(trigger.template);
  return (
    <>
      <Fact label="Address">
        <span class="mono">{trigger.url}</span>
      </Fact>
      {fieldsOf(trigger.template).map((name) => (
        <Fact label={SHORT[name] ?? fieldLabel({ shape }, name)}>{shown(trigger[name])}</Fact>
      ))}
      <Fact label="Secret">{trigger.has_secret ? "set" : "not set"}</Fact>
      {trigger.token_kind === "trigger" && (
        <Fact label="Followed">{trigger.has_read_token ? "by another token" : "no"}</Fact>
      )}
      <Fact label="Changes">
        <FilterLink filters={trigger.filters} />
      </Fact>
      <Fact label="Owner">
        <a href={userPath(trigger.owner)}>{trigger.owner}</a>
      </Fact>
      <Fact label="Success">{trigger.success_text}</Fact>
      <Fact label="Starts">
        {trigger.quiet_seconds} s after the last change, {trigger.most_seconds} s at most
        {trigger.waits_for_end && ", once the last job has ended"}
      </Fact>
      <Fact label="Updated">
        <Time at={trigger.updated_at} />
      </Fact>
    </>
  );
}

/** The titles of the form leave no room for values beside them. */
const SHORT: Partial<Record<SpecialField, string>> = {
  job_template: "Template",
  is_workflow: "Workflow",
  token_kind: "Token",
  variables: "Variables",
  secret_header: "Header",
};

function shown(value: unknown) {
  if (value == null || value === "") return <span class="muted">none</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  return <span class="mono">{JSON.stringify(value)}</span>;
}

export function PreviewPart({
  preview: { method, url, headers, body },
}: {
  preview: RequestPreview;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>The request for example values</summary>
      <Snippet text={[`${method} ${url}`, ...lines, "", indented(body)].join("\n")} />
    </details>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export function Runs({ trigger, params, listed, runs }: RunsProps) {
  return (
    <List
      noun="runs"
      singular="run"
      path={triggerPath(trigger.id)}
      params={params}
      listed={listed}
      rows={runs}
      columns={columnsFor(trigger)}
      fields={["state"]}
      empty={
        <p class="muted">
          No runs yet. The next change that matches the filters starts one, which is kept for 90
          days. To see one now, press Test with example values above.
        </p>
      }
    />
  );
}

function columnsFor(trigger: Trigger): Column<TriggerRun>[] {
  return [
    {
      name: "created_at",
      label: "First change",
      class: "time",
      fixed: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      name: "state",
      label: "State",
      fixed: true,
      cell: ({ state, is_test }) => (
        <>
          <RunStatusTag status={state} /> {is_test && <span class="tag">test</span>}
        </>
      ),
    },
    {
      name: "hosts",
      label: "Changes",
      cell: ({ changes, host_names }) => (
        <>
          {countOf(changes, "change")} <span class="muted">{hostsIn(host_names)}</span>
        </>
      ),
    },
    { name: "message", label: "Message", cell: (run) => <Message run={run} /> },
    {
      name: "again",
      label: "Run again",
      class: "tight",
      fixed: true,
      cell: (run) => ENDED.includes(run.state) && <AgainForm trigger={trigger} run={run} />,
    },
  ];
}

const ENDED = ["succeeded", "failed", "gave_up", "skipped"];
const MOST_NAMED = 3;

function hostsIn(hosts: string[]): string {
  const named = hosts.slice(0, MOST_NAMED).join(", ");
  return hosts.length > MOST_NAMED ? `${named} and ${hosts.length - MOST_NAMED} more` : named;
}

function Message({ run: { message, detail, url } }: { run: TriggerRun }) {
  return (
    <>
      {message}{" "}
      {url && (
        <a href={url} rel="noreferrer">
          job
        </a>
      )}
      {detail && <p class="muted">{detail}</p>}
    </>
  );
}

function AgainForm({ trigger, run }: { trigger: Trigger; run: TriggerRun }) {
  return (
    <form method="post" action={`${TRIGGERS}/again/${trigger.id}`}>
      <button
        type="submit"
        class="quiet"
        name="run"
        value={run.id}
        aria-label={`Run again: run ${run.id}`}
      >
        Run again
      </button>
    </form>
  );
}
