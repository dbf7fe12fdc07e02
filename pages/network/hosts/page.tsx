// The page of a host, and the fragment that htmx replaces after a change.

import type { Timeline } from "../../../src/history/history.ts";
import type { HostVars } from "../../../src/network/groups/effective_vars.ts";
import { changedEntry } from "../../../src/network/hosts/form_input.ts";
import { host as described, type Host } from "../../../src/network/hosts/host.ts";
import { snippets } from "../../../src/network/hosts/snippets.ts";
import type { HostView, ItemView } from "../../../src/network/hosts/view.ts";
import { WatchButton } from "../../events/watch_button.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { blank, Field, type Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { InList, type PlaceInList } from "../../records/in_list.tsx";
import { ModelAndPlace, RecordLink } from "../../records/links.tsx";
import { Time } from "../../records/time.tsx";
import { hostPath } from "../paths.ts";
import { type HostFormContext, useHostForm } from "./actions.tsx";
import { Interfaces } from "./interfaces.tsx";
import { PATH } from "./list.tsx";
import { TriggerResults } from "./trigger_results.tsx";
import { Variables } from "./vars.tsx";

export interface HostPageProps {
  host: Host;
  view: HostView;
  vars: HostVars;
  timeline: Timeline;
  context: HostFormContext;
  /** Editors of hosts may add an interface; the network decides when it is saved. */
  mayAdd: boolean;
}

export function HostPage({
  api,
  place,
  ...props
}: HostPageProps & { api: string; place: PlaceInList | undefined }) {
  const { host, view } = props;
  return (
    <>
      <header class="head">
        <div>
          <h1>
            {host.name} {host.is_ioc && <span class="tag">IOC</span>}
          </h1>
          <p class="lead">
            <span class="mono">{host.fqdn}</span> <Copy text={host.fqdn} />
          </p>
        </div>
        <div class="actions">
          <InList place={place} pathOf={hostPath} />
          <WatchButton
            of={{ table: "hosts", id: host.id }}
            name={host.name}
            watch={props.timeline.watch}
          />
          {view.mayDelete && (
            <form method="post" action={`${PATH}/delete`}>
              <input type="hidden" name="id" value={host.id} />
              <button type="submit" class="quiet bad">
                <Icon name="trash" /> Delete
              </button>
            </form>
          )}
          {view.mayChange && (
            <a class="button primary" href={`${PATH}/edit/${host.name}`} data-key="e">
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      <HostDetails {...props} />
      <ApiCall address={api} />
    </>
  );
}

/** What a change can affect. */
export function HostDetails({ host, view, vars, timeline, context, mayAdd }: HostPageProps) {
  return (
    <div class="stack" id="host">
      <TriggerResults results={view.results} />
      <div class="beside">
        <aside class="panel" aria-label="Facts">
          <HostFacts host={host} context={context} mayChange={view.mayChange} />
        </aside>
        <Items items={view.items} />
        <Groups host={host} context={context} mayChange={view.mayChange} />
      </div>
      <Interfaces host={host.name} interfaces={view.interfaces} mayAdd={mayAdd} context={context} />
      <div class="split record">
        <div class="stack">
          <Variables {...vars} />
          <Snippets host={host} view={view} />
        </div>
        <section class="late" aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <RecordTimeline timeline={timeline} of={{ table: "hosts", id: host.id }} />
        </section>
      </div>
    </div>
  );
}

function Snippets({ host, view }: Pick<HostPageProps, "host" | "view">) {
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
      />
      <Fact label="Created">
        <Time at={host.created_at} />
      </Fact>
      <Stamps of={host} />
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

function Items({ items }: { items: ItemView[] }) {
  return (
    <section aria-labelledby="items-title">
      <h2 id="items-title">Items</h2>
      {items.length === 0 && <p class="muted">No items</p>}
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
      <h2 id="groups-title">Groups</h2>
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
