import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aHost, alice, aNetwork, anItem, api, carol, dave } from "../support/mod.ts";

const EDIT = "/network/hosts/edit/ws-01";

async function recordOf(id: number): Promise<any> {
  return (await api(alice).get(`/network/hosts/${id}`)).body;
}

/** The fields of the unchanged form, as a browser sends them. */
function fieldsOf(html: string): Array<[string, string]> {
  const inputs = elements(html, "form.host input[name]:not([type=checkbox])");
  const chosen = elements(html, "form.host option[selected]")[0]!.attributes.value!;
  const isIoc = elements(html, "form.host input[name=is_ioc][checked]").length > 0;
  const areas = ["description", "automation_vars"].map(
    (name) => [name, areaOf(html, name)] as [string, string],
  );
  return [
    ...inputs.map(
      ({ attributes }) => [attributes.name!, attributes.value ?? ""] as [string, string],
    ),
    ["device_type", chosen],
    ...(isIoc ? [["is_ioc", "true"] as [string, string]] : []),
    ...areas,
  ];
}

/** The text with the line ends of browsers. */
function areaOf(html: string, name: string): string {
  const [, text = ""] = new RegExp(`<textarea[^>]*name="${name}"[^>]*>([^<]*)`).exec(html) ?? [];
  return text.replaceAll("&quot;", '"').replaceAll("\n", "\r\n");
}

function withThese(fields: Array<[string, string]>, other: Record<string, string>): any {
  return [...fields.filter(([name]) => !(name in other)), ...Object.entries(other)];
}

async function aGroup(name: string): Promise<void> {
  await api(alice).post("/network/groups", { name });
}

describe("POST /network/hosts/edit/(name)", () => {
  test("changes the edited fields, and nothing where nothing was edited", async () => {
    await anItem({ ics_id: "AAA001" });
    const host = await aHost({
      name: "ws-01",
      is_ioc: true,
      description: "One\nTwo",
      items: ["AAA001"],
      automation_vars: { port: 1, deep: { a: [1] } },
    });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const same = await own.submit(EDIT, fields as any);
    expect(same.status).toBe(303);
    expect((await recordOf(host.id)).user).toBe("alice");
    await own.submit(EDIT, withThese(fields, { is_ioc: "false", automation_vars: "" }));
    expect(await recordOf(host.id)).toMatchObject({
      is_ioc: false,
      description: "One\nTwo",
      items: ["AAA001"],
      automation_vars: {},
      user: "dave",
    });
    const { text } = await own.get("/network/hosts/view/ws-01");
    expect(texts(text, "#toasts .toast p")).toEqual(["Saved ws-01: IOC and variables changed"]);
  });

  test("renames it and its main interface, and continues under the new name", async () => {
    const { vlan_name, domain } = await aNetwork();
    const host = await aHost({ name: "ws-01", network: vlan_name });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const { headers } = await own.submit(EDIT, withThese(fields, { name: "WS-02" }));
    expect(headers.get("location")).toBe("/network/hosts/view/ws-02");
    expect(await recordOf(host.id)).toMatchObject({
      fqdn: `ws-02.${domain}`,
      interfaces: ["ws-02"],
    });
    const led = await own.get(EDIT);
    expect([led.status, led.headers.get("location")]).toEqual([303, "/network/hosts/edit/ws-02"]);
    const late = await own.submit(EDIT, withThese(fields, { description: "Mine" }));
    expect([late.status, texts(late.text, "textarea[name=description]")]).toEqual([412, ["Mine"]]);
  });

  test("keeps concurrent additions to its groups and items", async () => {
    await Promise.all(["cryo", "iocs", "vacuum"].map(aGroup));
    await anItem({ ics_id: "AAA001" });
    const host = await aHost({ name: "ws-01", automation_groups: ["cryo", "iocs"] });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const group = (await api(alice).get("/network/groups?name=vacuum")).body[0];
    await api(alice).patch(`/network/groups/${group.id}`, { hosts: ["ws-01"] });
    await api(alice).patch("/inventory/items/AAA001", { host_id: host.id });
    const kept = fields.filter(([name, text]) => name !== "automation_groups" || text !== "iocs");
    const { status } = await own.submit(EDIT, withThese(kept, { description: "x" }));
    expect(status).toBe(303);
    expect(await recordOf(host.id)).toMatchObject({
      automation_groups: ["cryo", "vacuum"],
      items: ["AAA001"],
      description: "x",
    });
  });

  test("shows your, their and the former values after a conflict, and overwrites nothing", async () => {
    const host = await aHost({ name: "ws-01", description: "Old\nText" });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    await api(alice).patch(`/network/hosts/${host.id}`, { device_type: "Virtual" });
    const late = await own.submit(EDIT, withThese(fields, { automation_vars: '{"a":1}' }));
    expect(late.status).toBe(412);
    expect(texts(late.text, ".note.warn tbody tr")).toEqual([
      "Device typePhysicalVirtualPhysical",
      'Variables{"a":1}',
    ]);
    expect(await recordOf(host.id)).toMatchObject({ automation_vars: {} });
    const merged = fieldsOf(late.text);
    expect(Object.fromEntries(merged)).toMatchObject({
      device_type: "Virtual",
      automation_vars: '{"a":1}',
    });
    expect((await own.submit(EDIT, merged as any)).status).toBe(303);
    expect(await recordOf(host.id)).toMatchObject({
      device_type: "Virtual",
      automation_vars: { a: 1 },
      description: "Old\nText",
    });
  });

  test("shows a refused form with its input, and is allowed for editors only", async () => {
    const { vlan_name } = await aNetwork({ admin_only: true });
    await aHost({ name: "ws-01" });
    await aHost({ name: "taken", network: vlan_name });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const wrong = withThese(fields, { name: "taken", description: "Mine" });
    const { status, text } = await own.submit(EDIT, wrong);
    expect([status, ...texts(text, "p.error")]).toEqual([
      422,
      "This name is not available: the host taken has it",
    ]);
    expect(areaOf(text, "description")).toBe("Mine");
    expect((await (await browser(carol)).get(EDIT)).status).toBe(403);
    const reserved = await own.submit("/network/hosts/edit/taken", { description: "x" });
    expect(reserved.status).toBe(403);
    expect((await own.get("/network/hosts/edit/nobody")).status).toBe(404);
  });
});
