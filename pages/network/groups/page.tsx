// The page of a group.

import type { Timeline } from "../../../src/history/history.ts";
import { group as described } from "../../../src/network/groups/group.ts";
import type { GroupWithParents } from "../../../src/network/groups/groups.ts";
import { WatchButton } from "../../events/watch_button.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import { countOf } from "../../parts/count.ts";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { InList, type PlaceInList } from "../../records/in_list.tsx";
import { editPath, Names, PATH, viewPath } from "./list.tsx";
import { AddMember, Members, type MembersProps } from "./members.tsx";

export interface GroupPageProps extends MembersProps {
  /** The number of hosts in the group and its children. */
  under: number;
  timeline: Timeline;
  place: PlaceInList | undefined;
  mayDelete: boolean;
  api: string;
}

export function GroupPage(shown: GroupPageProps) {
  const { group, mayEdit, mayDelete, api } = shown;
  return (
    <>
      <header class="head">
        <div>
          <h1>{group.name}</h1>
          <p class="lead">{group.type === "query" ? "Group by query" : "Static group"}</p>
        </div>
        <div class="actions">
          <InList place={shown.place} pathOf={viewPath} />
          <WatchButton
            of={{ table: "groups", id: shown.group.id }}
            name={shown.group.name}
            watch={shown.timeline.watch}
          />
          {mayDelete && (
            <form method="post" action={`${PATH}/delete`}>
              <input type="hidden" name="id" value={group.id} />
              <button type="submit" class="quiet bad">
                <Icon name="trash" /> Delete
              </button>
            </form>
          )}
          {mayEdit && (
            <a class="button primary" href={editPath(group.name)} data-key="e">
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      <div class="split record">
        <div class="stack">
          <section aria-labelledby="hosts-title">
            <h2 id="hosts-title">Hosts</h2>
            {mayEdit && group.type === "static" && <AddMember {...shown} />}
            <Members {...shown} />
          </section>
          <Variables group={group} />
          <Inventory group={group} />
          <ApiCall address={api} />
        </div>
        <aside class="panel first" aria-label="Facts">
          <GroupFacts {...shown} />
        </aside>
        <section class="late" aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <RecordTimeline timeline={shown.timeline} of={{ table: "groups", id: group.id }} />
        </section>
      </div>
    </>
  );
}

function GroupFacts({ group, under }: GroupPageProps) {
  const { query, children, parents, hosts } = group;
  const { fields } = described;
  return (
    <dl class="facts">
      <Fact label={fields.query.label}>
        {query && <a href={`/network/hosts?${new URLSearchParams({ q: query })}`}>{query}</a>}
      </Fact>
      <Fact label={fields.hosts.label}>
        {hosts.length.toLocaleString("en")}
        {children.length > 0 && `, ${under.toLocaleString("en")} including child groups`}
      </Fact>
      <Fact label={fields.children.label}>
        {children.length > 0 ? <Names names={children} /> : null}
      </Fact>
      <Fact label="Parent groups">{parents.length > 0 ? <Names names={parents} /> : null}</Fact>
      <Facts of={described} row={group} elsewhere={ELSEWHERE} />
      <Stamps of={group} />
    </dl>
  );
}

const ELSEWHERE = ["name", "type", "query", "vars", "children", "hosts"] as const;

function Variables({ group: { vars } }: { group: GroupWithParents }) {
  const pairs = Object.entries(vars).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return (
    <section aria-labelledby="vars-title">
      <h2 id="vars-title">
        Variables {pairs.length > 0 && <Copy text={JSON.stringify(vars, null, 2)} />}
      </h2>
      {pairs.length === 0 ? (
        <p class="muted">No variables</p>
      ) : (
        <dl class="facts vars">
          {pairs.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

const MOST_SHOWN = 100;

/** The group as `ansible-inventory --yaml` prints it. */
function Inventory({ group: { name, hosts, children, vars } }: { group: GroupWithParents }) {
  const content = {
    ...(hosts.length > 0 ? { hosts: asKeys(hosts.slice(0, MOST_SHOWN)) } : {}),
    ...(children.length > 0 ? { children: asKeys(children) } : {}),
    ...(Object.keys(vars).length > 0 ? { vars } : {}),
  };
  const rest = hosts.length - MOST_SHOWN;
  const text = Bun.YAML.stringify({ [name]: content }, null, 2);
  return (
    <section aria-labelledby="inventory-title">
      <h2 id="inventory-title">
        Ansible inventory <Copy text={text} />
      </h2>
      <Snippet text={rest > 0 ? `${text}\n# and ${countOf(rest, "host")} more` : text} />
    </section>
  );
}

function asKeys(names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}
