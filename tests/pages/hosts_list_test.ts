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
  carol,
  dave,
  inOrder,
} from "../support/mod.ts";

const LIST = "/network/hosts";

/** Three in one network, the last of them an IOC and virtual. */
async function someHosts(): Promise<any> {
  const network = await aNetwork();
  await inOrder(
    ["ws-01", "ws-02"].map((name) => () => aHost({ name, network: network.vlan_name })),
  );
  await aHost({ name: "ioc-01", device_type: "Virtual", is_ioc: true });
  return network;
}

async function names(path: string): Promise<string[]> {
  return texts((await (await browser(carol)).get(path)).text, "td a.open");
}

describe("GET /network/hosts", () => {
  test("shows the fields, addresses and names of a host", async () => {
    const { vlan_name, first_ip, domain } = await aNetwork();
    const other = await aNetwork();
    await anItem({ ics_id: "AAA001" });
    await aHost({
      name: "ws-01",
      network: vlan_name,
      mac: "024242000001",
      is_ioc: true,
      items: ["AAA001"],
      description: "Mine",
    });
    const second = await anInterface({ host: "ws-01", network: other.vlan_name, name: "a-first" });
    const { text } = await (await browser(carol)).get(LIST);
    const [row = ""] = texts(text, "tbody tr");
    expect(row).toStartWith(`ws-01.${domain}`);
    for (const said of ["IOC", "Physical", "02:42:42:00:00:01", "AAA001", "Mine"]) {
      expect(row).toContain(said);
    }
    expect(texts(text, "td[data-label=IPs] div")).toEqual([first_ip, second.ip]);
    expect(texts(text, "td[data-label=Networks] a")).toEqual([vlan_name, other.vlan_name]);
    const chosen = await (await browser(carol)).get(`${LIST}?cols=fqdn&cols=user`);
    expect(texts(chosen.text, "td")).toEqual([`ws-01.${domain}IOC`, `ws-01.${domain}`, "alice"]);
  });

  test("filters by network, type, flag, address and text, and sorts", async () => {
    const { vlan_name, first_ip } = await someHosts();
    expect(await names(`${LIST}?network=${vlan_name}`)).toEqual(["ws-01", "ws-02"]);
    expect(await names(`${LIST}?device_type=virtual`)).toEqual(["ioc-01"]);
    expect(await names(`${LIST}?is_ioc=false&sort=-name`)).toEqual(["ws-02", "ws-01"]);
    expect(await names(`${LIST}?ip=${first_ip}`)).toEqual(["ws-01"]);
    expect(await names(`${LIST}?q=ioc`)).toEqual(["ioc-01"]);
    const part = await (await browser(carol)).get(`${LIST}?q=ws`, { headers: HTMX });
    expect(part.text).toStartWith('<div id="list"');
    expect(texts(part.text, "[role=status]")).toEqual(["2 hosts"]);
  });

  test("shows no hidden host, nor a network of one", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "canary", network: vlan_name });
    await someHosts();
    const own = await browser(carol);
    for (const path of [LIST, `${LIST}?network=${vlan_name}`, `${LIST}?q=canary`]) {
      const { text } = await own.get(path);
      expect(texts(text, "td a.open"), path).not.toContain("canary");
      if (path === LIST) expect(text, path).not.toContain(vlan_name);
    }
    const suggested = await own.get("/network/_suggest/filters?q=");
    expect(suggested.text).not.toContain(vlan_name);
    expect((await own.get("/network/_suggest/constructor?q=")).status).toBe(404);
  });

  test("offers to register and to delete only to those who may", async () => {
    await someHosts();
    const { text } = await (await browser(carol)).get(LIST);
    expect(elements(text, "#bulk, input[name=id], a[href$='/create']")).toEqual([]);
    const all = await (await browser(dave)).get(LIST);
    expect(elements(all.text, "tbody input[name=id]")).toHaveLength(3);
  });
});

describe("POST /network/_retrieve_hosts", () => {
  test("returns the format of DataTables, and counts no hidden host", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "canary", network: vlan_name });
    await someHosts();
    const asked = {
      draw: "7",
      start: "0",
      length: "1",
      "search[value]": "ws",
      "order[0][column]": "0",
      "order[0][dir]": "desc",
    };
    const headers = { accept: "application/json" };
    const own = await browser(carol);
    const { body } = await own.submit("/network/_retrieve_hosts", asked, { headers });
    expect(body).toMatchObject({ draw: 7, recordsTotal: 3, recordsFiltered: 2 });
    expect(body.data.map(({ name }: any) => name)).toEqual(["ws-02"]);
    const astride = { start: "1", length: "2", "order[0][column]": "0" };
    const rest = await own.submit("/network/_retrieve_hosts", astride, { headers });
    expect(rest.body.data.map(({ name }: any) => name)).toEqual(["ws-01", "ws-02"]);
    const part = await own.submit("/network/_retrieve_hosts", asked, { headers: HTMX });
    expect(texts(part.text, "td a.open")).toEqual(["ws-02"]);
  });
});

describe("POST /network/hosts/_bulk", () => {
  test("shows what is deleted, asks for the number, and deletes the caller's own hosts", async () => {
    const { vlan_name } = await aNetwork();
    const mine: number[] = [];
    for (const name of ["ws-01", "ws-02"]) {
      const given = { name, device_type: "Virtual", network: vlan_name };
      mine.push((await api(dave).post("/network/hosts", given)).body.id);
    }
    const other = await aHost({ name: "other" });
    const own = await browser(dave);
    const send = (more: Record<string, string>) =>
      own.submit("/network/hosts/_bulk", [
        ...[...mine, other.id].map((id) => ["id", String(id)]),
        ...Object.entries(more),
      ] as any);
    const asked = await send({});
    expect(texts(asked.text, "h1, .losses li, .note.warn")).toEqual([
      "Delete 2 hosts: ws-01, ws-02?",
      "2 interfaces will be deleted",
      "2 addresses will be free",
      "Not deleted, as you are not their creator: other",
    ]);
    const seen = elements(asked.text, "input[name=seen]")[0]!.attributes.value!;
    expect((await send({ seen, typed: "no" })).status).toBe(422);
    expect((await send({ seen, typed: "2 hosts" })).status).toBe(303);
    const { body } = await api(alice).get("/network/hosts");
    expect(body.map(({ name }: any) => name)).toEqual(["other"]);
    expect((await send({})).status).toBe(403);
    expect((await own.submit("/network/hosts/_bulk", {})).status).toBe(422);
  });
});

describe("POST /network/hosts/_gather", () => {
  test("adds the selected hosts to a group and removes them, and keeps the others", async () => {
    await aHost({ name: "other" });
    const hosts = await inOrder(["ws-01", "ws-02"].map((name) => () => aHost({ name })));
    await api(alice).post("/network/groups", { name: "vacuum", hosts: ["other", "ws-01"] });
    const own = await browser(dave);
    const send = (more: Record<string, string>) =>
      own.submit("/network/hosts/_gather", [
        ...hosts.map(({ id }) => ["id", String(id)]),
        ...Object.entries(more),
      ] as any);
    const members = async () => (await api(alice).get("/network/groups")).body[0].hosts;
    expect(texts((await send({})).text, ".losses li")).toEqual(["ws-01", "ws-02"]);
    expect((await send({ deed: "join", group: "Vacuum" })).status).toBe(303);
    expect(await members()).toEqual(["other", "ws-01", "ws-02"]);
    await send({ deed: "leave", group: "vacuum" });
    expect(await members()).toEqual(["other"]);
    const wrong = await send({ deed: "join", group: "none" });
    expect([wrong.status, ...texts(wrong.text, "p.error")]).toEqual([
      422,
      'There is no group "none"',
    ]);
  });
});
