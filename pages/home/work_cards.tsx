// The cards of the home page about the work of a person, some of which only those who do such work have.
import type { ComponentChildren } from "preact";
import type { RecentItem, RecentRecord } from "../../src/history/recent_work.ts";
import type { FreeAddress, RecentHost } from "../../src/network/latest.ts";
import { resourceOf } from "../../src/resources.ts";
import type { FailedDeliveries, SiteState } from "../../src/system/state.ts";
import { SYSTEM } from "../admin/paths.ts";
import { triggerPath, webhookView } from "../events/paths.ts";
import { colourOfStatus, Pill } from "../lists/pill.tsx";
import { HOSTS, hostPath, networkPath } from "../network/paths.ts";
import { countOf } from "../parts/count.ts";
import { Icon } from "../parts/icon.tsx";
import { RecordLink, recordPath } from "../records/links.tsx";
import { Time } from "../records/time.tsx";

export function ScanCard() {
  return (
    <section class="card" aria-labelledby="scan-title">
      <h2 id="scan-title">Scan desk</h2>
      <p>Find or change items by their codes, with a scanner or the camera of a phone.</p>
      <div class="buttons">
        <a class="button primary" href="/inventory/scanner">
          <Icon name="scan" /> Scan
        </a>
        <a class="button" href="/inventory/items/create">
          Add item
        </a>
      </div>
    </section>
  );
}

/** A record, what is said of it, and when or what next. */
type WorkRow = [record: ComponentChildren, said: ComponentChildren, end: ComponentChildren];

function WorkCard({ id, title, rows }: { id: string; title: string; rows: WorkRow[] }) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="work">
        {rows.map(([record, said, end]) => (
          <li>
            {record} {said} {end}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function MyItems({ items }: { items: RecentItem[] }) {
  const rows = items.map(
    ({ ics_id, location, status, colour, at }): WorkRow => [
      <a href={recordPath("items", ics_id)}>{ics_id}</a>,
      <span class="where">
        {status && <Pill colour={colourOfStatus(status, colour) ?? "grey"}>{status}</Pill>}{" "}
        {location && <RecordLink table="locations" name={location} />}
      </span>,
      <When at={at} />,
    ],
  );
  return <WorkCard id="items-title" title="My items" rows={rows} />;
}

export function FreeAddresses({ free }: { free: FreeAddress[] }) {
  const rows = free.map(
    ({ vlan_name, ip }): WorkRow => [
      <a href={networkPath(vlan_name)}>{vlan_name}</a>,
      <span class="mono">{ip}</span>,
      <a
        href={`${HOSTS}/create?${new URLSearchParams({ network: vlan_name })}`}
        aria-label={`Add host to ${vlan_name}`}
      >
        Add host
      </a>,
    ],
  );
  return <WorkCard id="free-title" title="First free addresses" rows={rows} />;
}

export function NewHosts({ hosts }: { hosts: RecentHost[] }) {
  const rows = hosts.map(
    ({ name, device_type, at }): WorkRow => [
      <a href={hostPath(name)} title={name}>
        {name}
      </a>,
      <span class="tag">{device_type}</span>,
      <When at={at} />,
    ],
  );
  return <WorkCard id="new-hosts-title" title="New hosts" rows={rows} />;
}

export function Work({ work }: { work: RecentRecord[] }) {
  const rows = work.map(
    ({ kind, name, at }): WorkRow => [
      <a href={recordPath(kind, name)} title={name}>
        {name}
      </a>,
      <span class="tag">{resourceOf(kind)?.noun}</span>,
      <When at={at} />,
    ],
  );
  return <WorkCard id="work-title" title="My recent work" rows={rows} />;
}

function When({ at }: { at: string }) {
  return (
    <span class="muted">
      <Time at={at} />
    </span>
  );
}

/** In one line if all is well. */
export function SiteCard({ backup, failed, troubles }: SiteState) {
  const isWell = failed.length === 0 && troubles?.length === 0;
  return (
    <section class="card" aria-labelledby="site-title">
      <h2 id="site-title">This site</h2>
      <ul class="plain">
        {troubles?.slice(0, MOST_TROUBLES).map(({ ok, text }) => (
          <li>
            <span class={ok ? "tag warn" : "tag bad"}>{ok ? "warning" : "problem"}</span> {text}
          </li>
        ))}
        {failed.map((one) => (
          <li>
            <span class="tag bad">problem</span> <Failed {...one} />
          </li>
        ))}
        {isWell && (
          <li>
            <span class="tag good">ok</span> No problems found, and no failed deliveries
          </li>
        )}
        {!troubles && <li class="muted">The checks are not finished yet</li>}
        {backup && (
          <li>
            Last backup: <Time at={backup.at} />
          </li>
        )}
      </ul>
      <a class="button quiet" href={SYSTEM}>
        {troubles && troubles.length > MOST_TROUBLES ? `All ${troubles.length} findings` : "System"}
      </a>
    </section>
  );
}

const MOST_TROUBLES = 3;

function Failed({ kind, id, name, count }: FailedDeliveries) {
  const isWebhook = kind === "webhook";
  return (
    <>
      {isWebhook ? "Webhook" : "Trigger"}{" "}
      <a href={isWebhook ? webhookView(id) : triggerPath(id)}>{name}</a>:{" "}
      {countOf(count, isWebhook ? "message" : "run")} failed within seven days
    </>
  );
}
