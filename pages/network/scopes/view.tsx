// The page of a scope: its VLANs in use, the parts of its supernet, its networks.

import { type Caller, may } from "../../../src/auth/auth.ts";
import { type Timeline, timelineOf } from "../../../src/history/history.ts";
import type { Refusal } from "../../../src/input/errors.ts";
import {
  network as describedNetwork,
  type NetworkRow,
} from "../../../src/network/networks/network.ts";
import { scope as described, type ScopeRow } from "../../../src/network/scopes/scope.ts";
import { networksOf, type ScopeNetwork } from "../../../src/network/scopes/scopes.ts";
import { findRow, listRows, positionIn } from "../../../src/store/crud.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { WatchButton } from "../../events/watch_button.tsx";
import { DeleteForm } from "../../layout/confirm.tsx";
import { page } from "../../layout/page.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { RefusalNote } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { Share } from "../../parts/usage.tsx";
import { InList, listOf, type PlaceInList, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { readTyped } from "../../request/typed_search.ts";
import { ONLY_EMPTY_SCOPES } from "../../texts.ts";
import { EDITORS, findOrRedirect, NETWORKS, SCOPES, scopePath } from "../paths.ts";
import { Supernet } from "../supernet.tsx";
import { ScopeNetworks } from "./networks.tsx";
import { Vlans } from "./vlans.tsx";

interface ViewRequest {
  name: string;
  /** Why the deletion was refused. */
  refusal?: Refusal;
}

interface ScopePageProps {
  scope: ScopeRow;
  pieces: ScopeNetwork[];
  networks: NetworkRow[];
  timeline: Timeline;
  place: PlaceInList | undefined;
  mayEdit: boolean;
  refusal?: Refusal;
}

const MOST_LISTED = 50;

export async function showScope(
  request: Request,
  caller: Caller,
  { name, refusal }: ViewRequest,
): Promise<Response> {
  const found = await findOrRedirect(request, {
    table: "scopes",
    name,
    find: (called) => findRow(described, caller, called),
    pathOf: scopePath,
  });
  if (found instanceof Response) return found;
  const scope = rowOf(found);
  const query = new URLSearchParams({ scope_id: String(scope.id), per_page: String(MOST_LISTED) });
  const [pieces, timeline, listed, place] = await Promise.all([
    networksOf(caller, scope.id),
    timelineOf(caller, { table: "scopes", id: scope.id }),
    listRows(describedNetwork, caller, query),
    placeIn(request.url, (list) => positionIn(described, caller, scope.id, readTyped(list))),
  ]);
  const mayEdit = may(caller, EDITORS);
  const networks = rowsOf(listed);
  const shown: ScopePageProps = { scope, pieces, networks, timeline, place, mayEdit, refusal };
  return page(request, {
    title: scope.name,
    status: refusal?.status,
    live: liveRecord(described, scope.id, ["networks"]),
    crumbs: [
      { label: "Network" },
      { label: "Scopes", href: listOf(SCOPES, request.url) },
      { label: scope.name },
    ],
    body: <ScopePage {...shown} />,
  });
}

function ScopePage(shown: ScopePageProps) {
  const { scope, pieces, mayEdit, refusal } = shown;
  const createPath = (address: string) =>
    `${NETWORKS}/create?${new URLSearchParams({ scope: scope.name, address })}`;
  return (
    <>
      <header class="head">
        <div>
          <h1>{scope.name}</h1>
          <p class="lead">
            VLANs {scope.first_vlan} – {scope.last_vlan} ·{" "}
            <span class="mono">{scope.supernet}</span>
          </p>
        </div>
        <div class="actions">
          <InList place={shown.place} pathOf={scopePath} />
          <WatchButton
            of={{ table: "scopes", id: scope.id }}
            name={scope.name}
            watch={shown.timeline.watch}
          />
          {mayEdit && <Actions name={scope.name} />}
        </div>
      </header>
      <RefusalNote refusal={refusal} />
      <div class="split record">
        <aside class="panel first" aria-label="Facts">
          <ScopeFacts {...shown} />
        </aside>
        <div class="stack">
          <section aria-labelledby="vlans-title">
            <h2 id="vlans-title">VLANs</h2>
            <Vlans scope={scope} pieces={pieces} />
          </section>
          <section aria-labelledby="supernet-title">
            <h2 id="supernet-title">Addresses</h2>
            <Supernet
              supernet={scope.supernet}
              pieces={pieces}
              createPath={mayEdit ? createPath : undefined}
            />
          </section>
          <ScopeNetworks name={scope.name} networks={shown.networks} total={pieces.length} />
        </div>
        <section class="late" aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <RecordTimeline timeline={shown.timeline} of={{ table: "scopes", id: scope.id }} />
        </section>
      </div>
    </>
  );
}

function Actions({ name }: { name: string }) {
  return (
    <>
      <a
        class="button"
        href={`${NETWORKS}/create?${new URLSearchParams({ scope: name })}`}
        data-key="c"
      >
        <Icon name="plus" /> Add network
      </a>
      <a class="button primary" href={`${SCOPES}/edit/${name}`} data-key="e">
        <Icon name="pencil" /> Edit
      </a>
    </>
  );
}

function ScopeFacts({ scope, mayEdit }: ScopePageProps) {
  const { name } = scope;
  return (
    <>
      <dl class="facts">
        <Fact label="In use">
          <Share percent={scope.utilisation} />
        </Fact>
        <Fact label={described.fields.networks.label}>{scope.count.toLocaleString("en")}</Fact>
        <Facts
          of={described}
          row={scope}
          elsewhere={["name", "first_vlan", "last_vlan", "supernet"]}
        />
        <Stamps of={scope} />
      </dl>
      {mayEdit && (
        <DeleteForm
          action={`${SCOPES}/delete`}
          field={["name", name]}
          noun="scope"
          name={name}
          detail={`Its block and its VLANs will be free. ${ONLY_EMPTY_SCOPES}`}
        />
      )}
    </>
  );
}
