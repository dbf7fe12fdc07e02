import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aCname,
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

const DELETE = "/network/hosts/delete";

async function counts(): Promise<Record<string, number>> {
  const paths = ["hosts", "interfaces", "cnames"];
  const totals = await Promise.all(paths.map((one) => api(alice).get(`/network/${one}`)));
  return Object.fromEntries(
    paths.map((path, at) => [path, Number(totals[at]!.headers.get("x-total-count"))]),
  );
}

async function aHostWithAll(): Promise<any> {
  const networks = await inOrder([aNetwork, aNetwork]);
  const host = await aHost({ name: "ws-01" });
  for (const { vlan_name } of networks) {
    const { id } = await anInterface({ host: "ws-01", network: vlan_name });
    await aCname({ interface_id: id });
  }
  await anItem({ ics_id: "AAA001", host_id: host.id });
  await anInterface();
  return host;
}

describe("POST /network/hosts/delete", () => {
  test("shows what is deleted with the host, asks for the name, and deletes exactly that", async () => {
    const host = await aHostWithAll();
    const before = await counts();
    const own = await browser(alice);
    const id = String(host.id);
    const asked = await own.submit(DELETE, { id });
    expect([asked.status, ...texts(asked.text, "h1, .losses li")]).toEqual([
      200,
      "Delete host ws-01?",
      "2 interfaces will be deleted",
      "2 cnames will be deleted",
      "2 addresses will be free",
      "1 item will have no host",
    ]);
    const seen = elements(asked.text, "input[name=seen]")[0]!.attributes.value!;
    const wrong = await own.submit(DELETE, { id, seen, typed: "ws-02", confirmed: "true" });
    expect([wrong.status, ...texts(wrong.text, "p.error")]).toEqual([
      422,
      "Type ws-01 to delete it",
    ]);
    expect(await counts()).toEqual(before);
    const { status, headers } = await own.submit(DELETE, { id, seen, typed: "ws-01" });
    expect([status, headers.get("location")]).toEqual([303, "/network/hosts"]);
    expect(await counts()).toEqual({
      hosts: before.hosts! - 1,
      interfaces: before.interfaces! - 2,
      cnames: before.cnames! - 2,
    });
    expect((await api(alice).get("/inventory/items/AAA001")).body.host).toBe(null);
  });

  test("asks again where more would be deleted by now", async () => {
    const host = await aHostWithAll();
    const own = await browser(alice);
    const id = String(host.id);
    const asked = await own.submit(DELETE, { id });
    const seen = elements(asked.text, "input[name=seen]")[0]!.attributes.value!;
    await anInterface({ host: "ws-01" });
    const late = await own.submit(DELETE, { id, seen, typed: "ws-01" });
    expect([late.status, ...texts(late.text, "p.error, .losses li").slice(0, 1)]).toEqual([
      422,
      "3 interfaces will be deleted",
    ]);
    expect((await api(alice).get(`/network/hosts/${id}`)).status).toBe(200);
  });

  test("is allowed for the author and admins, and returns 404 for a hidden host", async () => {
    const { body: mine } = await api(dave).post("/network/hosts", {
      name: "mine",
      device_type: "Virtual",
    });
    const other = await aHost();
    const { vlan_name } = await aNetwork({ sensitive: true });
    const canary = await aHost({ network: vlan_name });
    const own = await browser(dave);
    const confirm = (id: number) => own.submit(DELETE, { id: String(id), confirmed: "true" });
    expect((await confirm(other.id)).status).toBe(403);
    expect((await confirm(canary.id)).status).toBe(404);
    expect((await own.submit(DELETE, { id: "x" })).status).toBe(404);
    expect((await own.submit(DELETE, { id: String(mine.id) })).status).toBe(200);
    expect((await confirm(mine.id)).status).toBe(303);
    expect((await (await browser(carol)).submit(DELETE, { id: "1" })).status).toBe(403);
  });
});
