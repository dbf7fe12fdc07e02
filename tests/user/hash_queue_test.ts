import { describe, expect, test } from "bun:test";
import { tooMany } from "../../src/input/errors.ts";
import { fairQueue } from "../../src/input/limiters.ts";
import { rateLimited } from "../../src/user/failed_logins.ts";

const LIMITS = {
  running: 1,
  runningPerClient: 1,
  waiting: 6,
  waitingPerClient: 4,
  refusal: () => tooMany(5, "Too many people log in at once"),
};

/** A queue whose work ends when the test resolves it. */
function queue(limits = LIMITS) {
  const queued = fairQueue(limits);
  const started: string[] = [];
  const refused: string[] = [];
  const ends: Array<() => void> = [];
  return {
    started,
    refused,
    come: (name: string, isPreferred = false) => {
      const work = () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      const client = name.replace(/\d+$/, "");
      queued({ client, isPreferred }, work).catch(({ status, headers }) => {
        refused.push(`${name} ${status} ${headers["Retry-After"]}`);
      });
    },
    /** Waits until all accepted work has ended. */
    finish: async () => {
      for (let done = 0; done < ends.length; done += 1) {
        ends[done]?.();
        await Bun.sleep(0);
      }
    },
  };
}

describe("the queue for password hashing", () => {
  test("serves clients in turn, and each client in order", async () => {
    const { come, finish, started } = queue();
    for (const name of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) come(name);
    await finish();
    expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  test("keeps slots free that one client may not use alone", async () => {
    const { come, finish, started } = queue({ ...LIMITS, running: 3, runningPerClient: 2 });
    for (const name of ["a1", "a2", "a3", "b1"]) come(name);
    expect(started).toEqual(["a1", "a2", "b1"]);
    await finish();
    expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  });

  test("refuses a client beyond its slots", async () => {
    const { come, finish, started, refused } = queue();
    for (const name of ["a1", "a2", "a3", "a4", "a5", "a6"]) come(name);
    await finish();
    expect(refused).toEqual(["a6 429 5"]);
    expect(started).toEqual(["a1", "a2", "a3", "a4", "a5"]);
  });

  test("takes a slot from the longest queue when it is full", async () => {
    const { come, finish, started, refused } = queue();
    for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"]) come(name);
    await finish();
    expect(refused).toEqual(["a5 429 5"]);
    expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  test("accepts a known client when each of its slots is used by another client", async () => {
    const { come, finish, started, refused } = queue();
    for (const name of ["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1"]) come(name);
    come("known1", true);
    await finish();
    expect(refused).toEqual(["h1 429 5", "b1 429 5"]);
    expect(started.at(-1)).toBe("known1");
  });

  test("continues after work that failed", async () => {
    const queued = fairQueue(LIMITS);
    const turn = { client: "a", isPreferred: false };
    const failing = queued(turn, () => Promise.reject(new Error("no")));
    const next = queued(turn, async () => "done");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("done");
  });
});

describe("failed logins in the audit log", () => {
  test("are written at a limited rate, and the next one counts those that were left out", async () => {
    let now = 0;
    const kept: unknown[] = [];
    const note = rateLimited(
      async ({ details }) => void kept.push(details),
      { burst: 2, interval: 1_000 },
      () => now,
    );
    const failed = { username: "bob", address: "192.0.2.1", request_id: "x", failures: 1 };
    for (let number = 0; number < 5; number += 1) await note(failed);
    now = 1_000;
    await note(failed);
    await note(failed);
    expect(kept).toEqual([{ failures: 1 }, { failures: 1 }, { failures: 1, left_out_before: 3 }]);
  });
});
