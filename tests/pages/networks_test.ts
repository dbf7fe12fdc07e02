import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  audrey,
  bob,
  carol,
  dave,
  inOrder,
} from "../support/mod.ts";

const LIST = "/network/networks";
const VIEW = `${LIST}/view/Bench`;
const BENCH = {
  vlan_name: "Bench",
  address: "10.8.0.0/28",
  first_ip: "10.8.0.2",
  last_ip: "10.8.0.12",
  gateway: "10.8.0.14",
};

const SQUARES = ".blocks svg > a, .blocks svg > rect";

async function aBench(fields: object = {}) {
  const { name: scope } = await aScope({ name: "Laboratory", supernet: "10.8.0.0/13" });
  return aNetwork({ ...BENCH, scope, ...fields });
}

/** Creates a host of this name with an address in the network Bench. */
async function aBenchHost(name: string, ip: string) {
  await aHost({ name });
  return anInterface({ host: name, name, network: "Bench", ip });
}

async function get(person: typeof alice, path: string) {
  return (await browser(person)).get(path);
}

/** The cells of the map: state, name and link of each. */
async function squares(person: typeof alice, path = VIEW) {
  const { text } = await get(person, path);
  const names = texts(text, ".blocks svg > a > title, .blocks svg > rect > title");
  return elements(text, SQUARES).map(({ attributes }, at) => ({
    state: attributes.class,
    name: names[at],
    href: attributes.href,
  }));
}

describe("GET /network/networks", () => {
  test("shows each network with its addresses and how many are in use", async () => {
    await aBench();
    await aBenchHost("crate", "10.8.0.3");
    const { text } = await get(carol, LIST);
    const [name, vlan, ...rest] = texts(text, "td");
    expect(name).toBe("Bench");
    expect(Number(vlan)).toBeGreaterThan(0);
    expect(rest.slice(0, 4)).toEqual(["10.8.0.0/28", ".2 – .12", "10.8.0.14", "Laboratory"]);
    expect(texts(text, "td .usage")[0]).toContain("1 of 11");
  });

  test("is sorted by how full the networks are, and filtered by scope", async () => {
    await aBench();
    await aBenchHost("crate", "10.8.0.3");
    await aNetwork({ scope: "Laboratory", vlan_name: "Attic", address: "10.8.1.0/24" });
    const names = async (path: string) => texts((await get(carol, path)).text, "td a.open");
    expect(await names(`${LIST}?sort=-utilisation`)).toEqual(["Bench", "Attic"]);
    expect(await names(`${LIST}?sort=utilisation`)).toEqual(["Attic", "Bench"]);
    expect(await names(`${LIST}?scope=Laboratory&address=10.8.1.0/24`)).toEqual(["Attic"]);
    expect(await names(`${LIST}?scope=Elsewhere`)).toEqual([]);
    expect((await (await browser(carol)).get(LIST, { headers: HTMX })).text).toStartWith(
      '<div id="list"',
    );
  });

  test("hides a sensitive network, and the hidden hosts among the addresses in use", async () => {
    await aBench();
    await aNetwork({
      scope: "Laboratory",
      vlan_name: "Vault",
      address: "10.9.0.0/24",
      sensitive: true,
    });
    await aBenchHost("canary", "10.8.0.3");
    await anInterface({ host: "canary", network: "Vault" });
    const seen = (await get(dave, LIST)).text;
    expect(texts(seen, "td a.open")).toEqual(["Bench"]);
    expect(texts(seen, "td .usage")[0]).toContain("0 of 11");
    const all = (await get(audrey, LIST)).text;
    expect(texts(all, "td a.open")).toEqual(["Bench", "Vault"]);
    expect(texts(all, "td .tag")).toEqual(["sensitive"]);
    expect(texts(all, "td .usage")[0]).toContain("1 of 11");
  });
});

describe("GET /network/networks/view/(vlan_name)", () => {
  test("maps every address, with its state and its link", async () => {
    await aBench();
    await aBenchHost("crate", "10.8.0.3");
    const map = await squares(dave);
    expect(map.map(({ state }) => state)).toEqual([
      "kept",
      "outside",
      "free",
      "used",
      ...Array.from({ length: 9 }, () => "free"),
      "outside",
      "gateway",
      "kept",
    ]);
    expect(map[3]).toMatchObject({ name: "10.8.0.3 crate", href: "/network/hosts/view/crate" });
    expect(map[4]).toMatchObject({
      name: "10.8.0.4 free",
      href: "/network/hosts/create?network=Bench&ip=10.8.0.4",
    });
    expect(map[0]).toEqual({ state: "kept", name: "10.8.0.0 not usable", href: undefined });
    expect(map[14]!.name).toBe("10.8.0.14 gateway");
  });

  test("links to a new host only for those who may create one there", async () => {
    await aBench({ admin_only: true });
    const links = async (person: typeof alice) =>
      (await squares(person)).filter(({ href }) => href?.includes("create")).length;
    expect(await links(carol)).toBe(0);
    expect(await links(dave)).toBe(0);
    // Outside of the range too.
    expect(await links(alice)).toBe(13);
  });

  test("shows the address of a hidden host as free to those who may not see it", async () => {
    await aBench();
    await aNetwork({
      scope: "Laboratory",
      vlan_name: "Vault",
      address: "10.9.0.0/24",
      sensitive: true,
    });
    await aBenchHost("canary", "10.8.0.3");
    await anInterface({ host: "canary", network: "Vault" });
    expect((await squares(dave))[3]).toMatchObject({ state: "free", name: "10.8.0.3 free" });
    expect((await squares(audrey))[3]).toMatchObject({ state: "used", name: "10.8.0.3 canary" });
    const { text } = await get(dave, VIEW);
    expect(text).not.toContain("canary");
    expect(texts(text, "td[data-label=Host]")).toEqual(["11 free", "gateway"]);
  });

  test("lists the same as rows: addresses in use and free ranges", async () => {
    await aBench();
    await inOrder(
      ["10.8.0.3", "10.8.0.4", "10.8.0.9"].map((ip, at) => () => aBenchHost(`crate-${at}`, ip)),
    );
    const rows = async (path: string) => {
      const { text } = await get(carol, path);
      const hosts = texts(text, "td[data-label=Host]");
      return texts(text, "td[data-label=Address]").map((ip, at) => `${ip} ${hosts[at]}`);
    };
    expect(await rows(VIEW)).toEqual([
      "10.8.0.2 1 free",
      "10.8.0.3 crate-0",
      "10.8.0.4 crate-1",
      "10.8.0.5 – 10.8.0.8 4 free",
      "10.8.0.9 crate-2",
      "10.8.0.10 – 10.8.0.12 3 free",
      "10.8.0.14 gateway",
    ]);
    const tally = texts((await get(carol, VIEW)).text, "[role=status]");
    expect(tally).toContain("3 addresses of hosts");
    const pages = [1, 2, 3].map((page) => rows(`${VIEW}?per_page=1&page=${page}`));
    expect((await Promise.all(pages)).flat()).toEqual(await rows(VIEW));
    expect((await get(carol, `${VIEW}?per_page=x`)).status).toBe(422);
  });

  test("maps a large network by parts that can be opened", async () => {
    await aBench({ address: "10.8.0.0/16", last_ip: "10.8.255.200", gateway: "10.8.255.254" });
    await aBenchHost("crate", "10.8.7.9");
    await aBenchHost("canary", "10.8.8.9");
    await aNetwork({
      scope: "Laboratory",
      vlan_name: "Vault",
      address: "10.9.0.0/24",
      sensitive: true,
    });
    await anInterface({ host: "canary", network: "Vault" });
    expect((await squares(audrey))[8]!.name).toBe("10.8.8.0/24: 1 of 256 in use");
    const map = await squares(carol);
    expect(map[8]!.name).toBe("10.8.8.0/24: 0 of 256 in use");
    expect(map).toHaveLength(256);
    expect(map[7]).toEqual({
      state: "part level-1",
      name: "10.8.7.0/24: 1 of 256 in use",
      href: `${VIEW}?block=10.8.7.0/24`,
    });
    const part = await squares(carol, map[7]!.href);
    expect(part).toHaveLength(256);
    expect(part[9]).toMatchObject({ state: "used", name: "10.8.7.9 crate" });
    const { text } = await get(carol, map[7]!.href!);
    expect(texts(text, "td[data-label=Host]")).toEqual(["9 free", "crate", "246 free"]);
    expect(texts(text, "nav[aria-label='Parts of the network'] li")).toEqual([
      "10.8.0.0/16",
      "10.8.7.0/24",
    ]);
    for (const block of ["10.9.0.0/24", "10.8.0.1/24", "x", "2001:db8::/64"]) {
      expect((await get(carol, `${VIEW}?block=${block}`)).status).toBe(422);
    }
  });

  test("shows an IPv6 network as rows only", async () => {
    await aScope({ name: "Six", supernet: "2001:db8::/48" });
    await aNetwork({
      scope: "Six",
      vlan_name: "Bench",
      address: "2001:db8::/64",
      first_ip: "2001:db8::10",
      last_ip: "2001:db8::ffff:ffff:ffff:ffff",
      gateway: "2001:db8::1",
    });
    await aBenchHost("crate", "2001:db8::20");
    const { text } = await get(carol, VIEW);
    expect(elements(text, ".map")).toEqual([]);
    expect(texts(text, "td[data-label=Host]")).toEqual([
      "gateway",
      "16 free",
      "crate",
      "≈2^64 free",
    ]);
  });

  test("renders a map of 1,024 cells in few bytes", async () => {
    await aBench({ address: "10.8.0.0/22", last_ip: "10.8.3.200", gateway: "10.8.3.254" });
    const own = await browser(dave);
    const { text } = await own.get(VIEW);
    expect(elements(text, SQUARES)).toHaveLength(1024);
    const map = text.slice(text.indexOf('<figure class="map"'), text.indexOf("</figure>"));
    expect(Bun.zstdCompressSync(map).length).toBeLessThan(6_000);
    expect(Bun.gzipSync(map).length).toBeLessThan(10_240);
  });

  test("returns 404 for a sensitive one, by its name and by its former name", async () => {
    const { id } = await aBench({ sensitive: true });
    await api(alice).patch(`${LIST}/${id}`, { vlan_name: "Vault" });
    const nothing = await get(dave, `${LIST}/view/Nothing`);
    for (const name of ["Vault", "Bench"]) {
      const { status, text } = await get(dave, `${LIST}/view/${name}`);
      const same = texts(nothing.text, "main").map((said) => said.replace("Nothing", name));
      expect([status, texts(text, "main")], name).toEqual([404, same]);
    }
    const led = await get(audrey, VIEW);
    expect([led.status, led.headers.get("location")]).toEqual([303, `${LIST}/view/Vault`]);
  });
});

describe("POST /network/networks/delete", () => {
  test("asks, deletes, and keeps a network with interfaces", async () => {
    await aBench();
    const { id } = await aBenchHost("crate", "10.8.0.3");
    const own = await browser(alice);
    const fields = { vlan_name: "Bench", confirmed: "true" };
    const kept = await own.submit(`${LIST}/delete`, fields);
    expect([kept.status, texts(kept.text, ".note.bad")]).toEqual([
      422,
      ["This network is in use by 1 interface"],
    ]);
    await api(alice).delete(`/network/interfaces/${id}`);
    const asked = await own.submit(`${LIST}/delete`, { vlan_name: "Bench" });
    expect(texts(asked.text, "h1")).toEqual(["Delete Bench?"]);
    expect((await own.submit(`${LIST}/delete`, fields)).status).toBe(303);
    expect((await own.get(VIEW)).status).toBe(404);
  });

  test("is allowed for admins only", async () => {
    await aBench();
    for (const person of [bob, dave, audrey]) {
      const own = await browser(person);
      const fields = { vlan_name: "Bench", confirmed: "true" };
      expect((await own.submit(`${LIST}/delete`, fields)).status, person.username).toBe(403);
    }
  });
});
