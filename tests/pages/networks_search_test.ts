// The box above the list of networks.
import { describe, expect, test } from "bun:test";
import { browser, correctionsOn } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { aNetwork, api, aScope, carol } from "../support/mod.ts";

const LIST = "/network/networks";
const BENCH = {
  vlan_name: "Bench",
  address: "10.8.0.0/28",
  first_ip: "10.8.0.2",
  last_ip: "10.8.0.12",
  gateway: "10.8.0.14",
};

describe("the search box of the networks", () => {
  test("finds by VLAN, by an address inside, and by similar names", async () => {
    const { name: scope } = await aScope({ name: "Laboratory", supernet: "10.8.0.0/13" });
    await aNetwork({ ...BENCH, scope, vlan_id: 310 });
    await aNetwork({ vlan_name: "Vault", scope, sensitive: true });
    const own = await browser(carol);
    const at = (q: string) => `${LIST}?q=${encodeURIComponent(q)}`;
    const shown = async (q: string) => texts((await own.get(at(q))).text, "td a.open");
    for (const q of [
      "310",
      "vlan 310",
      "VLAN310",
      "vlan:310",
      "10.8.0.5",
      "10.8.0.5/28",
      "10.8.0.0/16",
      "address:10.8.0.5",
    ]) {
      expect([q, await shown(q)]).toEqual([q, ["Bench"]]);
    }
    expect(await shown("10.8.1.5")).toEqual([]);
    const offered = async (q: string) => texts((await own.get(at(q))).text, ".empty p a");
    expect(await correctionsOn(own, at("Bnech"))).toContain("Did you mean bench?");
    expect(await offered("Vualt")).toEqual([]);
    const { text } = await own.get(at("Gatewya:10.8.0.14"));
    expect(texts(text, "#list .hint a")).toEqual(["gateway:10.8.0.14"]);
    const { body } = await api(carol).get("/network/networks?q=10.8.0.5");
    expect(body).toHaveLength(1);
  });
});
