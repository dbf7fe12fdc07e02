// GET /network/interfaces: the list of interfaces.
import { describe, expect, test } from "bun:test";
import { browser, correctionsOn, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aCname, aHost, alice, aNetwork, api, carol, dave } from "../support/mod.ts";

const LIST = "/network/interfaces";

async function someInterfaces() {
  const { vlan_name } = await aNetwork({ vlan_name: "Bench" });
  await aNetwork({ vlan_name: "Vault", sensitive: true });
  await aHost({ name: "crate", network: vlan_name, mac: "0a:27:09:00:00:01" });
  await aHost({ name: "web", network: vlan_name });
  await aHost({ name: "safe", network: "Vault" });
  const { body } = await api(alice).get("/network/interfaces?name=web");
  await aCname({ name: "www", interface_id: body[0].id });
}

function at(q: string): string {
  return `${LIST}?q=${encodeURIComponent(q)}`;
}

describe("GET /network/interfaces", () => {
  test("shows interfaces with their hosts and networks, except for hidden ones", async () => {
    await someInterfaces();
    const own = await browser(carol);
    const { status, text } = await own.get(LIST);
    expect(status).toBe(200);
    expect(texts(text, "td a.open")).toEqual(["crate", "web"]);
    expect(texts(text, "#list [role=status]")).toEqual(["2 interfaces"]);
    expect(text).not.toContain("safe");
    expect(elements(text, "nav.sections a[aria-current]")[0]!.attributes.href).toBe(LIST);
    const [first] = elements(text, "td a.open");
    expect(first!.attributes.href).toMatch(/^\/network\/hosts\/view\/crate#interface-\d+$/);
    const seen = await (await browser(alice)).get(LIST);
    expect(texts(seen.text, "td a.open")).toEqual(["crate", "web", "safe"]);
  });

  test("is searched, filtered, sorted and shown by columns like other lists", async () => {
    await someInterfaces();
    const own = await browser(carol);
    const shown = async (address: string) => texts((await own.get(address)).text, "td a.open");
    expect(await shown(at("ww"))).toEqual(["web"]);
    for (const part of ["0a:27:09", "0a-27-09", "0A2709", "mac:0a27*"]) {
      expect([part, await shown(at(part))]).toEqual([part, ["crate"]]);
    }
    expect(await shown(`${LIST}?network=Bench&sort=-name`)).toEqual(["web", "crate"]);
    expect(await shown(`${LIST}?network=Vault`)).toEqual([]);
    const { text } = await own.get(`${LIST}?cols=host`);
    expect(
      texts(text, "thead th")
        .slice(0, 2)
        .map((one) => one.trim()),
    ).toEqual(["Interface", "Host"]);
    const part = await own.get(at("crate"), { headers: HTMX });
    expect(elements(part.text, "html, #list").map(({ attributes }) => attributes.id)).toEqual([
      "list",
    ]);
    expect((await own.get(`${LIST}?nothing=1`)).status).toBe(422);
  });

  test("suggests similar names, and never a hidden name", async () => {
    await someInterfaces();
    const own = await browser(carol);
    const offered = async (q: string) => texts((await own.get(at(q))).text, ".empty p a");
    expect(await correctionsOn(own, at("crtae"))).toContain("Did you mean crate?");
    expect(await offered("saef")).toEqual([]);
    const ofAll = await correctionsOn(await browser(alice), at("saef"));
    expect(ofAll).toContain("Did you mean safe?");
    const { text } = await own.get(at("vlna:Bench"));
    expect(texts(text, "#list .hint a")).toEqual(["vlan:Bench"]);
    expect(await offered("crate, web")).toEqual(["any of these words"]);
  });

  test("links to the form of each for those who may change it", async () => {
    await someInterfaces();
    const forms = async (by: typeof dave) =>
      elements((await (await browser(by)).get(LIST)).text, "td a[href*='/edit/']").length;
    expect(await forms(dave)).toBe(2);
    expect(await forms(carol)).toBe(0);
  });

  test("says where to create an interface when there are none", async () => {
    const { text } = await (await browser(carol)).get(LIST);
    expect(texts(text, ".empty p")[0]).toStartWith("No interfaces yet");
  });
});
