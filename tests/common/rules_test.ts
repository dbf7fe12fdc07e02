// A rule of a site, declared once as CONTRIBUTING.md says: each way in obeys it, and refuses in the same words.
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { NOT_POSSIBLE, registerRules } from "../../src/store/rules.ts";
import { browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { imports, importsHosts } from "../support/imports.ts";
import { aHost, alice, aNetwork, anItem, api, aStatus, bob, service } from "../support/mod.ts";
import { apply, code, rowsOf, scanAll } from "../support/scan_desk.ts";
import { latest, undoing } from "../support/undo.ts";
import { uploaded } from "../support/upload.ts";

const SENTENCE = "An item that is scrapped is not mounted on a host";
const SCRAPPED = "Scrapped for good";
const admin = api(alice);

beforeAll(() =>
  registerRules([
    {
      on: { items: ["status_id", "host_id"], statuses: ["name"] },
      tellsOf: "a host",
      broken: (touched) => sql`
        select ics_id as record, host_id as host from items join statuses on statuses.id = status_id
        where statuses.name = ${SCRAPPED} and host_id is not null
          and (${touched("items", sql`items.id`)} or ${touched("statuses", sql`statuses.id`)})
        order by ics_id limit 1`,
      refuse: () => ({ field: "host", message: SENTENCE }),
    },
  ]),
);

let host: number;
let other: number;

beforeEach(async () => {
  await aStatus({ name: SCRAPPED });
  const gone = await aStatus({ name: "Gone" });
  host = (await aHost({ name: "web" })).id;
  other = gone.id;
  await anItem({ ics_id: "AAA001", host_id: host });
  await anItem({ ics_id: "AAA002", status: SCRAPPED });
  await anItem({ ics_id: "AAA003", host_id: host, status: "Gone" });
});

async function mounted(): Promise<string[]> {
  const { body } = await admin.get(`/inventory/items?status=${SCRAPPED}&host__isnull=false`);
  return body.map(({ ics_id }: { ics_id: string }) => ics_id);
}

test("is obeyed by items, hosts and statuses over the API, also in a dry run", async () => {
  const item = { serial_number: "S", status: SCRAPPED, host_id: host };
  const refused = [
    await admin.post("/inventory/items", item),
    await admin.post("/inventory/items?dry_run=true", item),
    await admin.patch("/inventory/items/AAA001", { status: SCRAPPED }),
    await admin.patch("/inventory/items/AAA002", { host_id: host }),
    await admin.post("/network/hosts", { name: "new", device_type: "VME", items: ["AAA002"] }),
    await admin.patch(`/network/hosts/${host}`, { items: ["AAA001", "AAA002"] }),
  ];
  for (const { status, body } of refused) {
    expect([status, body.errors]).toEqual([422, [{ field: "host", message: SENTENCE }]]);
  }
  const [known] = (await admin.get(`/inventory/statuses?name=${SCRAPPED}`)).body;
  await admin.patch(`/inventory/statuses/${known.id}`, { name: "Old" });
  const renaming = {
    ...{ action: "update", id: String(other), name: SCRAPPED, description: "", retires: "false" },
  };
  const form = await (await browser(alice)).submit("/inventory/attributes/status", renaming);
  expect([form.status, form.text.includes(SENTENCE)]).toEqual([422, true]);
  const renamed = await admin.patch(`/inventory/statuses/${other}`, { name: SCRAPPED });
  expect([renamed.status, renamed.body.errors[0].message]).toEqual([422, SENTENCE]);
  expect(await mounted()).toEqual([]);
});

test("is obeyed by both imports, the scan desk and undo, and by each form", async () => {
  const rows = [{ ics_id: "AAA001", status: SCRAPPED }];
  const mounting = [{ name: "web", items: "AAA001 AAA002" }];
  const imported = [
    await imports(alice, rows, "?apply=all"),
    await imports(alice, rows, "?dry_run=true"),
    await importsHosts(alice, mounting, "?apply=all"),
    await importsHosts(alice, mounting, "?dry_run=true"),
  ];
  for (const { status, text } of imported) {
    expect(status).toBe(422);
    expect(text).toContain(SENTENCE);
  }
  const own = await browser(alice);
  const preview = await own.get(await uploaded(own, `ICS id;Status\nAAA001;${SCRAPPED}\n`));
  expect(texts(preview.text, "p.error").join()).toContain(SENTENCE);
  const [first] = (await admin.get("/inventory/items?ics_id=AAA001")).body;
  const many = { id: String(first.id), status: SCRAPPED, step: "preview" };
  const changed = await own.submit("/inventory/items/_bulk", many);
  expect(changed.status).toBe(422);
  expect(changed.text).toContain(SENTENCE);
  const applied = await own.submit("/inventory/items/_bulk", { ...many, step: "apply" });
  expect([applied.status, applied.text.includes(SENTENCE)]).toEqual([422, true]);
  const scanned = await scanAll(own, [code("status", SCRAPPED), "AAA001"]);
  expect(rowsOf((await apply(own, scanned.text)).text).join()).toContain(SENTENCE);
  await admin.patch("/inventory/items/AAA003", { host_id: null });
  const off = await latest();
  await admin.patch("/inventory/items/AAA003", { status: SCRAPPED });
  const undone = await undoing(off, alice);
  expect([undone.status, undone.body.errors[0].message]).toEqual([422, `AAA003: ${SENTENCE}`]);
  const form = await own.submit("/inventory/items/edit/AAA001", { status: SCRAPPED });
  expect(form.status).toBe(422);
  expect(texts(form.text, "p.error").join()).toContain(SENTENCE);
  expect(await mounted()).toEqual([]);
});

test("tells nothing of a host that is hidden from the caller, and counts as probing", async () => {
  const { vlan_name } = await aNetwork({ sensitive: true });
  const canary = await aHost({ name: "canary", network: vlan_name });
  const mounted = await anItem({ ics_id: "AAA004", host_id: canary.id });
  const own = await browser(bob);
  const changed = { status: SCRAPPED };
  const refused = [
    await api(bob).patch("/inventory/items/AAA004", changed),
    await api(bob).patch("/inventory/items/AAA004?dry_run=true", changed),
    await imports(bob, [{ ics_id: "AAA004", ...changed }]),
    await own.submit("/inventory/items/edit/AAA004", changed),
    await own.submit("/inventory/items/_bulk", {
      ...{ id: String(mounted.id), step: "preview", ...changed },
    }),
  ];
  const scanned = await scanAll(own, [code("status", SCRAPPED), "AAA004"]);
  const texts = [...refused.map(({ text }) => text), (await apply(own, scanned.text)).text];
  for (const text of texts) {
    expect(text).toContain(NOT_POSSIBLE);
    expect(text).not.toContain(SENTENCE);
    expect(text).not.toContain("canary");
  }
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect(refused[0]?.body.errors).toEqual([{ field: "id", message: NOT_POSSIBLE }]);
  const { sql } = await service();
  const [{ probes }] = await sql`
    select count(*)::int as probes from audit_log where event = 'name.probed' and username = 'bob'`;
  // An import does not count a value again.
  expect(probes).toBe(5);
});
