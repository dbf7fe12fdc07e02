// Webhooks: what receivers get, in which order, and what happens when they do not take it.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { announceCommit } from "../../db/commits.ts";
import { retryAfterOf } from "../../src/events/http_target.ts";
import { pauseBefore } from "../../src/events/webhooks/attempt.ts";
import { deleteExpired } from "../../src/jobs/housekeeping.ts";
import { alice, aManufacturer, anItem, api, bob, carol, idOf, service } from "../support/mod.ts";
import { aWebhook, receiver, until, whileSending } from "../support/receiver.ts";
import { aSiteWithSecrets, CANARY, forgetSecrets } from "../support/site_with_secrets.ts";

setDefaultTimeout(60_000);

let hook: ReturnType<typeof receiver>;
beforeEach(() => {
  hook = receiver();
});
afterEach(() => hook.stop());

const MANUFACTURERS = "/inventory/manufacturers";

async function rename(id: number, name: string) {
  const { status, headers } = await api(bob).patch(`${MANUFACTURERS}/${id}`, { name });
  expect(status).toBe(200);
  return headers;
}

/** Nothing is left to send. */
async function idle(id: number): Promise<void> {
  const { sql } = await service();
  await until("nothing waits", async () => {
    const [found] = await sql`
      select count(*)::int from deliveries where subscription_id = ${id} and status = 'waiting'`;
    return found.count === 0;
  });
}

/** As if so much time had passed since the rows were written and tried. */
async function later(interval: string): Promise<void> {
  const { sql } = await service();
  await sql`
    update deliveries set created_at = created_at - ${interval}::interval,
      next_at = next_at - ${interval}::interval`;
  announceCommit();
}

const names = () =>
  hook.received.map(({ body }) => body.data.change_set?.events[0]?.name ?? body.type);

async function deliveriesOf(id: number) {
  return (await api(alice).get(`/webhooks/${id}/deliveries`)).body;
}

describe("a message", () => {
  test("has the change set and the records in it, as the API answers them, signed", async () => {
    const { id, secret } = await aWebhook(hook.url);
    const made = await aManufacturer({ name: "Acme" });
    await whileSending(() => idle(id));
    await rename(made.id, "Best");
    await whileSending(() => idle(id));
    await api(alice).delete(`${MANUFACTURERS}/${made.id}`);
    await whileSending(() => idle(id));
    const [added, changed, deleted] = hook.received;
    const verifier = new Webhook(secret);
    for (const { text, headers } of hook.received) {
      expect(() => verifier.verify(text, headers)).not.toThrow();
      expect(() => verifier.verify(text.replace("{", "{ "), headers)).toThrow();
    }
    expect(hook.received.map(({ body }) => body.type)).toEqual([
      "change.insert",
      "change.update",
      "change.delete",
    ]);
    const { created_at, updated_at, ...record } = changed!.body.data.records.manufacturers[0];
    expect(record).toMatchObject({ id: made.id, name: "Best" });
    expect(added!.body.data.records.manufacturers[0].name).toBe("Acme");
    expect(changed!.body.data.change_set.events[0].differences).toEqual([
      { field: "name", old: "Acme", now: "Best" },
    ]);
    expect(deleted!.body.data).toMatchObject({
      records: {},
      deleted: { manufacturers: [{ id: made.id, name: "Best" }] },
      thin: false,
    });
    expect(Date.parse(changed!.body.timestamp)).toBeGreaterThan(Date.parse(added!.body.timestamp));
    expect(changed!.headers["content-type"]).toBe("application/json");
    expect(new Set(hook.received.map((one) => one.id)).size).toBe(3);
  });

  test("is thin past 20 kB, and never larger", async () => {
    const { id } = await aWebhook(hook.url, { filters: { kind: ["manufacturers", "items"] } });
    const rows = Array.from({ length: 60 }, (_, at) => ({ serial_number: `S${at}` }));
    const lines = rows.map((row) => JSON.stringify(row)).join("\n");
    const imported = await api(bob).post("/inventory/items/import", lines, {
      headers: { "content-type": "application/x-ndjson" },
    });
    expect(imported.status).toBeLessThan(300);
    await whileSending(() => idle(id));
    const { data } = hook.received.at(-1)!.body;
    expect([data.thin, data.change_set.total, data.records]).toEqual([true, 60, undefined]);
    expect(data.change_set.events.length).toBeGreaterThan(20);
    expect(Object.keys(data.change_set.events[0])).toEqual([
      "table_name",
      "row_id",
      "action",
      "name",
    ]);
    for (const { text } of hook.received) expect(text.length).toBeLessThanOrEqual(20_000);
  });

  test("is a CloudEvent by choice", async () => {
    const { id, secret } = await aWebhook(hook.url, { format: "cloudevents" });
    await aManufacturer({ name: "Acme" });
    await whileSending(() => idle(id));
    const [{ body, headers, text, id: message }] = hook.received as any;
    expect(headers["content-type"]).toBe("application/cloudevents+json");
    expect(body).toMatchObject({
      specversion: "1.0",
      id: message,
      type: "cadastre.change.insert",
      source: "/api/v1/changes",
      data: { records: { manufacturers: [{ name: "Acme" }] } },
    });
    expect(() => new Webhook(secret).verify(text, headers)).not.toThrow();
  });

  test("is sent only for what matches the filters; the rest leaves no trace", async () => {
    const { id } = await aWebhook(hook.url, { filters: { kind: ["items"], user: ["bob"] } });
    await aManufacturer({ name: "Acme" });
    await anItem({ ics_id: "AAA001" });
    await api(bob).post("/inventory/items", { ics_id: "AAA002", serial_number: "S2" });
    await whileSending(() => idle(id));
    expect(names()).toEqual(["AAA002"]);
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  test("is signed with every secret of the last day while a secret is replaced", async () => {
    const { id, secret } = await aWebhook(hook.url);
    const secrets = [secret];
    for (const signatures of [2, 3]) {
      const rotated = await api(alice).post(`/webhooks/${id}/rotate`, {});
      expect([rotated.status, secrets.includes(rotated.body.secret)]).toEqual([200, false]);
      secrets.push(rotated.body.secret);
      await aManufacturer();
      await whileSending(() => idle(id));
      const { text, headers } = hook.received.at(-1)!;
      expect(headers["webhook-signature"]!.split(" ")).toHaveLength(signatures);
      for (const one of secrets) {
        expect(() => new Webhook(one).verify(text, headers)).not.toThrow();
      }
    }
  });

  test("is signed with the newest secrets, if they are replaced again and again", async () => {
    const { id, secret } = await aWebhook(hook.url);
    for (const _ of Array(6)) await api(alice).post(`/webhooks/${id}/rotate`, {});
    await aManufacturer();
    await whileSending(() => idle(id));
    const { text, headers } = hook.received.at(-1)!;
    expect(headers["webhook-signature"]!.split(" ")).toHaveLength(5);
    expect(() => new Webhook(secret).verify(text, headers)).toThrow();
  });
});

describe("the order", () => {
  test("is kept: a failing message holds up those after it, and is sent again with its id", async () => {
    const { id } = await aWebhook(hook.url);
    let isBroken = true;
    hook.reply = () => new Response(null, { status: isBroken ? 500 : 200 });
    const made = await aManufacturer({ name: "n0" });
    for (const name of ["n1", "n2", "n3"]) await rename(made.id, name);
    await whileSending(async () => {
      await until("an attempt", () => hook.received.length === 1);
      await Bun.sleep(300);
      expect(names()).toEqual(["n0"]);
      isBroken = false;
      await later("1 minute");
      await idle(id);
    });
    expect(names()).toEqual(["n0", "n0", "n1", "n2", "n3"]);
    expect(hook.received[0]!.id).toBe(hook.received[1]!.id);
  });

  test("is not that of the commits: a change that commits late is not overtaken", async () => {
    const { id } = await aWebhook(hook.url);
    const { sql } = await service();
    const late = await sql.reserve();
    await late`begin`;
    const [{ set }] = await late`select begin_change_set(null, ${await idOf(bob)}, null) as set`;
    await late.unsafe(`select set_config('app.change_set', '${set}', true)`);
    await late`insert into domains (name) values ('late')`;
    await aManufacturer({ name: "early" });
    await whileSending(async () => {
      await Bun.sleep(500);
      expect(names()).toEqual([]);
      await late`commit`;
      await idle(id);
    });
    late.release();
    expect(names()).toEqual(["late", "early"]);
  });

  test("is given up by choice: others do not wait for a slow answer", async () => {
    const { id } = await aWebhook(hook.url, { ordered: false });
    const slow = Promise.withResolvers<Response>();
    let isFirst = true;
    hook.reply = () => {
      if (!isFirst) return new Response();
      isFirst = false;
      return slow.promise;
    };
    for (let at = 0; at < 6; at += 1) await aManufacturer();
    await whileSending(async () => {
      await until("the others", () => hook.received.length === 6);
      slow.resolve(new Response());
      await idle(id);
    });
    expect(new Set(hook.received.map((one) => one.id)).size).toBe(6);
  });
});

test("two instances share the work without sending anything twice", async () => {
  const ordered = await aWebhook(hook.url);
  const other = receiver();
  const fast = await aWebhook(other.url, { name: "Fast", ordered: false });
  await whileSending(
    async () => {
      const made = await aManufacturer({ name: "n0" });
      for (let at = 1; at < 30; at += 1) await rename(made.id, `n${at}`);
      await Promise.all([idle(ordered.id), idle(fast.id)]);
    },
    { senders: 3 },
  );
  await other.stop();
  expect(names()).toEqual(Array.from({ length: 30 }, (_, at) => `n${at}`));
  expect(other.received).toHaveLength(30);
  expect(new Set(other.received.map((one) => one.id)).size).toBe(30);
});

describe("a sender", () => {
  test.each([[true], [false]])("that ends waits for answers (order: %p)", async (ordered) => {
    const { id } = await aWebhook(hook.url, { ordered });
    const slow = Promise.withResolvers<Response>();
    hook.reply = () => slow.promise;
    await aManufacturer();
    const ending = whileSending(() => until("a request", () => hook.received.length === 1));
    await until("a request", () => hook.received.length === 1);
    setTimeout(() => slow.resolve(new Response()), 100);
    await ending;
    expect(await deliveriesOf(id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test.each([[true], [false]])(
    "that ends gives back what gets no answer, without an attempt (order: %p)",
    async (ordered) => {
      const { id } = await aWebhook(hook.url, { ordered });
      hook.reply = () => new Promise(() => {});
      await aManufacturer();
      const request = () => until("a request", () => hook.received.length === 1);
      await whileSending(request, { lastAnswers: 50 });
      expect(await deliveriesOf(id)).toMatchObject([{ status: "waiting", attempts: 0 }]);
      hook.reply = () => new Response();
      await whileSending(() => idle(id));
      const [first, again] = hook.received;
      expect([hook.received.length, first!.id === again!.id]).toEqual([2, true]);
    },
  );

  test("that died is replaced when its lease ends, not before", async () => {
    const { id } = await aWebhook(hook.url);
    const { sql } = await service();
    await aManufacturer();
    await sql`
      update subscriptions set lease_by = gen_random_uuid(), lease_until = now() + interval '1 minute'`;
    await whileSending(async () => {
      await Bun.sleep(200);
      expect(hook.received).toEqual([]);
      await sql`update subscriptions set lease_until = now()`;
      await idle(id);
    });
    expect(hook.received).toHaveLength(1);
  });
});

describe("a receiver", () => {
  test("that answers 500 for a day gets the message when it is back, with the same id", async () => {
    const { id } = await aWebhook(hook.url);
    hook.reply = () => new Response("out of order", { status: 500 });
    await aManufacturer({ name: "Acme" });
    await whileSending(async () => {
      for (let tries = 1; tries <= 12; tries += 1) {
        await until(`attempt ${tries}`, async () => (await deliveriesOf(id))[0].attempts === tries);
        await later("4 hours");
        await later("48 minutes");
        if (tries === 6)
          expect((await api(alice).get(`/webhooks/${id}`)).body.state).toBe("failing");
        if (tries === 11) hook.reply = () => new Response("back");
      }
    });
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ status: "delivered", attempts: 12, answer: 200 });
    expect(new Set(hook.received.map((one) => one.id)).size).toBe(1);
    const log = await api(alice).get(`/webhooks/${id}/deliveries/${delivery.id}/attempts`);
    expect(log.body.map(({ status }: any) => status)).toEqual([200, ...Array(9).fill(500)]);
    expect(log.body[1]).toMatchObject({
      problem: "The server answered 500",
      answer_body: "out of order",
      url: hook.url,
    });
    expect(log.body[1].request_body).toBe(hook.received[0]!.text);
  });

  test("that never takes it has the message as failed after three days; it can be sent again", async () => {
    const { id } = await aWebhook(hook.url);
    hook.reply = () => new Response(null, { status: 503 });
    const made = await aManufacturer({ name: "n0" });
    await rename(made.id, "n1");
    await whileSending(async () => {
      await until("an attempt", () => hook.received.length === 1);
      await until("its record", async () => (await deliveriesOf(id)).at(-1).attempts === 1);
      await later("3 days 1 minute");
      await idle(id);
      expect((await deliveriesOf(id)).map(({ status }: any) => status)).toEqual([
        "failed",
        "failed",
      ]);
      hook.reply = () => new Response();
      const [, first] = await deliveriesOf(id);
      const again = await api(alice).post(`/webhooks/${id}/deliveries/${first.id}/send`, {});
      expect([again.status, again.body.status]).toEqual([200, "waiting"]);
      await idle(id);
    });
    expect(names()).toEqual(["n0", "n0", "n1", "n0"]);
    expect(hook.received.at(-1)!.id).toBe(hook.received[0]!.id);
    const failed = await api(alice).get(`/webhooks/${id}/deliveries?status=failed`);
    expect(failed.body).toHaveLength(1);
    const [{ change_set }] = failed.body;
    const ofChange = await api(alice).get(`/webhooks/${id}/deliveries?change_set=${change_set}`);
    expect(ofChange.body).toEqual(failed.body);
    const wrong = await api(alice).get(`/webhooks/${id}/deliveries?change_set=1`);
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "change_set"]);
  });

  test("that answers 410 switches its webhook off, with the reason", async () => {
    const { id } = await aWebhook(hook.url);
    hook.reply = () => new Response(null, { status: 410 });
    await aManufacturer();
    await aManufacturer();
    await whileSending(async () => {
      await until(
        "off",
        async () => (await api(alice).get(`/webhooks/${id}`)).body.state === "off",
      );
    });
    expect(hook.received).toHaveLength(1);
    const { body } = await api(alice).get(`/webhooks/${id}`);
    expect([body.is_active, body.trouble]).toEqual([false, "The receiver answered 410 Gone"]);
    const audit = await api(alice).get("/audit?event=webhook.switched_off");
    expect(audit.body[0]).toMatchObject({ target: "Receiver", username: "(service)" });
    await aManufacturer({ name: "unseen" });
    const { headers } = await api(alice).patch(`/webhooks/${id}`, { is_active: true });
    expect(headers.get("etag")).toContain("v3");
    hook.reply = () => new Response();
    await whileSending(() => idle(id));
    expect(names()).not.toContain("unseen");
  });

  test("that asks for a pause by Retry-After gets it", async () => {
    const { id } = await aWebhook(hook.url);
    const { sql } = await service();
    const pauses: number[] = [];
    for (const value of ["7200", new Date(Date.now() + 3_600_000).toUTCString(), "99999999", "0"]) {
      hook.reply = () => new Response(null, { status: 429, headers: { "retry-after": value } });
      await aManufacturer();
      await sql`update deliveries set next_at = now(), attempts = 0`;
      const before = hook.received.length;
      await whileSending(async () => {
        await until("an attempt", () => hook.received.length > before);
        await until("its record", async () => (await deliveriesOf(id)).at(-1).attempts === 1);
      });
      const [found] = await sql`
        select extract(epoch from next_at - now())::float8 as pause from deliveries order by id limit 1`;
      pauses.push(found.pause / 3_600);
    }
    expect(pauses.map((hours) => Math.round(hours))).toEqual([2, 1, 24, 0]);
  });

  test.each([["0"], ["-5"], ["Wed, 21 Oct 2015 07:28:00 GMT"], ["soon"]])(
    "that asks for no pause by Retry-After: %s is tried as if it had not",
    (value) => {
      const wanted = retryAfterOf({ headers: { "retry-after": value } });
      expect(wanted).toBeUndefined();
      expect(pauseBefore(7, wanted)).toBeGreaterThan(3 * 3_600);
    },
  );

  test("that redirects, to the database or anywhere, has refused the message", async () => {
    const { id } = await aWebhook(hook.url);
    const { url } = await service();
    const port = /:(\d+)\//.exec(url)?.[1];
    hook.reply = () => Response.redirect(`http://127.0.0.1:${port}/`, 307);
    await aManufacturer();
    await whileSending(async () => {
      await until("an attempt", async () => (await deliveriesOf(id))[0]?.attempts === 1);
    });
    expect((await deliveriesOf(id))[0].problem).toContain("redirects are not followed");
  });

  test("that never answers, or slowly, costs no more than the time for an answer", async () => {
    const { id } = await aWebhook(hook.url, { ordered: false });
    const slow = receiver(async () => {
      const part = async function* () {
        for (;;) {
          await Bun.sleep(100);
          yield "x";
        }
      };
      return new Response(part() as unknown as ReadableStream);
    });
    const taken = await aWebhook(slow.url, { name: "Slow" });
    hook.reply = () => new Promise(() => {});
    await aManufacturer();
    await whileSending(
      async () => {
        await until("both", async () => {
          const [[one], [other]] = await Promise.all([deliveriesOf(id), deliveriesOf(taken.id)]);
          return one?.attempts === 1 && other?.attempts === 1;
        });
      },
      { timeout: 500 },
    );
    await slow.stop();
    expect((await deliveriesOf(id))[0]).toMatchObject({
      status: "waiting",
      problem: "No answer within 0.5 seconds",
    });
    // It answered 200 at once; only the body did not end.
    expect((await deliveriesOf(taken.id))[0].status).toBe("delivered");
  });
});

describe("the owner of a webhook", () => {
  test("decides what is seen: hidden records leave no message, to the byte", async () => {
    await aSiteWithSecrets();
    const { id } = await aWebhook(hook.url, { owner: "carol" });
    const everything = async () => {
      hook.received.length = 0;
      const { status } = await api(alice).post(`/webhooks/${id}/replay`, { from: "2026-01-01" });
      expect(status).toBe(200);
      await whileSending(() => idle(id));
      return hook.received.map(({ text }) => text);
    };
    const withSecrets = await everything();
    expect(withSecrets.length).toBeGreaterThan(5);
    expect(withSecrets.filter((text) => text.includes(CANARY))).toEqual([]);
    await forgetSecrets();
    expect(await everything()).toEqual(withSecrets);
  });

  test("who is deactivated pauses it; what waits is sent when they are back", async () => {
    const { id } = await aWebhook(hook.url, { owner: "carol" });
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    await aManufacturer({ name: "Acme" });
    await whileSending(() => Bun.sleep(300));
    expect(hook.received).toEqual([]);
    const { body } = await api(alice).get(`/webhooks/${id}`);
    expect([body.state, body.trouble]).toEqual(["paused", "Its owner is deactivated"]);
    const { sql } = await service();
    await sql`update users set deactivated_at = null`;
    await whileSending(() => idle(id));
    expect(names()).toEqual(["Acme"]);
  });

  test("who stays deactivated for four days gets nothing of that time", async () => {
    const { id } = await aWebhook(hook.url, { owner: "carol" });
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    await aManufacturer({ name: "Acme" });
    await later("4 days 1 minute");
    await deleteExpired({ auditDays: 30 });
    const { sql } = await service();
    await sql`update users set deactivated_at = null`;
    await aManufacturer({ name: "Best" });
    await whileSending(() => idle(id));
    expect(names()).toEqual(["Best"]);
  });
});

test("what waits while the service is down is sent afterwards, however long that was", async () => {
  const { id } = await aWebhook(hook.url);
  await aManufacturer({ name: "Acme" });
  await later("5 days");
  await deleteExpired({ auditDays: 30 });
  await whileSending(() => idle(id));
  expect(names()).toEqual(["Acme"]);
});
