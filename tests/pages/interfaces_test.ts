import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aCname, aHost, alice, aNetwork, anInterface, api, carol, dave } from "../support/mod.ts";

const CREATE = "/network/interfaces/create/ws-01";
const EDIT = "/network/interfaces/edit/ws-01";
const DELETE = "/network/interfaces/delete";

async function interfacesOf(host: string): Promise<any[]> {
  return (await api(alice).get(`/network/interfaces?host=${host}&sort=name`)).body;
}

/** The fields of the unchanged form, as a browser sends them. */
function fieldsOf(html: string): Record<string, string> {
  const inputs = elements(html, "form.host input[name]");
  const pairs = inputs.map(({ attributes }) => [attributes.name, attributes.value ?? ""]);
  const chosen = elements(html, "form.host option[selected]")[0]?.attributes.value ?? "";
  return { ...Object.fromEntries(pairs), network: chosen, description: "" };
}

describe("POST /network/interfaces/create/(hostname)", () => {
  test("proposes the first and the next name, and assigns a free address and cnames", async () => {
    const { vlan_name, domain, first_ip } = await aNetwork();
    await aHost({ name: "ws-01" });
    const own = await browser(dave);
    const form = await own.get(`${CREATE}?network=${vlan_name}`);
    const fields = fieldsOf(form.text);
    expect(fields).toMatchObject({ name: "ws-01", ip: first_ip, network: vlan_name });
    const { status, headers } = await own.submit(CREATE, { ...fields, cnames: "www\r\nftp.x.org" });
    expect([status, headers.get("location")]).toEqual([303, "/network/hosts/view/ws-01"]);
    expect(await interfacesOf("ws-01")).toMatchObject([
      { name: "ws-01", ip: first_ip, cnames: ["ftp.x.org", `www.${domain}`] },
    ]);
    const next = fieldsOf((await own.get(CREATE)).text);
    expect(next).toMatchObject({ name: "ws-01-2", ip: "" });
  });

  test("creates nothing where one of its cnames is in use", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "ws-01" });
    const { name: host } = await aHost();
    await anInterface({ network: vlan_name, host, name: "taken" });
    const own = await browser(dave);
    const fields = { network: vlan_name, name: "ws-01", cnames: "www taken" };
    const { status, text } = await own.submit(CREATE, fields);
    expect([status, ...texts(text, "#error-field-cnames")]).toEqual([
      422,
      `This name is not available: the host ${host} has it`,
    ]);
    expect(texts(text, "textarea[name=cnames]")).toEqual(["www taken"]);
    const strange = await own.submit(CREATE, { ...fields, cnames: "a_b" });
    expect(texts(strange.text, "#error-field-cnames")).toEqual([
      expect.stringContaining("a_b: Use labels of a-z"),
    ]);
    expect(await interfacesOf("ws-01")).toEqual([]);
  });

  test("answers an address in use with the next free one", async () => {
    const { vlan_name, first_ip } = await aNetwork();
    await aHost({ name: "ws-01" });
    await anInterface({ network: vlan_name, ip: first_ip });
    const fields = { network: vlan_name, name: "ws-01", ip: first_ip };
    const own = await browser(dave);
    const { status, text } = await own.submit(CREATE, fields);
    expect(status).toBe(422);
    const { ip } = fieldsOf(text);
    expect(ip).toBe(first_ip.replace(/\.1$/, ".2"));
    expect((await own.submit(CREATE, { ...fields, ip: ip! })).status).toBe(303);
  });

  test("refuses a hidden host, a hidden network and readers", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "canary", network: vlan_name });
    await aHost({ name: "ws-01" });
    const own = await browser(dave);
    expect((await own.get("/network/interfaces/create/canary")).status).toBe(404);
    expect((await own.get("/network/interfaces/create/nobody")).status).toBe(404);
    expect((await own.get("/network/interfaces/edit/canary")).status).toBe(404);
    const { text } = await own.submit(CREATE, { network: vlan_name, name: "ws-01" });
    expect(texts(text, "p.error")).toEqual([`There is no network "${vlan_name}"`]);
    expect((await (await browser(carol)).get(CREATE)).status).toBe(403);
  });
});

describe("POST /network/interfaces/edit/(name)", () => {
  test("moves it with the first free address of the new network, and a hint on DNS", async () => {
    const [from, to] = [await aNetwork(), await aNetwork()];
    await aHost({ name: "ws-01", network: from.vlan_name, mac: "024242000001" });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    expect(fields).toMatchObject({ network: from.vlan_name, mac: "02:42:42:00:00:01" });
    const [{ id }] = await interfacesOf("ws-01");
    const moved = await own.submit(
      `/network/_validate/network?interface=${id}`,
      { ...fields, network: to.vlan_name },
      { headers: HTMX },
    );
    expect(fieldsOf(`<form class="host">${moved.text}</form>`).ip).toBe(to.first_ip);
    expect(texts(moved.text, ".note")).toEqual([
      `In DNS ws-01.${from.domain} becomes ws-01.${to.domain}. Cnames keep their full names.`,
    ]);
    await own.submit(EDIT, { ...fields, network: to.vlan_name, ip: "" });
    expect(await interfacesOf("ws-01")).toMatchObject([
      { network: to.vlan_name, ip: to.first_ip, mac: "02:42:42:00:00:01" },
    ]);
    const { text } = await own.get("/network/hosts/view/ws-01");
    expect(texts(text, "#toasts .toast p")).toEqual([
      "Saved ws-01: network and IP address changed",
    ]);
  });

  test("redirects from a former name, and accepts a form that was opened under it", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "ws-01", network: vlan_name });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const [{ id }] = await interfacesOf("ws-01");
    await api(alice).patch(`/network/interfaces/${id}`, { name: "ws-01-a" });
    const led = await own.get(EDIT);
    expect([led.status, led.headers.get("location")]).toEqual([303, `${EDIT}-a`]);
    const late = await own.submit(EDIT, { ...fields, description: "Mine" });
    expect([late.status, ...texts(late.text, "textarea[name=description]")]).toEqual([412, "Mine"]);
    expect(elements(late.text, "form.sheet")[0]!.attributes.action).toBe(`${EDIT}-a`);
  });

  test("returns 404 on a hidden host, by its name and by its former name", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "ws-01", network: vlan_name });
    const [{ id }] = await interfacesOf("ws-01");
    await api(alice).patch(`/network/interfaces/${id}`, { name: "vault" });
    const own = await browser(dave);
    for (const name of ["ws-01", "vault", "nothing"]) {
      const { status } = await own.get(`/network/interfaces/edit/${name}`);
      expect([name, status]).toEqual([name, 404]);
    }
  });

  test("changes nothing where nothing was edited", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "ws-01", network: vlan_name });
    const own = await browser(dave);
    expect((await own.submit(EDIT, fieldsOf((await own.get(EDIT)).text))).status).toBe(303);
    expect((await interfacesOf("ws-01"))[0].user).toBe("alice");
  });

  test("shows your, their and the former values after a conflict", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "ws-01", network: vlan_name });
    const own = await browser(dave);
    const fields = fieldsOf((await own.get(EDIT)).text);
    const [{ id, ip }] = await interfacesOf("ws-01");
    await api(alice).patch(`/network/interfaces/${id}`, { mac: "024242000009" });
    const late = await own.submit(EDIT, { ...fields, description: "Mine" });
    expect([late.status, ...texts(late.text, ".note.warn tbody th")]).toEqual([
      412,
      "MAC address",
      "Description",
    ]);
    expect(texts(late.text, "textarea[name=description]")).toEqual(["Mine"]);
    expect(fieldsOf(late.text)).toMatchObject({ ip, mac: "02:42:42:00:00:09" });
    await own.submit(EDIT, { ...fieldsOf(late.text), description: "Mine" });
    expect(await interfacesOf("ws-01")).toMatchObject([
      { mac: "02:42:42:00:00:09", description: "Mine" },
    ]);
  });
});

describe("POST /network/interfaces/delete", () => {
  test("shows what is deleted with it, and asks for the name where that is more", async () => {
    await aHost({ name: "ws-01" });
    const { id, ip } = await anInterface({ host: "ws-01", name: "ws-01" });
    await aCname({ interface_id: id });
    const own = await browser(alice);
    const asked = await own.submit(DELETE, { id: String(id), confirmed: "true" });
    expect(texts(asked.text, "h1, .losses li")).toEqual([
      `Delete interface ws-01 at ${ip}?`,
      "1 cname will be deleted",
      "1 address will be free",
    ]);
    const seen = elements(asked.text, "input[name=seen]")[0]!.attributes.value!;
    expect((await own.submit(DELETE, { id: String(id), seen, typed: "ws-01" })).status).toBe(303);
    expect(await interfacesOf("ws-01")).toEqual([]);
    expect((await api(alice).get("/network/cnames")).body).toEqual([]);
  });

  test("is allowed for the author and admins", async () => {
    const { id } = await anInterface();
    const { vlan_name } = await aNetwork();
    await api(dave).post("/network/hosts", {
      name: "ws-01",
      device_type: "Virtual",
      network: vlan_name,
    });
    const [{ id: mine }] = await interfacesOf("ws-01");
    const own = await browser(dave);
    const confirm = (key: number) => own.submit(DELETE, { id: String(key), confirmed: "true" });
    expect((await confirm(id)).status).toBe(403);
    expect((await confirm(mine)).status).toBe(303);
    expect((await confirm(mine)).status).toBe(404);
  });
});
