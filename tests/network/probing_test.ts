import { describe, expect, test } from "bun:test";
import { MOST_HIDDEN } from "../../src/input/limits.ts";
import { browser } from "../support/browser.ts";
import { concurrently } from "../support/concurrently.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  bob,
  dave,
  idOf,
  service,
} from "../support/mod.ts";

const DRY = "/network/hosts?dry_run=true";

/** In a network that everybody sees, too. */
async function aHiddenHost() {
  const vault = await aNetwork({ vlan_name: "Vault", sensitive: true });
  const open = await aNetwork({ vlan_name: "Open" });
  const host = await aHost({ name: "canary", network: vault.vlan_name });
  const mac = "02:42:42:00:00:07";
  await anInterface({ host: "canary", network: "Open", name: "canary-2", ip: open.last_ip, mac });
  return { host, ip: open.last_ip, mac };
}

const hostNamed = (name: string) => ({ name, device_type: "VME" });

describe("probing for hidden records", () => {
  test("ends with a 429 without details, and is in the audit log", async () => {
    await aHiddenHost();
    const { body: own } = await api(dave).post("/network/hosts", hostNamed("own"));
    const probe = () => api(dave).post(DRY, hostNamed("canary"));
    const first = [await probe(), await probe()];
    // However many come at one time, no more are answered.
    const others = await Promise.all(Array.from({ length: MOST_HIDDEN + 8 }, probe));
    const refused = [...first, ...others].filter(({ status }) => status === 422);
    expect(first.map(({ status }) => status)).toEqual([422, 422]);
    expect(refused.length).toBeLessThanOrEqual(MOST_HIDDEN);
    const taken = { field: "name", message: "This name is not available" };
    expect(refused.map(({ body }) => body.errors)).toEqual(refused.map(() => [taken]));
    for (const name of ["canary", "free"]) {
      const { status, headers } = await api(dave).post(DRY, hostNamed(name));
      expect([name, status, Number(headers.get("retry-after")) > 0]).toEqual([name, 429, true]);
    }
    const put = await api(dave).patch(`/network/hosts/${own.id}`, { description: "x" });
    expect(put.status).toBe(200);
    expect((await api(alice).post(DRY, hostNamed("canary"))).status).toBe(422);
    const { sql } = await service();
    const [log] = await sql`
      select count(*)::int as count, count(distinct details)::int as kinds, min(details::text) as details
      from audit_log where event = 'name.probed' and user_id = ${await idOf(dave)} and username = 'dave'`;
    expect(log.count).toBeGreaterThanOrEqual(MOST_HIDDEN);
    expect([log.kinds, JSON.parse(log.details)]).toEqual([
      1,
      { field: "name", asked: "canary", hidden: true, dry_run: true },
    ]);
  }, 60_000);

  test("is counted on every route", async () => {
    const { host, ip, mac } = await aHiddenHost();
    await aHost({ name: "web-01", network: "Open" });
    const [main] = (await api(alice).get("/network/interfaces?name=web-01")).body;
    await anItem({ ics_id: "AAA001", host_id: host.id });
    const { body: mine } = await api(dave).post("/network/hosts", hostNamed("own"));
    const given = { network: "Open", host: "web-01", name: "free" };
    const hidden = { type: "query", query: "*", vars: { a: 1 } };
    for (const [by, path, body] of [
      [dave, "/network/hosts", hostNamed("canary-2")],
      [dave, "/network/interfaces", { ...given, name: "canary-2" }],
      [dave, "/network/interfaces", { ...given, ip }],
      [dave, "/network/interfaces", { ...given, mac }],
      [dave, "/network/cnames", { name: "canary-2", interface_id: main.id }],
      [dave, "/network/hosts", { ...hostNamed("new"), items: ["AAA001"] }],
      [dave, "/network/groups", { name: "Every", ...hidden }],
      [dave, "/network/groups/preview", { name: "Every", ...hidden }],
    ] as const) {
      const answer = await api(by).post(path, body);
      expect([path, body, answer.status]).toEqual([path, body, 422]);
    }
    const moved = await api(bob).patch("/inventory/items/AAA001", { host_id: mine.id });
    expect([moved.status, moved.body.errors]).toEqual([
      422,
      [{ field: "host_id", message: "This item is not available" }],
    ]);
    const { sql } = await service();
    const rows = await sql`
      select username, details ->> 'asked' as asked from audit_log
      where event = 'name.probed' and details ->> 'hidden' = 'true' order by id`;
    expect(rows.map((row: any) => `${row.username} ${row.asked}`)).toEqual([
      ...["canary-2", "canary-2", ip, mac, `canary-2.${main.domain}`].map((one) => `dave ${one}`),
      ...["AAA001", "Every", "Every"].map((one) => `dave ${one}`),
      "bob AAA001",
    ]);
  });

  test("does not include registering visible records", async () => {
    await aHost({ name: "web-01" });
    // Not all at once: on a busy machine some would wait too long for a connection.
    for (let sent = 0; sent < 100; sent += 10) {
      const answers = await concurrently(10, () => api(dave).post(DRY, hostNamed("web-01")));
      expect(answers.filter(({ status }) => status !== 422)).toEqual([]);
    }
    const { sql } = await service();
    const [log] = await sql`
      select count(*)::int as count from audit_log where details ->> 'hidden' = 'true'`;
    expect(log.count).toBe(0);
  }, 60_000);

  test("is counted by the checks of a form, too", async () => {
    await aHiddenHost();
    const as = await browser(dave);
    for (const status of [...Array.from({ length: MOST_HIDDEN }, () => 200), 429]) {
      const fields = { name: "canary", network: "Open" };
      expect((await as.submit("/network/_validate/name", fields)).status).toBe(status);
    }
    expect((await api(dave).post(DRY, hostNamed("free"))).status).toBe(429);
  }, 60_000);
});
