// GET /changes?after=…&wait=…: a request that waits for changes.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cursorOf } from "../../src/input/change_ids.ts";
import { waitSlots } from "../../src/input/limiters.ts";
import { MOST_WAITS, MOST_WAITS_OF_USER } from "../../src/input/limits.ts";
import { browser } from "../support/browser.ts";
import { codeIn } from "../support/documents.ts";
import { closeReadings, listen, waitUntil } from "../support/event_stream.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { linksOf } from "../support/links.ts";
import {
  aLocation,
  alice,
  aNetwork,
  api,
  aScope,
  aStatus,
  bob,
  carol,
  serve,
  service,
  tokenOf,
} from "../support/mod.ts";
import { isMissing } from "../support/programs.ts";

setDefaultTimeout(60_000);
afterEach(closeReadings);

const CODE = await codeIn("docs/events.md", "Reading changes");

async function lastNumber(): Promise<number> {
  const { sql } = await service();
  const [{ last }] = await sql`select coalesce(max(id), 0)::int as last from change_sets`;
  return last;
}

async function lastChange(): Promise<string> {
  return cursorOf(await lastNumber());
}

interface Waiting {
  isOver: () => boolean;
  answer: Promise<Awaited<ReturnType<ReturnType<typeof api>["get"]>>>;
}

/** A request that has begun to wait. */
async function begin(path: string, by: Parameters<typeof api>[0] = carol): Promise<Waiting> {
  let isOver = false;
  const answer = api(by)
    .get(path)
    .finally(() => {
      isOver = true;
    });
  answer.catch(() => {});
  await Bun.sleep(300);
  return { isOver: () => isOver, answer };
}

describe("wait", () => {
  test("answers with the first change that matches and that the caller sees", async () => {
    const hidden = await aHiddenHost();
    await aLocation({ name: "Hall" });
    const after = await lastChange();
    const { isOver, answer } = await begin(
      `/changes?after=${after}&wait=50&kind=locations&kind=hosts`,
    );
    await aStatus({ name: "Lost" });
    await api(alice).patch(`/network/hosts/${hidden}`, { description: "secret" });
    await Bun.sleep(700);
    expect(isOver()).toBe(false);
    await aLocation({ name: "Attic" });
    const { body, headers } = await answer;
    expect(body.map(({ events }: any) => events[0].name)).toEqual(["Attic"]);
    expect(linksOf(headers).next).toEndWith(
      `/api/v1/changes?after=${await lastChange()}&wait=50&kind=locations&kind=hosts`,
    );
  });

  test("answers an empty list after the time, and at once if there are changes", async () => {
    await aStatus({ name: "Lost" });
    await aLocation({ name: "Hall" });
    const last = await lastChange();
    const { isOver, answer } = await begin("/changes?after=0&wait=5&query=name:nothing");
    expect((await api(carol).get("/changes?after=0&wait=60")).body).toHaveLength(2);
    expect(isOver()).toBe(false);
    const { body, headers } = await answer;
    expect(body).toEqual([]);
    expect(linksOf(headers).next).toContain(`after=${last}&wait=5`);
  });

  test("reads what the search for a query leaves out, window by window", async () => {
    const { sql } = await service();
    const from = await lastNumber();
    await sql`
      with made as (insert into change_sets (at) select now() from generate_series(1, 9000) returning id)
      insert into changes (change_set, at, table_name, row_id, action, after)
      select id, now(), 'statuses', 1, 'insert', '{"id": 1, "name": "Lost"}' from made`;
    await aLocation({ name: "Attic" });
    const query = `after=${cursorOf(from)}&kind=locations&query=attic`;
    expect((await api(carol).get(`/changes?${query}`)).body).toEqual([]);
    const { body } = await api(carol).get(`/changes?${query}&wait=50`);
    expect(body).toHaveLength(1);
  });

  test("ends with 401 when the token is revoked", async () => {
    const { body: token } = await api(bob).post("/user/tokens", { description: "follower" });
    const path = `/changes?after=${await lastChange()}&wait=60`;
    const other = await begin(path);
    const { answer } = await begin(path, { token: token.token });
    const { sql } = await service();
    // By another process.
    await sql`update tokens set revoked_at = now() where id = ${token.id}`;
    expect((await answer).status).toBe(401);
    expect(other.isOver()).toBe(false);
    await aLocation({ name: "Attic" });
    expect((await other.answer).status).toBe(200);
  });

  test("keeps its connection for longer than one without traffic is kept; a stream, too", async () => {
    // Bun looks each four seconds.
    const server = await serve({}, { idleTimeout: 1 });
    const headers = { authorization: `Bearer ${await tokenOf(carol)}` };
    const stream = await listen(`${server.url.origin}/api/v1/events`, headers);
    const path = "/api/v1/changes?after=0&kind=cnames&wait=7";
    const answer = await fetch(server.url.origin + path, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, "[]"]);
    expect(stream.isOver()).toBe(false);
    await stream.close();
    await server.stop(true);
  });

  test("takes a limited number of requests of one user, and gives places back", async () => {
    const { origin } = await service();
    const path = `/api/v1/changes?after=${await lastChange()}&wait=60`;
    const headers = { authorization: `Bearer ${await tokenOf(carol)}` };
    const stop = new AbortController();
    const all = Array.from({ length: MOST_WAITS_OF_USER }, () =>
      fetch(origin + path, { headers, signal: stop.signal }).catch(() => {}),
    );
    await Bun.sleep(1_500);
    const refused = await fetch(origin + path, { headers });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    // Without a wait, it is answered.
    expect((await api(carol).get(`/changes?after=0`)).status).toBe(200);
    stop.abort();
    await Promise.all(all);
    await Bun.sleep(1_500);
    const next = fetch(`${origin}${path.replace("wait=60", "wait=1")}`, { headers });
    expect((await next).status).toBe(200);
  });

  test("is refused with 503 when as many requests wait as a process takes", async () => {
    const { headers } = await api(carol).get("/changes?after=0");
    const end = new URL(linksOf(headers).next ?? "");
    const path = `/changes${end.search}`;
    // Of users who do not exist: it is the number that counts.
    const places = Array.from({ length: MOST_WAITS - 1 }, (_, at) =>
      waitSlots.take(-1 - Math.floor(at / MOST_WAITS_OF_USER)),
    );
    try {
      const last = await begin(`${path}&wait=50&kind=locations`, bob);
      const refused = await waitUntil(
        () => api(carol).get(`${path}&wait=1`),
        ({ status }) => status !== 200,
      );
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect((await api(carol).get(path)).status).toBe(200);
      await aLocation({ name: "Hall" });
      expect((await last.answer).status).toBe(200);
      // The place is free again.
      expect((await api(carol).get(`${path}&wait=1&kind=cnames`)).status).toBe(200);
    } finally {
      for (const giveBack of places) giveBack();
    }
  });
});

async function* linesIn(text: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of text) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

describe("the program in docs/events.md", () => {
  const { sh: program = "" } = CODE;

  test.skipIf(isMissing("curl"))("prints the changes of a scope as they happen", async () => {
    await aScope({ name: "Lab" });
    const { origin } = await service();
    const directory = mkdtempSync(join(tmpdir(), "cadastre-follow-"));
    const following = Bun.spawn(["sh", "-c", `exec 2>&1; ${program}`], {
      cwd: directory,
      env: { ...process.env, CADASTRE: origin, TOKEN: await tokenOf(carol) },
      stdout: "pipe",
    });
    try {
      const lines = linesIn(following.stdout);
      const [first] = JSON.parse((await lines.next()).value ?? "");
      expect(first.events[0].name).toBe("Lab");
      await aLocation({ name: "Hall" });
      await aNetwork({ scope: "Lab", vlan_name: "lab-net" });
      const [second] = JSON.parse((await lines.next()).value ?? "");
      expect(second.events[0].name).toBe("lab-net");
    } finally {
      following.kill();
      await following.exited;
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe("a change that the database lost when it went back to an earlier time", () => {
  // The next number is not lost: it is the first one that is given out again.
  const lostChange = async () => cursorOf((await lastNumber()) + 1_000);

  test.each(["", "&wait=30"])("is refused, and not waited for: ?after=…%s", async (more) => {
    await aLocation();
    const { status, body } = await api(carol).get(`/changes?after=${await lostChange()}${more}`);
    const message = expect.stringMatching(/^Begin again, as with after=0/);
    expect([status, body.errors]).toEqual([422, [{ field: "after", message }]]);
    expect((await api(carol).get(`/changes?after=${await lastChange()}`)).body).toEqual([]);
  });

  test("is refused to programs with a stream, by the name that they gave it", async () => {
    await aLocation();
    const headers = { authorization: `Bearer ${await tokenOf(carol)}` };
    const lost = await lostChange();
    const fieldOf = async (path: string, more = {}) => {
      const { origin } = await service();
      const answer = await fetch(`${origin}/api/v1${path}`, { headers: { ...headers, ...more } });
      return [answer.status, (await answer.json()).errors[0].field];
    };
    expect(await fieldOf(`/events?after=${lost}`)).toEqual([422, "after"]);
    expect(await fieldOf("/events", { "last-event-id": lost })).toEqual([422, "Last-Event-ID"]);
  });

  test("does not end the stream of an open page", async () => {
    await aLocation();
    const { cookie } = await browser(carol);
    const reading = await listen(`/live?after=${await lostChange()}`, { cookie });
    await aLocation({ name: "Attic" });
    await waitUntil(
      () => reading.text(),
      (all) => all.includes("Attic"),
    );
  });
});
