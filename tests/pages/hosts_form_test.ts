import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  bob,
  carol,
  dave,
} from "../support/mod.ts";

const CREATE = "/network/hosts/create";
const EDIT = "/network/hosts/edit/taken";
const VIEW = "/network/hosts/view";

async function hostNamed(name: string): Promise<any> {
  return (await api(alice).get(`/network/hosts?name=${name}&recursive=true`)).body[0];
}

async function labelsOf(host: string): Promise<string[]> {
  return (await api(alice).get(`/network/hosts?name=${host}`)).body[0].items;
}

/** In the scope of 10.200.0.0/16, named for what it is. */
async function namedNetwork(vlan_name: string, fields: object = {}) {
  return aNetwork({ vlan_name, address: "10.200.1.0/24", ...fields });
}

function valueIn(html: string, name: string): string | undefined {
  return elements(html, `form.host [name=${name}]`)[0]?.attributes.value;
}

describe("POST /network/hosts/create", () => {
  test("creates a host with its first interface, items, groups and variables", async () => {
    const scope = await aScope({ supernet: "10.200.0.0/16" });
    await namedNetwork("Net-A", { scope: scope.name });
    await anItem({ ics_id: "AAA001" });
    const own = await browser(dave);
    const { status, headers } = await own.submit(CREATE, {
      name: " WS-01 ",
      device_type: "Virtual",
      is_ioc: "true",
      network: "net-a",
      ip: "10.200.1.7",
      mac: "0242.4200.0001",
      items: "aaa001",
      description: "Runs\r\nthe archiver",
      automation_vars: '{"port": 5064}',
    });
    expect([status, headers.get("location")]).toEqual([303, `${VIEW}/ws-01`]);
    expect(await hostNamed("ws-01")).toMatchObject({
      device_type: { name: "Virtual" },
      is_ioc: true,
      description: "Runs\nthe archiver",
      automation_vars: { port: 5064 },
      interfaces: [{ name: "ws-01", ip: "10.200.1.7", mac: "02:42:42:00:00:01" }],
      items: [{ ics_id: "AAA001" }],
    });
    const { text } = await own.get(`${VIEW}/ws-01`);
    expect(texts(text, "#toasts .toast")).toEqual(["Added ws-01Undo"]);
  });

  test("assigns the first free address where none is given, and creates a host without any", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    const own = await browser(dave);
    await own.submit(CREATE, { name: "ws-01", device_type: "Physical", network: vlan_name });
    await own.submit(CREATE, { name: "ws-02", device_type: "Physical", network: "", ip: "" });
    expect((await hostNamed("ws-01")).interfaces[0].ip).toBe(first_ip);
    expect((await hostNamed("ws-02")).interfaces).toEqual([]);
  });

  test("answers an address in use with the next free one, one click away", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    await anInterface({
      host: (await aHost({ name: "first" })).name,
      network: vlan_name,
      ip: first_ip,
    });
    const own = await browser(dave);
    const next = first_ip.replace(/\.1$/, ".2");
    const fields = { name: "ws-01", device_type: "Physical", network: vlan_name, ip: first_ip };
    const late = await own.submit(CREATE, fields);
    expect(late.status).toBe(422);
    expect(texts(late.text, "p.error")).toContain(
      `${first_ip} is an address of the host first; ${next} is the next free address. Save again to use it`,
    );
    expect(valueIn(late.text, "ip")).toBe(next);
    expect(valueIn(late.text, "name")).toBe("ws-01");
    const again = await own.submit(CREATE, { ...fields, ip: next });
    expect(again.status).toBe(303);
    expect((await hostNamed("ws-01")).interfaces[0].ip).toBe(next);
  });

  test("skips the addresses of a hidden host without disclosing it", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    const hidden = await aNetwork({ sensitive: true });
    const canary = await aHost({ name: "canary" });
    await anInterface({ host: canary.name, network: hidden.vlan_name });
    await anInterface({ host: canary.name, network: vlan_name, ip: first_ip });
    const own = await browser(dave);
    const form = await own.get(`${CREATE}?network=${vlan_name}`);
    expect(valueIn(form.text, "ip")).toBe(first_ip);
    expect(form.text).not.toContain("canary");
    expect(form.text).not.toContain(hidden.vlan_name);
    const fields = { name: "ws-01", device_type: "Physical", network: vlan_name, ip: first_ip };
    const late = await own.submit(CREATE, fields);
    expect(late.text).not.toContain("canary");
    expect(late.text).toContain(`${first_ip} is not available; `);
    const named = await own.submit(CREATE, { ...fields, name: "canary", ip: "" });
    expect(texts(named.text, "#error-field-name")).toEqual(["This name is not available"]);
    const ip = valueIn(late.text, "ip")!;
    expect(ip).toBe(first_ip.replace(/\.1$/, ".2"));
    expect((await own.submit(CREATE, { ...fields, ip })).status).toBe(303);
  });

  test("says that an item is on another host, and moves it only on request", async () => {
    await anItem({ ics_id: "AAA001" });
    await aHost({ name: "first", items: ["AAA001"] });
    const own = await browser(dave);
    const fields = { name: "second", device_type: "Physical", items: "AAA001" };
    const asked = await own.submit(CREATE, fields);
    expect(asked.status).toBe(422);
    expect(texts(asked.text, "#error-field-items")).toEqual([
      "AAA001 is mounted on first; tick the box below to move it",
    ]);
    expect(asked.text).toContain('name="take_items"');
    expect(await labelsOf("first")).toEqual(["AAA001"]);
    const answer = await own.submit(CREATE, { ...fields, take_items: "true" });
    expect(answer.status).toBe(303);
    expect(await labelsOf("second")).toEqual(["AAA001"]);
    const edit = { name: "first", device_type: "Physical", items: "AAA001" };
    expect((await own.submit("/network/hosts/edit/first", edit)).status).toBe(422);
    expect(await labelsOf("second")).toEqual(["AAA001"]);
  });

  test("offers the gateway address to alice only on request", async () => {
    const { vlan_name, gateway } = await aNetwork();
    const own = await browser(alice);
    const fields = { name: "router", device_type: "Network", network: vlan_name, ip: gateway };
    const asked = await own.submit(CREATE, fields);
    expect(asked.status).toBe(422);
    expect(asked.text).toContain('name="force"');
    expect(asked.text).toContain("tick the box below to use it");
    expect(asked.text).not.toContain("force=true");
    expect((await own.submit(CREATE, { ...fields, force: "true" })).status).toBe(303);
    expect((await hostNamed("router")).interfaces[0].ip).toBe(gateway);
  });

  test("shows a refused form filled in, with each error beside its field, and saves nothing", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "taken" });
    const own = await browser(dave);
    const fields = { name: "ws-01", device_type: "Physical", description: "Mine" };
    for (const [wrong, field, error] of [
      [
        { name: "-x" },
        "name",
        "Use 2 to 63 letters a-z, digits and hyphens; no hyphen first or last",
      ],
      [{ name: "taken" }, "name", "This name is not available: the host taken has it"],
      [{ device_type: "Toaster" }, "device_type", 'There is no device type "Toaster"'],
      [{ network: "nowhere" }, "network", 'There is no network "nowhere"'],
      [{ network: vlan_name, ip: "9.9.9.9" }, "ip", /^Use an address inside/],
      [{ network: vlan_name, mac: "x" }, "mac", /^Use a MAC address/],
      [{ mac: "02:42:42:00:00:01" }, "network", "Name the network of this interface"],
      [{ items: "AAA999" }, "items", 'There is no item "AAA999"'],
      [{ automation_groups: "none" }, "automation_groups", 'There is no group "none"'],
      [{ automation_vars: '{\n"a": x' }, "automation_vars", /^Line 2: /],
      [{ automation_vars: "[1]" }, "automation_vars", /^Enter a name/],
    ] as const) {
      const { status, text } = await own.submit(CREATE, { ...fields, ...wrong });
      expect([status, texts(text, "textarea[name=description]")], JSON.stringify(wrong)).toEqual([
        422,
        ["Mine"],
      ]);
      const [said = ""] = texts(text, `#error-field-${field}`);
      if (typeof error === "string") expect(said, JSON.stringify(wrong)).toBe(error);
      else expect(said, JSON.stringify(wrong)).toMatch(error);
    }
    expect((await api(alice).get("/network/hosts")).body).toHaveLength(1);
  });

  test("reports all errors at once, however deep they are", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    await anInterface({ network: vlan_name, ip: first_ip });
    await aHost({ name: "taken" });
    const own = await browser(dave);
    const errorsOf = async (path: string, fields: Record<string, string>) => {
      const { status, text } = await own.submit(path, fields);
      expect(status).toBe(422);
      return elements(text, ".summary a").map(({ attributes }) =>
        attributes.href!.replace("#field-", ""),
      );
    };
    const wrong = { items: "AAA999", automation_groups: "none", automation_vars: "[1]" };
    const misnamed = { name: "taken", device_type: "Toaster", ...wrong };
    const misplaced = { network: vlan_name, ip: "9.9.9.9" };
    const all = ["name", "device_type", "ip", "items", "automation_groups", "automation_vars"];
    expect(await errorsOf(CREATE, { ...misnamed, ...misplaced })).toEqual(all);
    expect(await errorsOf(CREATE, { ...misnamed, ...misplaced, name: "-" })).toEqual(all);
    expect(await errorsOf(CREATE, { ...misnamed, network: vlan_name, ip: first_ip })).toEqual(all);
    expect(await errorsOf(EDIT, { name: "-", ...wrong })).toEqual(["name", ...Object.keys(wrong)]);
    expect((await api(alice).get("/network/hosts")).body).toHaveLength(2);
  });

  test("continues with another host of the same type and network", async () => {
    const { vlan_name } = await aNetwork();
    const own = await browser(dave);
    const fields = { name: "ws-01", device_type: "Virtual", network: vlan_name, again: "true" };
    const { headers } = await own.submit(CREATE, fields);
    expect(headers.get("location")).toBe(`${CREATE}?device_type=Virtual&network=${vlan_name}`);
    const { text } = await own.get(headers.get("location")!);
    expect(elements(text, "select[name=device_type] [selected]")[0]!.attributes.value).toBe(
      "Virtual",
    );
    expect(valueIn(text, "ip")).toEndWith(".2");
  });

  test("offers no admin-only network, and refuses it with 403", async () => {
    const { vlan_name } = await aNetwork({ admin_only: true });
    const own = await browser(dave);
    expect((await own.get(CREATE)).text).not.toContain(vlan_name);
    const fields = { name: "ws-01", device_type: "Physical", network: vlan_name };
    expect((await own.submit(CREATE, fields)).status).toBe(403);
    expect((await (await browser(alice)).get(CREATE)).text).toContain(vlan_name);
    for (const person of [bob, carol]) {
      expect((await (await browser(person)).get(CREATE)).status, person.username).toBe(403);
    }
  });
});

describe("POST /network/_validate/(field)", () => {
  const ask = async (field: string, fields: Record<string, string>, query = "") => {
    const own = await browser(dave);
    return own.submit(`/network/_validate/${field}${query}`, fields, { headers: HTMX });
  };

  test("returns the full name, or that it is not available, with the owner unless that is hidden", async () => {
    const { vlan_name, domain } = await aNetwork();
    const hidden = await aNetwork({ sensitive: true });
    await aHost({ name: "taken" });
    await anInterface({ host: "taken", network: vlan_name, name: "taken" });
    await aHost({ name: "canary" });
    await anInterface({ host: "canary", network: hidden.vlan_name, name: "canary-1" });
    const free = await ask("name", { name: "WS-01", network: vlan_name });
    expect(texts(free.text, "#check-name")).toEqual([`Full name ws-01.${domain}`]);
    for (const [name, by] of [
      ["taken", ": the host taken has it"],
      ["canary", ""],
      ["canary-1", ""],
    ] as const) {
      const { text } = await ask("name", { name });
      expect(texts(text, "p.error"), name).toEqual([`This name is not available${by}`]);
    }
  });

  test("returns the first free address of a network", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    const { text } = await ask("network", { network: vlan_name, name: "ws-01" });
    expect(elements(text, "input[name=ip]")[0]!.attributes.value).toBe(first_ip);
    expect(texts(text, ".hint")[0]).toBe("Free now, assigned when you save");
  });

  test("names the user of an address, but never a hidden host", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    const hidden = await aNetwork({ sensitive: true });
    await anInterface({ network: vlan_name, ip: first_ip, name: "seen", mac: "024242000001" });
    const canary = await anInterface({ network: hidden.vlan_name });
    const other = first_ip.replace(/\.1$/, ".9");
    await anInterface({ host: canary.host, network: vlan_name, ip: other, mac: "024242000002" });
    const said = async (field: string, fields: Record<string, string>) =>
      texts((await ask(field, { network: vlan_name, ...fields })).text, "p.error");
    expect(await said("ip", { ip: first_ip })).toEqual(["seen has this address"]);
    expect(await said("ip", { ip: other })).toEqual([]);
    expect(await said("mac", { mac: "02-42-42-00-00-01" })).toEqual([
      `seen has this address in ${vlan_name}`,
    ]);
    expect(await said("mac", { mac: "024242000002" })).toEqual([]);
    expect(await said("mac", { mac: "x" })).toEqual([
      '"x" is not a MAC address such as 02:42:42:00:00:01',
    ]);
  });

  test("returns 404 for any other field", async () => {
    for (const field of ["constructor", "x"]) expect((await ask(field, {})).status).toBe(404);
  });
});

describe("GET /network/_generate_random_mac", () => {
  test("returns another local address each time, as JSON and in its field", async () => {
    const own = await browser(carol);
    const path = "/network/_generate_random_mac";
    const given = await Promise.all(
      [1, 2, 3].map(() => own.get(path, { headers: { accept: "*/*" } })),
    );
    const macs = given.map(({ body }) => body.data.mac);
    for (const mac of macs) expect(mac).toMatch(/^02:42:42(:[0-9a-f]{2}){3}$/);
    expect(new Set(macs).size).toBe(3);
    const { text } = await own.get(path, { headers: HTMX });
    expect(elements(text, "#mac input[name=mac]")[0]!.attributes.value).toMatch(/^02:42:42:/);
  });
});
