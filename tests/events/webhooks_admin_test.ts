// Webhooks: what admins send by hand, and how they manage them.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { alice, aManufacturer, api, bob, carol, dave, service } from "../support/mod.ts";
import { allowThisMachine, aWebhook, receiver, until, whileSending } from "../support/receiver.ts";

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

const names = () =>
  hook.received.map(({ body }) => body.data.change_set?.events[0]?.name ?? body.type);

async function deliveriesOf(id: number) {
  return (await api(alice).get(`/webhooks/${id}/deliveries`)).body;
}

describe("what admins send by hand", () => {
  test("is sent once, however often they ask for it while it waits", async () => {
    const { id } = await aWebhook(hook.url);
    hook.reply = () => new Response(null, { status: 500 });
    await aManufacturer({ name: "Acme" });
    const { sql } = await service();
    await sql`update deliveries set status = 'failed', finished_at = now()`;
    const again = async (delivery: number) => {
      for (const _ of [1, 2]) {
        const { status } = await api(alice).post(`/webhooks/${id}/deliveries/${delivery}/send`, {});
        expect(status).toBe(200);
      }
    };
    const [failed] = await deliveriesOf(id);
    await again(failed.id);
    const made = await api(alice).post(`/webhooks/${id}/test`, {});
    await again(made.body.id);
    await whileSending(() => idle(id));
    expect(names().toSorted()).toEqual(["Acme", "test"]);
    const found = await deliveriesOf(id);
    expect(found.map(({ status }: any) => status)).toEqual(["failed", "failed"]);
  });

  test("is a test, which does not wait for others", async () => {
    const { id } = await aWebhook(hook.url);
    hook.reply = ({ body }) => new Response(null, { status: body.type === "test" ? 200 : 500 });
    await aManufacturer({ name: "Acme" });
    await whileSending(async () => {
      await until("an attempt", () => hook.received.length === 1);
      const sent = await api(alice).post(`/webhooks/${id}/test`, {});
      expect([sent.status, sent.body.status]).toEqual([201, "waiting"]);
      await until("the test", () => hook.received.length === 2);
      await until("its answer", async () => (await deliveriesOf(id))[0].status === "delivered");
    });
    expect(hook.received[1]!.body).toMatchObject({ type: "test", data: { webhook: "Receiver" } });
  });

  test("is a range of changes or of times, as new messages in their order", async () => {
    const made = await aManufacturer({ name: "n0" });
    const sets = [];
    for (const name of ["n1", "n2", "n3"]) {
      await rename(made.id, name);
      sets.push((await api(alice).get("/changes?per_page=1")).body[0].id);
    }
    const { id } = await aWebhook(hook.url);
    const replay = (range: object) => api(alice).post(`/webhooks/${id}/replay`, range);
    expect((await replay({ first: sets[0], last: sets[1] })).body).toEqual({ change_sets: 2 });
    await whileSending(() => idle(id));
    expect(names()).toEqual(["n1", "n2"]);
    await replay({ from: "2026-01-01", to: "2999-01-01" });
    await whileSending(() => idle(id));
    expect(names().slice(2)).toEqual(["n0", "n1", "n2", "n3"]);
    expect(new Set(hook.received.map((one) => one.id)).size).toBe(6);
    for (const wrong of [
      {},
      { last: sets[2] },
      { from: "yesterday" },
      { first: 3 },
      { first: "3" },
    ]) {
      const { status } = await replay(wrong);
      expect([wrong, status]).toEqual([wrong, 422]);
    }
  });
});

test("the log is limited", async () => {
  const { cleanUp } = await import("../../src/events/webhooks/queue.ts");
  const { id } = await aWebhook(hook.url);
  const { sql } = await service();
  await sql`
    insert into deliveries (subscription_id, change_set, status, finished_at)
    select ${id}, at, case when at % 2 = 0 then 'delivered' else 'failed' end,
      now() - case when at <= 20 then interval '31 days' else interval '0' end
    from generate_series(1, 2500) at`;
  await cleanUp();
  const counts = await sql`select status, count(*)::int from deliveries group by 1 order by 1`;
  expect(counts.map(({ count }: any) => count)).toEqual([1_000, 1_240]);
});

describe("/webhooks", () => {
  test("is for admins", async () => {
    const { id } = await aWebhook(hook.url);
    for (const person of [bob, carol, dave]) {
      expect((await api(person).get("/webhooks")).status).toBe(403);
      expect((await api(person).post(`/webhooks/${id}/test`, {})).status).toBe(403);
    }
  });

  test("refuses what cannot work, with a sentence", async () => {
    await allowThisMachine();
    const { url } = await service();
    const port = /:(\d+)\//.exec(url)?.[1];
    const cases: Array<[object, string]> = [
      [{ url: "x" }, "url"],
      [{ url: "http://192.0.2.1/" }, "url"],
      [{ url: `http://127.0.0.1:${port}/` }, "url"],
      [{ url: hook.url, owner: "nobody" }, "owner"],
      [{ url: hook.url, filters: { kind: ["x"] } }, "filters.kind.0"],
      [{ url: hook.url, filters: { unknown: "x" } }, "filters.unknown"],
      [{ url: hook.url, format: "x" }, "format"],
    ];
    for (const [given, field] of cases) {
      const { status, body } = await api(alice).post("/webhooks", { name: "W", ...given });
      expect([given, status, body.errors?.[0]?.field]).toEqual([given, 422, field]);
    }
    await aWebhook(hook.url);
    const { body } = await api(alice).post("/webhooks", { name: "RECEIVER", url: hook.url });
    expect(body.errors[0].field).toBe("name");
  });

  test("never shows a secret again, checks If-Match and keeps an audit log", async () => {
    const { id, secret } = await aWebhook(hook.url);
    const found = await api(alice).get(`/webhooks/${id}`);
    expect([secret.startsWith("whsec_"), found.text.includes("whsec")]).toEqual([true, false]);
    const etag = found.headers.get("etag") ?? "";
    const change = (headers: Record<string, string>) =>
      api(alice).patch(`/webhooks/${id}`, { ordered: false }, { headers });
    expect((await change({ "if-match": etag })).status).toBe(200);
    expect((await change({ "if-match": etag })).status).toBe(412);
    const key = { headers: { "idempotency-key": "one" } };
    expect((await api(alice).post(`/webhooks/${id}/rotate`, {}, key)).status).toBe(422);
    expect((await api(alice).delete(`/webhooks/${id}`)).status).toBe(204);
    expect((await api(alice).get(`/webhooks/${id}`)).status).toBe(404);
    const { body, text } = await api(alice).get("/audit?sort=id");
    const events = body
      .map(({ event }: any) => event)
      .filter((one: string) => /^webhook/.test(one));
    expect(events).toEqual(["webhook.created", "webhook.changed", "webhook.deleted"]);
    expect(text).not.toContain("whsec");
    const { sql } = await service();
    const [{ secrets }] =
      await sql`select coalesce(max(secrets), '') as secrets from subscriptions`;
    expect(secrets).not.toContain("whsec");
  });
});
