// Jobs whose workers stop, fail, or lose them. Leases are changed instead of waiting.
import { describe, expect, test } from "bun:test";
import { invalid } from "../../src/input/errors.ts";
import { itemExport } from "../../src/inventory/items/export.ts";
import { type JobKind, start } from "../../src/jobs/worker.ts";
import { type Browser, browser } from "../support/browser.ts";
import { ended, fileAt, JSON_ONLY, reached, working } from "../support/jobs.ts";
import { alice, anItem, api, carol, idOf, service } from "../support/mod.ts";
import { recordsOf } from "../support/workbook.ts";

type Run = JobKind["run"];

/** The export of items, with another implementation. */
function exporting(run: Run): JobKind[] {
  return [{ ...itemExport, run }];
}

async function begin(own: Browser, query = ""): Promise<number> {
  const path = `/inventory/items/_generate_excel_file${query}`;
  return (await own.get(path, JSON_ONLY)).body.id;
}

async function stateOf(id: number) {
  const { sql } = await service();
  const [state] = await sql`
    select status, attempts::int as attempts, lease_until is null as free,
      extract(epoch from lease_until - now())::float as lease from jobs where id = ${id}`;
  return state;
}

/** As if the worker had not renewed the lease for half a minute. */
async function letLeaseRunOut(id: number): Promise<void> {
  const { sql } = await service();
  await sql`
    update jobs set lease_until = now() - interval '1 second' where id = ${id} and status = 'started'`;
}

/** Repeatedly, because a worker that still holds the job renews its lease. */
async function untilTaken(id: number, attempt: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await stateOf(id)).attempts >= attempt) return;
    await letLeaseRunOut(id);
    await Bun.sleep(25);
  }
  throw new Error(`Nobody took job ${id} for the ${attempt}. time`);
}

/** Raises the error of PostgreSQL for a full disk during the work. */
async function withFullDisk(work: () => Promise<void>): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    create sequence refusals;
    create function refuse_for_lack_of_space() returns trigger language plpgsql as $$
    begin perform nextval('refusals'); raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger full_disk before insert on job_parts
      for each row execute function refuse_for_lack_of_space()`);
  await work().finally(() =>
    sql.unsafe("drop function refuse_for_lack_of_space cascade; drop sequence refusals"),
  );
}

/** Sequences count what was rolled back, too. */
async function untilRefused(times: number): Promise<void> {
  const { sql } = await service();
  for (let tries = 0; tries < 400; tries += 1) {
    const [{ count }] = await sql`select last_value::int as count from refusals`;
    if (count >= times) return;
    await Bun.sleep(25);
  }
  throw new Error(`The disk was not found full ${times} times`);
}

describe("a job", () => {
  test("is locked for half a minute at a time, and reports its progress", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
    const slow: Run = async ({ report }) => {
      report(40, "4 of 10 items");
      await go;
      return { result: "x.xlsx", message: "10 items", hosts: [] };
    };
    await working(async () => {
      await reached(own, id, ["started"]);
      const { lease } = await stateOf(id);
      expect(lease).toBeGreaterThan(25);
      expect(lease).toBeLessThanOrEqual(30);
      let polled = { progress: 0, message: "" };
      for (let tries = 0; polled.progress < 40 && tries < 400; tries += 1) {
        polled = (await own.get(`/status/${id}`, JSON_ONLY)).body;
        await Bun.sleep(20);
      }
      expect(polled).toMatchObject({ status: "started", progress: 40, message: "4 of 10 items" });
      letGo();
      expect(await ended(own, id)).toMatchObject({ status: "finished", progress: 100 });
    }, exporting(slow));
  });

  test("is taken over once its worker has been silent for too long, and has one file", async () => {
    const own = await browser(carol);
    await anItem({ ics_id: "AAA001" });
    const id = await begin(own);
    const { sql } = await service();
    await sql`update jobs set status = 'started', attempts = 1, progress = 60, lease_until = now() + interval '1 minute'`;
    await sql`insert into job_parts (job_id, attempt, part, bytes) values (${id}, 1, 0, 'half of a file')`;
    await working(async () => {
      await Bun.sleep(1_200);
      expect(await stateOf(id)).toMatchObject({ status: "started", attempts: 1 });
      await letLeaseRunOut(id);
      const { status, result } = await ended(own, id);
      expect(status).toBe("finished");
      expect(recordsOf(await fileAt(own, result))).toMatchObject([{ ics_id: "AAA001" }]);
    });
    expect(await stateOf(id)).toMatchObject({ attempts: 2, free: true });
    expect([...(await sql`select distinct attempt::int from job_parts`)]).toEqual([{ attempt: 2 }]);
  });

  test("has failed, with the reason, after three workers were lost", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    const { sql } = await service();
    await sql`update jobs set status = 'started', attempts = 3, lease_until = now() - interval '1 second'`;
    const job = await working(() => ended(own, id));
    expect(job).toMatchObject({
      status: "failed",
      message: "It was interrupted 3 times; start it again",
      result: null,
    });
  });

  test("survives a full disk, with one complete file as soon as there is space", async () => {
    const own = await browser(carol);
    await anItem({ ics_id: "AAA001" });
    const id = await begin(own);
    const { sql } = await service();
    await working(async () => {
      await withFullDisk(async () => {
        await untilTaken(id, 2);
        const { body } = await own.get(`/status/${id}`, JSON_ONLY);
        expect(body).toMatchObject({ status: "started", result: null });
        expect((await api(carol).get("/inventory/items")).status).toBe(200);
        await untilRefused(2);
      });
      await untilTaken(id, 3);
      const { status, result } = await ended(own, id);
      expect(status).toBe("finished");
      expect(recordsOf(await fileAt(own, result))).toMatchObject([{ ics_id: "AAA001" }]);
    });
    expect([...(await sql`select distinct attempt::int from job_parts`)]).toEqual([{ attempt: 3 }]);
  });

  test("has failed, and left no file, when the disk stays full", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    await withFullDisk(() =>
      working(async () => {
        await untilTaken(id, 3);
        for (let tries = 0; tries < 200 && !(await stateOf(id)).free; tries += 1) {
          await letLeaseRunOut(id);
          await Bun.sleep(25);
        }
        const { status, message, result } = await ended(own, id);
        expect({ status, message, result }).toEqual({
          status: "failed",
          message: "It was interrupted 3 times; start it again",
          result: null,
        });
      }),
    );
    const { sql } = await service();
    expect((await sql`select from job_parts`).length).toBe(0);
  });

  test("ignores a worker that has lost it", async () => {
    const own = await browser(carol);
    await anItem({ ics_id: "AAA001" });
    const id = await begin(own);
    const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
    const late: Run = async (work) => {
      await go;
      return { ...(await itemExport.run(work)), message: "late" };
    };
    await working(async () => {
      await reached(own, id, ["started"]);
      const { sql } = await service();
      await sql`update jobs set attempts = 2 where id = ${id}`;
      await sql`insert into job_parts (job_id, attempt, part, bytes) values (${id}, 2, 0, 'of the next')`;
      letGo();
      await Bun.sleep(300);
      expect(await stateOf(id)).toMatchObject({ status: "started", attempts: 2 });
      expect((await sql`select from job_parts where attempt = 2`).length).toBe(1);
    }, exporting(late));
    await letLeaseRunOut(id);
    expect(await working(() => ended(own, id))).toMatchObject({ message: "1 item" });
  });

  test("is put back by a worker that stops, as if it had not started", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    const busy: Run = async ({ report }) => {
      for (;;) {
        report(50, "half");
        await Bun.sleep(10);
      }
    };
    const worker = start(exporting(busy));
    await reached(own, id, ["started"]);
    await worker.stop();
    expect(await stateOf(id)).toMatchObject({ status: "queued", attempts: 0, free: true });
    expect(await working(() => ended(own, id))).toMatchObject({ status: "finished" });
  });

  test("is done once, though two workers poll for it", async () => {
    const own = await browser(carol);
    const runs: number[] = [];
    const counted = exporting(async (work) => {
      runs.push(work.id);
      return itemExport.run(work);
    });
    const workers = [start(counted), start(counted), start(counted)];
    const ids = [await begin(own, "?q=a"), await begin(own, "?q=b"), await begin(own, "?q=c")];
    for (const id of ids) await ended(own, id);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(runs.toSorted((one, other) => one - other)).toEqual(ids);
  });

  test("reports errors that its owner can correct, and no internal details", async () => {
    const own = await browser(carol);
    const broken = exporting(async () => {
      throw new Error("secret of the inside");
    });
    const id = await begin(own);
    const job = await working(() => ended(own, id), broken);
    expect(job).toMatchObject({ status: "failed", result: null });
    expect(job.message).toBe(`Internal error; the log has the details under job ${id}`);
    const refusing = exporting(async () => {
      throw invalid("items", "A sheet is full");
    });
    const other = await begin(own);
    expect(other).not.toBe(id);
    expect((await working(() => ended(own, other), refusing)).message).toBe(
      "items: A sheet is full",
    );
  });

  test("fails when its owner is deactivated", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    expect((await api(alice).delete(`/user/users/${await idOf(carol)}`)).status).toBe(204);
    const job = await working(async () => ended(await browser(alice), id));
    expect(job).toMatchObject({ status: "failed", message: "Its owner is no longer a user" });
  });
});
