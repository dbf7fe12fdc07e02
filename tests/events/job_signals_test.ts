// GET /live: tells pages of what is no change that they may see: a job gets on, a trigger starts one for a host, a network
// becomes sensitive.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { closeReadings, listen, type Reading, waitUntil } from "../support/event_stream.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { JSON_ONLY } from "../support/jobs.ts";
import {
  aHost,
  alice,
  aNetwork,
  anItem,
  api,
  audrey,
  carol,
  dave,
  idOf,
  type Person,
  service,
} from "../support/mod.ts";
import { anInactiveTrigger } from "../support/triggers.ts";

setDefaultTimeout(60_000);
afterEach(closeReadings);

/** The check of all streams comes each 750 ms; the rest is for a busy machine. */
const A_MOMENT = 3_000;

async function openPage(person: Person): Promise<Reading> {
  return listen("/live", { cookie: (await browser(person)).cookie });
}

async function aJobOf(person: Person): Promise<number> {
  await anItem();
  const own = await browser(person);
  return (await own.get("/inventory/items/_generate_excel_file", JSON_ONLY)).body.id;
}

/** The ids of the jobs that were announced. */
function jobsIn(reading: Reading): number[] {
  return reading.events().flatMap(({ event, data }) => (event === "job" ? [data.id] : []));
}

/** As the worker of another instance does it, which nobody announces here. */
async function setJob(id: number, values: object): Promise<void> {
  const { sql } = await service();
  await sql`update jobs set ${sql(values)} where id = ${id}`;
}

describe("a job", () => {
  test("is announced to its owner and to admins, when it begins, gets on and ends", async () => {
    const [own, admin, other] = [
      await openPage(carol),
      await openPage(alice),
      await openPage(audrey),
    ];
    const id = await aJobOf(carol);
    const steps = [
      { status: "started", message: "Begins" },
      { progress: 40 },
      { status: "finished", progress: 100, finished_at: new Date() },
    ];
    await waitUntil(
      () => jobsIn(own),
      (all) => all.length > 0,
    );
    for (const step of steps) {
      const before = jobsIn(own).length;
      await setJob(id, step);
      await waitUntil(
        () => Math.min(jobsIn(own).length, jobsIn(admin).length),
        (count) => count > before,
      );
    }
    expect(new Set([...jobsIn(own), ...jobsIn(admin)])).toEqual(new Set([id]));
    expect(jobsIn(other)).toEqual([]);
    // Without a value, and without an id: a reader continues after the last change set.
    expect(own.text()).toEndWith(`\n\nevent: job\ndata: {"id":${id}}\n\n`);
    // The others hear of it when the job is in none of the looks before.
    const quick = await aJobOf(dave);
    await setJob(quick, { status: "failed", finished_at: new Date() });
    await waitUntil(
      () => jobsIn(admin),
      (all) => all.includes(quick),
    );
    expect(jobsIn(own)).not.toContain(quick);
  });

  test("is announced once a second while it makes progress, and not while it makes none", async () => {
    const id = await aJobOf(carol);
    const reading = await openPage(carol);
    await setJob(id, { status: "started" });
    const before = jobsIn(reading).length;
    const { sql } = await service();
    await sql.unsafe(`do $$ begin
      for step in 1..60 loop update jobs set progress = step where id = ${id}; commit; end loop;
    end $$`);
    await waitUntil(
      () => jobsIn(reading).length,
      (count) => count > before,
    );
    expect(jobsIn(reading).length - before).toBeLessThan(60 / 4);
    await Bun.sleep(1_200);
    const count = jobsIn(reading).length;
    await Bun.sleep(1_500);
    expect(jobsIn(reading).length).toBe(count);
  });

  test("is not announced any more to somebody who was an admin", async () => {
    const id = await idOf(audrey);
    const setGroups = (groups: string[]) => api(alice).patch(`/user/users/${id}`, { groups });
    await setGroups(["admin"]);
    const reading = await openPage(audrey);
    const job = await aJobOf(carol);
    await waitUntil(
      () => jobsIn(reading),
      (all) => all.includes(job),
    );
    // An auditor sees the same hosts.
    await setGroups(["auditor"]);
    await Promise.race([reading.over, Bun.sleep(A_MOMENT)]);
    expect(reading.isOver()).toBe(true);
    const again = await openPage(audrey);
    await setJob(job, { status: "started" });
    await Bun.sleep(1_500);
    expect(jobsIn(again)).toEqual([]);
  });
});

describe("a job that a trigger starts", () => {
  const wordsIn = (reading: Reading) =>
    reading.events().flatMap(({ event, data }) => (event === "again" ? data.words : []));

  test("is announced to those who see its host, when it begins and ends", async () => {
    const [host, other] = [await aHost(), await aHost()];
    const hidden = await aHiddenHost();
    const { sql } = await service();
    const trigger = await anInactiveTrigger();
    const [admin, reader] = [await openPage(alice), await openPage(carol)];
    const [{ id: run }] = await sql`
      insert into trigger_runs (subscription_id, status, next_at)
      values (${trigger}, 'launching', now() + interval '1 hour') returning id`;
    await sql`
      insert into trigger_results (host_id, subscription_id, run_id)
      select id, ${trigger}, ${run} from hosts where id <> ${other.id}`;
    const untilNamed = (reading: Reading, words: string[]) =>
      waitUntil(
        () => wordsIn(reading),
        (all) => words.every((word) => all.includes(word)),
      );
    await untilNamed(admin, [`hosts:${host.id}`, `hosts:${hidden}`]);
    await untilNamed(reader, [`hosts:${host.id}`]);
    const before = wordsIn(reader).length;
    await sql`update trigger_runs set status = 'succeeded', finished_at = now() where id = ${run}`;
    await waitUntil(
      () => wordsIn(reader),
      (all) => all.length > before,
    );
    expect(new Set(wordsIn(reader))).toEqual(new Set([`hosts:${host.id}`]));
    expect(wordsIn(admin)).not.toContain(`hosts:${other.id}`);
    // Without a value, and without an id: a reader continues after the last change set.
    expect(reader.text()).toEndWith(`\n\nevent: again\ndata: {"words":["hosts:${host.id}"]}\n\n`);
    const count = wordsIn(reader).length;
    await Bun.sleep(1_500);
    expect(wordsIn(reader).length).toBe(count);
  });
});

test("a network that is sensitive from now on, or not any more, is announced without a value", async () => {
  const network = await aNetwork();
  const set = (fields: object) => api(alice).patch(`/network/networks/${network.id}`, fields);
  const [reader, admin] = [await openPage(carol), await openPage(alice)];
  const again = 'event: again\ndata: {"words":["*"]}\n\n';
  const untilTold = (times: number) =>
    waitUntil(
      () => reader.text().split(again).length - 1,
      (count) => count === times,
    );
  await set({ sensitive: true });
  await untilTold(1);
  expect(reader.events().map(({ event }) => event)).toEqual(["again"]);
  await set({ description: "Vault" });
  await set({ sensitive: false });
  await untilTold(2);
  await set({ description: "Bench" });
  const events = await waitUntil(
    () => admin.events(),
    (all) => all.length === 4,
  );
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["change"]));
  await untilTold(2);
});
