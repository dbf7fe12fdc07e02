// npm run bench -- --webhooks: what webhooks cost a write, and how soon a receiver has a message.
import { join } from "node:path";
import { SQL } from "bun";
import { type BenchServer, copyOf, type Size, type TemplateOptions } from "./data.ts";
import { measure, type Sample, total } from "./measure.ts";
import { formatNumber, formatSpread, median, percentile, ratio } from "./numbers.ts";
import { type Credentials, credentials, type Served, serve } from "./served.ts";
import { judgements, pairs, table } from "./table.ts";
import type { TargetResult } from "./targets.ts";

const SIZE: Size = { label: "webhooks", items: 100, hosts: 2_000 };
const WEBHOOKS = [0, 1, 10];
const SECONDS = 1;
/** Before it are the hosts of the demo, with gaps among their numbers. */
const FIRST = 1_000;
const MOST_COST = 1.15;
const RATE = 50;
const TIMED_SECONDS = 20;
const MOST_LATENCY = 200;
const HOSTS = "/api/v1/network/hosts";

export interface WebhookResult {
  /** Without the statement that writes the messages. */
  without: Sample[];
  /** By the number of webhooks. */
  costs: Map<number, Sample[]>;
  /** Milliseconds from the request of a write to the message at the receiver. */
  latencies: number[];
  /** Milliseconds of those writes alone. */
  writes: number[];
}

interface WriteSite {
  served: Served;
  who: Credentials;
  sql: SQL;
}

export async function measureWebhooks(
  server: BenchServer,
  { rounds, ...making }: TemplateOptions & { rounds: number },
): Promise<WebhookResult> {
  const ends: Array<() => Promise<unknown>> = [];
  const open = async (label: string): Promise<WriteSite> => {
    const { url, drop } = await copyOf(
      server,
      { ...SIZE, label: `${SIZE.label}_${label}` },
      making,
    );
    ends.push(drop);
    const sql = new SQL({ url, adapter: "postgres", max: 1 });
    ends.push(() => sql.close());
    const served = await serve(url);
    ends.push(served.stop);
    return { served, sql, who: await credentials(served) };
  };
  try {
    const without = await open("without");
    await forgetMessages(without.sql);
    const site = await open("with");
    const result: WebhookResult = { without: [], costs: new Map(), latencies: [], writes: [] };
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      making.report(`webhooks, round ${round}`);
      // Each comes first in turn.
      const kinds = [undefined, ...WEBHOOKS];
      for (const at of kinds.keys()) {
        const count = kinds[(at + round) % kinds.length];
        if (count !== undefined) await setWebhooks(site.sql, count);
        const text = `${round}-${count}`;
        const sample = await changes(count === undefined ? without : site, server, text);
        if (round === 0) continue;
        if (count === undefined) result.without.push(sample);
        else result.costs.set(count, [...(result.costs.get(count) ?? []), sample]);
      }
    }
    making.report("webhooks, latency");
    return { ...result, ...(await latencies(site)) };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** A change set as it was written before there were webhooks. */
async function forgetMessages(sql: SQL): Promise<void> {
  const [{ text }] = await sql`select pg_get_functiondef('begin_change_set'::regproc) as text`;
  const shorter = text.replace(/insert into deliveries[^;]*;/, "");
  if (shorter === text) throw new Error("begin_change_set does not write messages any more");
  await sql.unsafe(shorter);
}

/** Their owner is deactivated: messages are written and not sent, because sending is no part of a write. */
async function setWebhooks(sql: SQL, count: number): Promise<void> {
  await sql.unsafe("delete from deliveries; delete from subscriptions");
  await sql`insert into users (username, groups, deactivated_at) values ('gone', '{}', now()) on conflict do nothing`;
  await sql`
    insert into subscriptions (kind, name, owner_id, url, settings)
    select 'webhook', 'Webhook ' || number, (select id from users where username = 'gone'), 'https://hooks.invalid/',
      '{"format":"standard","ordered":true}'
    from generate_series(1, ${count}::integer) number`;
}

function changes({ served, who }: WriteSite, server: BenchServer, text: string): Promise<Sample> {
  return measure(
    {
      url: `${served.origin}${HOSTS}/%d`,
      method: "PATCH",
      headers: { ...who.admin, "content-type": "application/json" },
      body: `{"description":"Gauge ${text} of pump %d"}`,
      from: FIRST,
      clients: 1,
      seconds: SECONDS,
    },
    { served, postmaster: server.pid },
  );
}

/** Writes at a constant rate to one webhook that keeps the order. */
async function latencies({
  served,
  who,
  sql,
}: WriteSite): Promise<Pick<WebhookResult, "latencies" | "writes">> {
  await setWebhooks(sql, 0);
  const begun = new Map<string, number>();
  const found: number[] = [];
  const writes: number[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const at = performance.now();
      const { data } = (await request.json()) as { data: { change_set: ChangeSet } };
      const text = data.change_set.events[0]?.differences[0]?.now ?? "";
      const since = begun.get(text);
      if (since !== undefined) found.push(at - since);
      return new Response(null, { status: 204 });
    },
  });
  const headers = { ...who.admin, "content-type": "application/json" };
  const url = `http://127.0.0.1:${receiver.port}/`;
  const added = await fetch(`${served.origin}/api/v1/webhooks`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "Timed", url }),
  });
  if (!added.ok) throw new Error(await added.text());
  await Bun.sleep(2_000);
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < RATE * TIMED_SECONDS; at += 1) {
    const text = `Timed ${at}`;
    begun.set(text, performance.now());
    const body = JSON.stringify({ description: text });
    const host = `${served.origin}${HOSTS}/${FIRST + (at % 900)}`;
    const begins = performance.now();
    const asked = fetch(host, { method: "PATCH", headers, body });
    sent.push(
      asked.then((answer) => answer.text()).then(() => writes.push(performance.now() - begins)),
    );
    await Bun.sleep(1_000 / RATE);
  }
  await Promise.all(sent);
  await Bun.sleep(2_000);
  await receiver.stop(true);
  return { latencies: found, writes };
}

interface ChangeSet {
  events: Array<{ differences: Array<{ now: string }> }>;
}

interface Report {
  result: WebhookResult;
  rounds: number;
  machine: Array<[string, string]>;
}

export async function writeWebhooks(
  directory: string,
  { result, rounds, machine }: Report,
): Promise<TargetResult[]> {
  const { without, costs, latencies: found, writes } = result;
  const base = without.map(total);
  const sorted = [...costs].toSorted(([one], [other]) => one - other);
  const rows = sorted.map(([count, samples]) => [
    count === 1 ? "1 webhook" : `${count} webhooks`,
    formatNumber(median(samples.map(total))),
    formatSpread(ratio(samples.map(total), base)),
  ]);
  const judged: TargetResult[] = sorted.map(([count, samples]) => {
    const spread = ratio(samples.map(total), base);
    const target = `a write with ${count} webhooks costs at most ${MOST_COST} times as much`;
    return { target, found: formatSpread(spread), isMet: (spread?.median ?? 9) <= MOST_COST };
  });
  const p95 = percentile(found, 0.95);
  const isComplete = found.length === RATE * TIMED_SECONDS;
  judged.push({
    target: `${RATE} changes a second are with the receiver within ${MOST_LATENCY} ms (p95)`,
    found: `${formatNumber(p95)} ms, ${found.length} messages`,
    isMet: isComplete && p95 <= MOST_LATENCY,
  });
  const text = `# Webhooks: measurements

Made by \`npm run bench -- --webhooks\`, in ${rounds} rounds.

${pairs(machine)}

## Targets

${judgements(judged)}

## What a write costs

One field of a host is changed. CPU time of the service and of PostgreSQL, in microseconds, beside a database without the
statement that writes the messages.

${table(["", "µs", "times (least–most)"], [["without", formatNumber(median(base)), "1"], ...rows])}

## How soon a receiver has a message

${found.length} changes, ${RATE} a second, one webhook that keeps the order, from the request of the write on: median ${formatNumber(median(found))} ms,
p95 ${formatNumber(p95)} ms, p99 ${formatNumber(percentile(found, 0.99))} ms. The writes alone took: median ${formatNumber(median(writes))} ms, p95
${formatNumber(percentile(writes, 0.95))} ms.
`;
  await Bun.write(join(directory, "webhooks.md"), text);
  return judged;
}
