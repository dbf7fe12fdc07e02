// The codes of errors: programs go by them, and docs/api.md lists them.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FIELD_CODES, REQUEST_CODES } from "../../src/input/error_codes.ts";
import { labAndBench } from "../support/imports.ts";
import { aHost, alice, aNetwork, anItem, api, carol, stranger, visit } from "../support/mod.ts";

const admin = api(alice);

test("docs/api.md lists each with its meaning", () => {
  const text = readFileSync(join(import.meta.dir, "../../docs/api.md"), "utf8");
  const rows = [
    ...Object.entries(REQUEST_CODES).map(
      ([status, [code, meaning]]) => `| ${status} | \`${code}\` | ${meaning} |`,
    ),
    ...Object.entries(FIELD_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
  ];
  expect(rows.filter((row) => !text.includes(row))).toEqual([]);
});

test("a refused field has the code of its reason, and the answer that of its only reason", async () => {
  await labAndBench();
  await aHost({ name: "web", network: "Lab" });
  const full = { address: "10.1.9.0/24", first_ip: "10.1.9.1", last_ip: "10.1.9.1" };
  await aNetwork({ scope: "Site", vlan_name: "Full", ...full, gateway: null });
  await aHost({ name: "last", network: "Full" });
  await anItem({ ics_id: "AAA001" });
  const host = (fields: object) =>
    admin.post("/network/hosts", { name: "new", device_type: "VME", ...fields });
  const [lab] = (await admin.get("/network/networks?vlan_name=Lab")).body;
  const [own] = (await admin.get("/network/interfaces?name=web")).body;
  const refused = {
    not_available: await host({ name: "web" }),
    network_full: await host({ network: "Full" }),
    not_an_address: await host({ network: "Lab", ip: "10.1.1" }),
    not_a_mac_address: await host({ network: "Lab", mac: "12" }),
    unknown_record: await host({ network: "Nowhere" }),
    unknown_field: await host({ colour: "red" }),
    required: await admin.post("/network/hosts", { name: "new" }),
    name_taken: await admin.post("/network/domains", { name: lab.domain }),
    in_use: await admin.delete(`/network/networks/${lab.id}`),
    outside: await admin.patch(`/network/interfaces/${own.id}`, { ip: "10.99.0.1" }),
    overlaps: await admin.put("/network/scopes/by-name/Other", {
      ...{ supernet: "10.1.0.0/17", first_vlan: 900, last_vlan: 901 },
      domain: lab.domain,
    }),
    inside_itself: await admin.patch("/inventory/items/AAA001", { parent: "AAA001" }),
    not_a_time: await admin.get("/network/hosts?created_at=soon"),
    not_a_query: await admin.get("/network/hosts?q=(a"),
    not_a_block: await admin.patch(`/network/networks/${lab.id}`, { address: "10.1.1.1/24" }),
  };
  for (const [code, { status, body, codes = [] }] of Object.entries(refused)) {
    expect([code, status, body.code, codes[0] ?? code]).toEqual([code, 422, code, code]);
  }
  const both = await host({ name: "web", colour: "red", network: "Nowhere" });
  expect([both.status, both.codes?.length]).toEqual([422, both.body.errors.length]);
});

test("another refusal has the code of its status", async () => {
  const answers = [
    await api(stranger).get("/network/hosts"),
    await api(carol).post("/network/hosts", {}),
    await admin.get("/network/hosts/999999"),
    await visit("/api/v1/nothing"),
    await admin.post("/network/hosts", "text", { headers: { "content-type": "text/plain" } }),
  ];
  for (const { status, body } of answers) {
    expect([status, body.code]).toEqual([status, REQUEST_CODES[status]?.[0]]);
  }
  expect(answers.map(({ status }) => status)).toEqual([401, 403, 404, 404, 415]);
});
