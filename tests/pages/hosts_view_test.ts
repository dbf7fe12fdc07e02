import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aCname,
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  audrey,
  carol,
  dave,
  type Person,
} from "../support/mod.ts";
import { latest } from "../support/undo.ts";

const VIEW = "/network/hosts/view";
const MISSING = `${VIEW}/nobody`;

async function aGroup(name: string): Promise<void> {
  await api(alice).post("/network/groups", { name });
}

/** Registered by dave, who may therefore delete it. */
async function made(fields: object): Promise<any> {
  return (await api(dave).post("/network/hosts", { device_type: "Physical", ...fields })).body;
}

async function recordOf(id: number): Promise<any> {
  return (await api(alice).get(`/network/hosts/${id}`)).body;
}

function plain(text: string): string {
  return text.replaceAll("&quot;", '"');
}

/** Without the parts that differ in each response. */
function bare(html: string): string {
  return html.replace(/[0-9a-f]{32}/g, "").replaceAll(/nobody|canary|seen/g, "");
}

describe("GET /network/hosts/view/(name)", () => {
  test("shows addresses, names, items and snippets", async () => {
    const { vlan_name, domain, first_ip } = await aNetwork();
    const host = await aHost({
      name: "ws-01",
      network: vlan_name,
      mac: "024242000001",
      device_type: "Network",
    });
    await anItem({ ics_id: "AAA001", host_id: host.id, stack_member: 3 });
    const [{ id }] = (await api(alice).get("/network/interfaces?host=ws-01")).body;
    await aCname({ name: "www", interface_id: id });
    const { text } = await (await browser(carol)).get(`${VIEW}/ws-01`);
    expect(texts(text, ".lead .mono")).toEqual([`ws-01.${domain}`]);
    const [row] = texts(text, "tbody tr");
    for (const said of ["ws-01 main", first_ip, "02:42:42:00:00:01", vlan_name, `www.${domain}`]) {
      expect(row).toContain(said);
    }
    expect(texts(text, "#host .plain li")).toEqual(["AAA001 stack member 3"]);
    const reversed = first_ip.split(".").toReversed().join(".");
    expect(texts(text, ".snippets code").map(plain)).toEqual([
      `ssh ws-01.${domain}`,
      `# host_vars/ws-01.${domain}.yml { "ansible_host": "${first_ip}" }`,
      `ws-01.${domain}. IN A ${first_ip} ${reversed}.in-addr.arpa. IN PTR ws-01.${domain}. ` +
        `www.${domain}. IN CNAME ws-01.${domain}.`,
      `{ "hw-address": "02:42:42:00:00:01", "ip-address": "${first_ip}", "hostname": "ws-01" }`,
      `dhcp-host=02:42:42:00:00:01,${first_ip},ws-01`,
    ]);
    expect(elements(text, "main form:not(.watch)")).toEqual([]);
  });

  test("shows its history and that of its interfaces", async () => {
    const { vlan_name } = await aNetwork();
    const host = await aHost({ name: "ws-01", network: vlan_name });
    await api(dave).patch(`/network/hosts/${host.id}`, { description: "Mine" });
    const { text } = await (await browser(carol)).get(`${VIEW}/ws-01`);
    const timeline = texts(text, ".timeline > li").join(" ");
    for (const said of ["dave changed this host", "Mine", "alice added this host", vlan_name]) {
      expect(timeline).toContain(said);
    }
  });

  test("returns 404 where the host is hidden", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    const host = await aHost({ name: "canary", network: vlan_name });
    const own = await browser(dave);
    const [hidden, missing] = [await own.get(`${VIEW}/canary`), await own.get(MISSING)];
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(bare(hidden.text)).toBe(bare(missing.text));
    const act = { action: "describe", description: "x" };
    expect((await own.submit(`${VIEW}/canary`, act)).status).toBe(404);
    expect((await (await browser(audrey)).get(`${VIEW}/canary`)).status).toBe(200);
    expect((await recordOf(host.id)).description).toBe(null);
  });

  test("says who deleted it, with the change, to those who may know", async () => {
    const { vlan_name } = await aNetwork();
    const { id } = await aHost({ name: "seen", network: vlan_name });
    await api(dave).patch(`/network/hosts/${id}`, { name: "seen-2" });
    await api(alice).delete(`/network/hosts/${id}`);
    const own = await browser(carol);
    const change = `/changes/${await latest()}`;
    const told = async (path: string) => {
      const { status, text } = await own.get(path);
      const links = elements(text, "main p a:not(.button)").map(
        ({ attributes }) => attributes.href,
      );
      return [status, texts(text, "main p:not(.code, .buttons)")[0], links];
    };
    const deleted = [
      404,
      expect.stringMatching(/^alice deleted host seen-2, .*Show the change$/),
      [change],
    ];
    expect(await told(`${VIEW}/seen-2`)).toEqual(deleted);
    expect(await told(`${VIEW}/SEEN-2`)).toEqual(deleted);
    const { text } = await own.get(`${VIEW}/seen-2`, { headers: HTMX });
    expect(text).not.toContain("alice deleted");
    const edit = await (await browser(dave)).get("/network/hosts/edit/seen-2");
    expect([edit.status, edit.text.includes("alice deleted host")]).toEqual([404, true]);
    // Whether a hidden host has the name now, or had it, cannot be seen.
    const hiding = await aNetwork({ sensitive: true });
    const canary = await aHost({ name: "seen-2", network: hiding.vlan_name });
    expect(await told(`${VIEW}/seen-2`)).toEqual(deleted);
    await api(alice).patch(`/network/hosts/${canary.id}`, { name: "canary" });
    expect(await told(`${VIEW}/seen-2`)).toEqual(deleted);
  });

  test("says nothing of the deletion of a hidden host", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    const { id } = await aHost({ name: "canary", network: vlan_name });
    await api(alice).delete(`/network/hosts/${id}`);
    const own = await browser(dave);
    const [hidden, missing] = [await own.get(`${VIEW}/canary`), await own.get(MISSING)];
    expect([hidden.status, bare(hidden.text)]).toEqual([404, bare(missing.text)]);
    const { status, text } = await (await browser(audrey)).get(`${VIEW}/canary`);
    expect([status, text.includes("alice deleted host canary")]).toEqual([404, true]);
  });

  test("names another visible host that has its MAC address, and marks a host that only admins change", async () => {
    const mac = "02:42:42:00:00:07";
    const [one, other, secret] = await Promise.all([
      aNetwork({ admin_only: true }),
      aNetwork(),
      aNetwork({ sensitive: true }),
    ]);
    await aHost({ name: "crate", network: one.vlan_name, mac });
    const own = await browser(carol);
    const marksOf = async (name: string) =>
      texts((await own.get(`${VIEW}/${name}`)).text, "main .tag.warn");
    await aHost({ name: "hidden", network: secret.vlan_name, mac });
    expect(await marksOf("crate")).toEqual(["admins only"]);
    await aHost({ name: "copy", network: other.vlan_name, mac });
    expect(await marksOf("crate")).toEqual(["admins only", "also on copy"]);
    expect(await marksOf("copy")).toEqual(["also on crate"]);
  });

  test("redirects from a former name, unless the host is hidden or the name is used by another", async () => {
    const { vlan_name } = await aNetwork();
    const host = await aHost({ name: "seen", network: vlan_name });
    const own = await browser(carol);
    await api(alice).patch(`/network/hosts/${host.id}`, { name: "seen-2" });
    await api(alice).patch(`/network/hosts/${host.id}`, { name: "seen-3" });
    for (const name of ["seen", "SEEN", "seen-2", "Seen-3"]) {
      const { status, headers } = await own.get(`${VIEW}/${name}`);
      expect([status, headers.get("location")], name).toEqual([303, `${VIEW}/seen-3`]);
    }
    await aHost({ name: "seen-2" });
    expect((await own.get(`${VIEW}/seen-2`)).status).toBe(200);
    const hiding = await aNetwork({ sensitive: true });
    await anInterface({ host: "seen-3", network: hiding.vlan_name });
    const [gone, missing] = [await own.get(`${VIEW}/seen`), await own.get(MISSING)];
    expect([gone.status, bare(gone.text)]).toEqual([404, bare(missing.text)]);
  });

  test("of a host without items leads those who may change it to where they are chosen", async () => {
    await aHost({ name: "ws-01" });
    const none = async (person: Person) =>
      texts((await (await browser(person)).get(`${VIEW}/ws-01`)).text, "#host p.muted")[0];
    expect(await none(dave)).toBe("No items yet: choose them");
    expect(await none(carol)).toBe("No items yet");
  });

  test("offers only the actions that the caller may take", async () => {
    const { vlan_name } = await aNetwork({ admin_only: true });
    const host = await aHost({ name: "ws-01", network: vlan_name });
    const own = await browser(dave);
    const { text } = await own.get(`${VIEW}/ws-01`);
    expect(elements(text, "main form:not(.watch), a[href*='/edit/']")).toEqual([]);
    const { status } = await own.submit(`${VIEW}/ws-01`, { action: "describe", description: "x" });
    expect(status).toBe(403);
    expect((await recordOf(host.id)).description).toBe(null);
    const all = await (await browser(alice)).get(`${VIEW}/ws-01`);
    expect(elements(all.text, ".actions a[href='/network/hosts/edit/ws-01']")).toHaveLength(1);
  });
});

describe("POST /network/hosts/view/(name)", () => {
  test("changes the description in place, and does not overwrite a concurrent change", async () => {
    const host = await made({ name: "ws-01" });
    const own = await browser(dave);
    const page = await own.get(`${VIEW}/ws-01`);
    const version = elements(page.text, "input[name=version]")[0]!.attributes.value!;
    const act = { action: "describe", description: "Mine", version };
    expect((await own.submit(`${VIEW}/ws-01`, act)).status).toBe(303);
    expect((await recordOf(host.id)).description).toBe("Mine");
    const late = await own.submit(`${VIEW}/ws-01`, { ...act, description: "Late" });
    expect(late.status).toBe(412);
    expect(texts(late.text, "details[open] textarea")).toEqual(["Late"]);
    expect((await recordOf(host.id)).description).toBe("Mine");
  });

  test("adds it to a group and removes it", async () => {
    await Promise.all([aGroup("vacuum"), aGroup("cryo")]);
    const host = await made({ name: "ws-01", automation_groups: ["cryo"] });
    const own = await browser(dave);
    const path = `${VIEW}/ws-01`;
    await own.submit(path, { action: "join_group", automation_groups: "Vacuum" });
    expect((await recordOf(host.id)).automation_groups).toEqual(["cryo", "vacuum"]);
    const { text } = await own.submit(
      path,
      { action: "leave_group", group: "cryo" },
      { headers: HTMX },
    );
    expect(texts(text, "#host .chips .name")).toEqual(["vacuum"]);
    expect((await recordOf(host.id)).automation_groups).toEqual(["vacuum"]);
    const wrong = await own.submit(path, { action: "join_group", automation_groups: "none" });
    expect([wrong.status, ...texts(wrong.text, "p.error")]).toEqual([
      422,
      'There is no group "none"',
    ]);
  });

  test("adds a cname and deletes it", async () => {
    const { vlan_name, domain } = await aNetwork();
    await made({ name: "ws-01", network: vlan_name });
    const own = await browser(dave);
    const path = `${VIEW}/ws-01`;
    const page = await own.get(path);
    const shown = elements(page.text, "input[name=interface]")[0]!.attributes.value!;
    const add = { action: "add_cname", interface: shown, name: "www" };
    const added = await own.submit(path, add, { headers: HTMX });
    expect(texts(added.text, "tbody .named")).toEqual([`www.${domain}`]);
    const twice = await own.submit(path, add, { headers: HTMX });
    expect([twice.status, ...texts(twice.text, "details[open] p.error")]).toEqual([
      422,
      "This name is not available: the host ws-01 has it",
    ]);
    const cname = elements(added.text, "input[name=cname]")[0]!.attributes.value!;
    const gone = await own.submit(path, { action: "remove_cname", cname }, { headers: HTMX });
    expect(texts(gone.text, "tbody .named")).toEqual([]);
    expect((await own.submit(path, { action: "constructor" })).status).toBe(422);
    expect((await own.submit(path, { action: "remove_cname", cname: "x" })).status).toBe(404);
  });
});
