// What the page of a host shows below its heading; htmx replaces it after a change.

import type { Timeline } from "../../../src/history/history.ts";
import type { HostVars } from "../../../src/network/groups/effective_vars.ts";
import { changedEntry } from "../../../src/network/hosts/form_input.ts";
import { host as described, type Host } from "../../../src/network/hosts/host.ts";
import { snippets } from "../../../src/network/hosts/snippets.ts";
import type { HostView, ItemView, TriggerResult } from "../../../src/network/hosts/view.ts";
import { Ask } from "../../help/ask.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { blank, Field, type Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PlainTable } from "../../parts/plain_table.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { ModelAndPlace, RecordLink } from "../../records/links.tsx";
import { momentInWords, Time } from "../../records/time.tsx";
import { RecordHistory } from "../../resource/view.tsx";
import { HOSTS } from "../paths.ts";
import { type HostFormContext, Interfaces, useHostForm } from "./interfaces.tsx";

export interface HostDetailsProps {
  host: Host;
  view: HostView;
  vars: HostVars;
  timeline: Timeline | undefined;
  context: HostFormContext;
}

/** What a change can affect. */
export function HostDetails({ host, view, vars, timeline, context }: HostDetailsProps) {
  return (
    <div class="stack" id="host">
      <TriggerResults results={view.results} />
      <div class="beside">
        <aside class="panel" aria-label="Facts">
          <HostFacts host={host} context={context} mayChange={view.mayChange} />
        </aside>
        <Items host={host} items={view.items} mayChange={view.mayChange} />
        <Groups host={host} context={context} mayChange={view.mayChange} />
      </div>
      <Interfaces
        host={host.name}
        interfaces={view.interfaces}
        mayAdd={view.mayChange}
        context={context}
      />
      <div class="split record">
        <div class="stack">
          <Variables {...vars} />
          <Snippets host={host} view={view} />
        </div>
        <RecordHistory resource={described} id={host.id} timeline={timeline} />
      </div>
    </div>
  );
}

function Snippets({ host, view }: Pick<HostDetailsProps, "host" | "view">) {
  return (
    <section aria-labelledby="snippets-title" class="snippets">
      <h2 id="snippets-title">Configuration</h2>
      {snippets({ ...host, interfaces: view.interfaces }).map(({ title, text }) => (
        <div>
          <Copy text={text} />
          <details>
            <summary>{title}</summary>
            <Snippet text={text} />
          </details>
        </div>
      ))}
    </section>
  );
}

interface SectionProps {
  host: Host;
  context: HostFormContext;
  mayChange: boolean;
}

function HostFacts({ host, context, mayChange }: SectionProps) {
  const { device_type, model, description } = host;
  return (
    <dl class="facts">
      <Fact label="Type">
        <RecordLink table="device_types" name={device_type} />
        {model && (
          <>
            , <RecordLink table="models" name={model} />
          </>
        )}
      </Fact>
      <Facts
        of={described}
        row={host}
        own={{
          description:
            description || mayChange ? (
              <>
                {description ? <Prose text={description} /> : <span class="muted">None</span>}{" "}
                {mayChange && <EditDescription host={host} context={context} />}
              </>
            ) : null,
        }}
        elsewhere={ELSEWHERE}
      >
        <Fact label="Created">
          <Time at={host.created_at} />
        </Fact>
        <Stamps of={host} />
      </Facts>
    </dl>
  );
}

const ELSEWHERE = [
  ...(["name", "fqdn", "is_ioc", "device_type", "model"] as const),
  ...(["items", "interfaces", "automation_vars", "automation_groups"] as const),
];

function EditDescription({ host, context }: Omit<SectionProps, "mayChange">) {
  const act = useHostForm(context);
  const refused = context.refused?.describe;
  const filled = refused ?? blank(changedEntry, { description: host.description ?? "" });
  return (
    <details class="chooser" open={refused !== undefined}>
      <summary title="Change">
        <Icon name="pencil" /> <span class="hidden">Change description</span>
      </summary>
      <form {...act}>
        <input type="hidden" name="action" value="describe" />
        <input type="hidden" name="version" value={context.version} />
        <Field filled={filled} name="description" form="describe" rows={3} />
        <button type="submit">Save</button>
      </form>
    </details>
  );
}

interface ItemsProps extends Omit<SectionProps, "context"> {
  items: ItemView[];
}

function Items({ host, items, mayChange }: ItemsProps) {
  return (
    <section aria-labelledby="items-title">
      <h2 id="items-title">Items</h2>
      {items.length === 0 && (
        <p class="muted">
          No items yet
          {mayChange && (
            <>
              : <a href={`${HOSTS}/edit/${host.name}`}>choose them</a>
            </>
          )}
        </p>
      )}
      <ul class="plain">
        {items.map(({ ics_id, stack_member, model, location }) => (
          <li>
            <a class="mono" href={`/inventory/items/view/${ics_id}`}>
              {ics_id}
            </a>{" "}
            {stack_member !== null && <span class="tag">stack member {stack_member}</span>}{" "}
            <ModelAndPlace model={model} location={location} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Groups({ host, context, mayChange }: SectionProps) {
  return (
    <section aria-labelledby="groups-title">
      <h2 id="groups-title">
        Groups <Ask about="Groups" />
      </h2>
      {host.automation_groups.length === 0 && <p class="muted">No groups</p>}
      <ul class="chips">
        {host.automation_groups.map((name) => (
          <li>
            <a class="name" href={`/network/groups/view/${encodeURIComponent(name)}`}>
              {name}
            </a>
            {mayChange && <LeaveGroup group={name} context={context} />}
          </li>
        ))}
      </ul>
      {mayChange && <JoinGroup context={context} />}
    </section>
  );
}

function LeaveGroup({ group, context }: { group: string; context: HostFormContext }) {
  const act = useHostForm(context);
  return (
    <form {...act} class="take-off">
      <input type="hidden" name="action" value="leave_group" />
      <input type="hidden" name="group" value={group} />
      <button
        type="submit"
        class="quiet square copy"
        aria-label={`Remove from ${group}`}
        title="Remove"
      >
        <Icon name="x" />
      </button>
    </form>
  );
}

function JoinGroup({ context }: { context: HostFormContext }) {
  const act = useHostForm(context);
  const refused: Filled | undefined = context.refused?.join;
  const id = "join-automation_groups";
  return (
    <details class="chooser" open={refused !== undefined}>
      <summary>
        <Icon name="plus" /> Add to a group
      </summary>
      <form {...act}>
        <input type="hidden" name="action" value="join_group" />
        <Field
          filled={refused ?? blank(changedEntry)}
          name="automation_groups"
          form="join"
          label="Group"
          more={suggesting({ id, suggest: "/network/_suggest/groups" })}
        >
          <Suggestions id={id} names={[]} />
        </Field>
        <button type="submit">Add</button>
      </form>
    </details>
  );
}

type Origin = Pick<HostVars["origins"][string], "group">;

/** The variables that Ansible uses, the source of each, and the values it overrides. */
function Variables({ vars, origins }: Pick<HostVars, "vars" | "origins">) {
  const names = Object.keys(vars);
  return (
    <section class="region" aria-labelledby="vars-title">
      <h2 id="vars-title">
        {described.fields.automation_vars.label} <Ask about="Variables" />
      </h2>
      {names.length === 0 ? (
        <p class="muted">No variables</p>
      ) : (
        <PlainTable
          caption="Variables"
          rows={names}
          columns={[
            { label: "Variable", class: "mono", cell: (name) => name },
            { label: "Value", class: "mono", cell: (name) => JSON.stringify(vars[name]) },
            { label: "Source", cell: (name) => <From source={origins[name]} /> },
            {
              label: "Overrides",
              class: "muted",
              cell: (name) =>
                origins[name]?.overrode.map(({ value, ...source }) => (
                  <div>
                    <span class="mono">{JSON.stringify(value)}</span> from <From source={source} />
                  </div>
                )),
            },
          ]}
        />
      )}
    </section>
  );
}

function From({ source }: { source: Origin | undefined }) {
  if (!source?.group) return <>this host</>;
  return <a href={`/network/groups/view/${encodeURIComponent(source.group)}`}>{source.group}</a>;
}

/** What the jobs that triggers started did for a host, such as: DHCP updated 14:05:03. */
function TriggerResults({ results }: { results: TriggerResult[] }) {
  const shown = results.filter(({ status }) => status !== "skipped");
  if (shown.length === 0) return null;
  const isOpen = shown.some(({ status }) => status === "launching" || status === "started");
  return (
    <ul class="plain" aria-label="Jobs" data-pending={isOpen || undefined}>
      {shown.map((result) => (
        <li>
          <span class={`tag ${toneOfResult(result)}`}>{resultInWords(result)}</span>{" "}
          {result.at && <Moment at={result.at} />}{" "}
          {result.url && (
            <a href={result.url} rel="noreferrer">
              job
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

const TONES: Partial<Record<TriggerResult["status"], string>> = {
  succeeded: "good",
  failed: "bad",
  gave_up: "bad",
};

/** A success with a message: the job was started, and nobody knows how it ends. */
function toneOfResult({ status, message }: TriggerResult): string {
  return status === "succeeded" && message !== null ? "" : (TONES[status] ?? "");
}

function resultInWords({ trigger, success_text, status, message }: TriggerResult): string {
  if (status === "succeeded") return message === null ? success_text : `${trigger}: ${message}`;
  if (status === "failed") return `${trigger} failed: ${message ?? "the job failed"}`;
  if (status === "gave_up") return `${trigger} failed: ${message ?? "no job was started"}`;
  return status === "started" ? `${trigger} is running` : `${trigger} is starting`;
}

/** To the second: jobs are seconds apart. */
function Moment({ at }: { at: string }) {
  const [day = "", time = ""] = at.split(" ");
  return (
    <time datetime={`${day}T${time}Z`} title={`${at} UTC`}>
      {momentInWords(at)}
    </time>
  );
}
