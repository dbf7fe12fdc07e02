// Names that mean something else to a resolver, a browser or Ansible: no way in takes them, and no feed has them.
import { beforeEach, describe, expect, test } from "bun:test";
import { cadastre } from "../running/program.ts";
import { type Browser, browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { importsHosts, verdictsOf } from "../support/imports.ts";
import { aHost, alice, aNetwork, anInterface, api, aScope, service } from "../support/mod.ts";
import { latest, sentences, undoing } from "../support/undo.ts";

const RESERVED = ["localhost", "broadcasthost", "WPAD", "isatap", "all", "ungrouped", "_meta", "@"];
const admin = api(alice);

let main: number;
let host: number;

beforeEach(async () => {
  const { body: domain } = await admin.post("/network/domains", { name: "lab.example.org" });
  await aScope({ name: "Site", supernet: "10.1.0.0/16", domain_id: domain.id });
  await aNetwork({ scope: "Site", vlan_name: "Lab", address: "10.1.1.0/24" });
  const made = await aHost({ name: "web", network: "Lab" });
  [host, main] = [made.id, made.interfaces[0].id];
});

/** Status and messages of a refusal. */
async function saidOf(answer: ReturnType<typeof admin.post>): Promise<[number, string]> {
  const { status, body } = await answer;
  return [status, (body.errors ?? []).map((one: { message: string }) => one.message).join()];
}

describe("a reserved name", () => {
  test.each(RESERVED)("%s is refused by the API", async (name) => {
    const host_type = { device_type: "Physical" };
    const of = { host: "web", network: "Lab" };
    const answers = [
      await saidOf(admin.post("/network/hosts", { name, ...host_type, network: "Lab" })),
      await saidOf(admin.post("/network/hosts", { name, ...host_type })),
      await saidOf(admin.patch(`/network/hosts/${host}`, { name })),
      await saidOf(admin.post("/network/interfaces", { name, ...of })),
      await saidOf(admin.patch(`/network/interfaces/${main}`, { name })),
      await saidOf(admin.post("/network/cnames", { name, interface_id: main })),
      await saidOf(
        admin.post("/network/cnames", { name: `${name}.lab.example.org`, interface_id: main }),
      ),
    ];
    for (const [status, said] of answers) {
      expect(status).toBe(422);
      // Two of them are no labels at all.
      expect(said).toMatch(/^The name \S+ is reserved$|^Use /);
    }
  });

  test("is refused by both imports of its row, and its preview", async () => {
    const rows = [
      { name: "wpad", device_type: "Physical" },
      { name: "web", interface: "isatap", network: "Lab" },
      { name: "web", cnames: "all" },
    ];
    for (const query of ["", "?apply=all"]) {
      for (const row of rows) {
        const answer = await importsHosts(alice, [row], query);
        const text = JSON.stringify(answer.status === 200 ? verdictsOf(answer) : answer.body);
        expect(text).toContain("is reserved");
      }
    }
    expect((await admin.get("/network/hosts")).body).toHaveLength(1);
  });

  test("is refused by the forms, beside the field", async () => {
    const own = await browser(alice);
    const create = "/network/hosts/create";
    const { text } = await own.get(create);
    expect(texts(text, "h1")).not.toEqual([]);
    const fields = { name: "wpad", device_type: "Physical", network: "Lab" };
    const answer = await own.submit(create, fields);
    expect(answer.status).toBe(422);
    expect(texts(answer.text, "#error-field-name").join()).toContain("is reserved");
    await refusesCnames(own);
  });

  async function refusesCnames(own: Browser) {
    const path = "/network/interfaces/create/web";
    const { text } = await own.get(`${path}?network=Lab`);
    const inputs = elements(text, "form.host input[name]");
    const fields = Object.fromEntries(
      inputs.map(({ attributes }) => [attributes.name, attributes.value ?? ""]),
    );
    const answer = await own.submit(path, { ...fields, network: "Lab", cnames: "ftp\r\nwpad" });
    expect(answer.status).toBe(422);
    expect(texts(answer.text, "#error-field-cnames").join()).toContain("is reserved");
  }
});

describe("a name that was registered before it was reserved", () => {
  beforeEach(async () => {
    const { sql } = await service();
    await aHost({ name: "former", network: "Lab", ip: "10.1.1.99", mac: "02:42:42:00:00:09" });
    await anInterface({ host: "web", name: "web-b", network: "Lab", mac: "02:42:42:00:00:08" });
    await admin.post("/network/cnames", { name: "proxy", interface_id: main });
    await sql`update hosts set name = 'all' where name = 'former'`;
    await sql`update interfaces set name = 'all' where name = 'former'`;
    await sql`update interfaces set name = 'isatap' where name = 'web-b'`;
    await sql`update cnames set name = 'wpad.lab.example.org' where name like 'proxy%'`;
  });

  test("is in no feed", async () => {
    for (const feed of [
      ...["ansible", "prometheus", "dns", "dns/lab.example.org", "dns/1.1.10.in-addr.arpa"],
      ...["dhcp/kea", "dhcp/dnsmasq", "hosts"],
    ]) {
      const { status, text } = await admin.get(`/network/export/${feed}`);
      expect(status, feed).toBe(200);
      expect(text, feed).not.toMatch(/wpad|isatap|10\.1\.1\.99|all\.lab|"all"\s*,/);
    }
    expect((await admin.get("/network/export/hosts")).text).toContain("web.lab.example.org");
  });

  test("is a finding of doctor, and can be changed or deleted", async () => {
    const settings = { DATABASE_URL: (await service()).url };
    const found = await cadastre(["doctor"], { settings });
    expect(found.code).toBe(1);
    expect(found.out).toMatch(
      /^problem +Reserved names.*cname wpad\.lab\.example\.org, host all, interface all, interface isatap$/m,
    );
    const [all] = (await admin.get("/network/hosts?name=all")).body;
    const described = await admin.patch(`/network/hosts/${all.id}`, { description: "Old" });
    expect(described.status).toBe(200);
    expect((await admin.patch(`/network/hosts/${all.id}`, { name: "renamed" })).status).toBe(200);
    const renamed = await latest();
    expect(sentences(await undoing(renamed, alice))).toEqual([
      422,
      "all: The name all is reserved",
    ]);
    expect((await admin.delete(`/network/hosts/${all.id}`)).status).toBe(204);
  });
});
