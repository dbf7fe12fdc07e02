// `sort=relevance`: the exact name first, then names that begin with the text, then other matches; boosts count.
import { beforeEach, describe, expect, test } from "bun:test";
import { hostDocument } from "../../src/network/hosts/search.ts";
import { EMPTY } from "../../src/search/cache/key_set.ts";
import { orderedPage } from "../../src/search/cache/list_order.ts";
import { aHost, aNetwork, anItem, aScope } from "../support/makers.ts";
import { alice, api, carol, type Person, service } from "../support/mod.ts";

async function ranked(path: string, q: string, more = "", person: Person = carol) {
  const address = `${path}${path.includes("?") ? "&" : "?"}sort=relevance&q=${encodeURIComponent(q)}${more}`;
  const { status, body } = await api(person).get(address);
  expect([address, status]).toEqual([address, 200]);
  return body.map((one: Record<string, string>) => one.name ?? one.vlan_name ?? one.ics_id);
}

const HOSTS = "/network/hosts";

describe("hosts by relevance", () => {
  beforeEach(async () => {
    await aHost({ name: "a-spare", description: "arch" });
    await aHost({ name: "arch-2", device_type: "Virtual" });
    await aHost({ name: "arch-10" });
    await aHost({ name: "arch" });
    await aHost({ name: "web", description: "arch viewer", device_type: "Virtual" });
  });

  test("begin with the exact name, then names that begin with the text", async () => {
    const all = ["arch", "arch-10", "arch-2", "a-spare", "web"];
    for (const list of [HOSTS, `${HOSTS}/search`]) {
      expect(await ranked(list, "arch*"), list).toEqual(all);
      expect(await ranked(list, "*arch*"), list).toEqual(all);
      expect(await ranked(list, "ARCH"), list).toEqual(["arch", "a-spare", "web"]);
      expect(await ranked(list, "name:arch-1 OR *arch*"), list).toEqual([
        "arch",
        "arch-10",
        "arch-2",
        "a-spare",
        "web",
      ]);
      expect(await ranked(list, "description:arch OR name:web"), list).toEqual(["web", "a-spare"]);
    }
  });

  test("follow boosts, and then how many of the clauses they match", async () => {
    expect(await ranked(HOSTS, "arch* OR type:virtual^9")).toEqual([
      ...["arch-2", "web", "arch", "arch-10", "a-spare"],
    ]);
    expect(await ranked(HOSTS, "arch^2 OR web^3")).toEqual(["web", "arch", "a-spare"]);
    expect(await ranked(HOSTS, "(arch)^2 OR (web)^3")).toEqual(["web", "arch", "a-spare"]);
    expect(await ranked(HOSTS, "name:arch*^0.1 OR description:arch")).toEqual([
      ...["a-spare", "web", "arch", "arch-10", "arch-2"],
    ]);
    expect(await ranked(HOSTS, "+*arch* type:virtual")).toEqual([
      ...["arch", "arch-2", "arch-10", "web", "a-spare"],
    ]);
    expect(await ranked(HOSTS, "* NOT arch")).toEqual(["arch-10", "arch-2"]);
  });

  test("have one order across all pages, also with filters and a second order", async () => {
    for (const more of ["", "&device_type__ne=none"]) {
      const pages: string[] = [];
      for (let page = 1; page <= 5; page += 1) {
        pages.push(...(await ranked(HOSTS, "*arch*", `${more}&per_page=1&page=${page}`)));
      }
      expect(pages, more).toEqual(["arch", "arch-10", "arch-2", "a-spare", "web"]);
    }
    expect(await ranked(HOSTS, "*arch*", "&is_ioc=false&device_type=Virtual")).toEqual([
      "arch-2",
      "web",
    ]);
    const { body } = await api(carol).get(`${HOSTS}?sort=relevance,-name&q=*arch*`);
    const names = body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["arch", "arch-2", "arch-10", "web", "a-spare"]);
  });

  test("keep the order of the list where they are equal, or there is no query", async () => {
    const byName = ["a-spare", "arch", "arch-10", "arch-2", "web"];
    const { body } = await api(carol).get(`${HOSTS}?sort=relevance`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(byName);
    expect(await ranked(HOSTS, "*")).toEqual(byName);
    const plain = await api(carol).get(`${HOSTS}?q=*arch*`);
    expect(plain.body.map(({ name }: { name: string }) => name)).toEqual(byName);
    for (const sort of ["-relevance", "name,relevance", "relevance,relevance"]) {
      expect([sort, (await api(carol).get(`${HOSTS}?sort=${sort}`)).status]).toEqual([sort, 422]);
    }
  });

  test("do not disclose hidden ones by their positions", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "arch-1", network: vlan_name });
    expect(await ranked(HOSTS, "arch-1 OR arch*", "&per_page=2")).toEqual(["arch", "arch-10"]);
    expect(await ranked(HOSTS, "arch-1 OR arch*", "&per_page=2", alice)).toEqual([
      "arch-1",
      "arch",
    ]);
  });
});

describe("many hosts by relevance", () => {
  test("have one order across all pages, in memory or by a statement, after any rename", async () => {
    const { sql } = await service();
    await sql`
      insert into hosts (name, description, device_type_id)
      select 'many-' || lpad(number::text, 4, '0'), 'pump ' || number % 2, (select min(id) from device_types)
      from generate_series(1, 350) number`;
    const query = "many-0200 OR many-030* OR pump OR 1^9";
    const isOrdered = async () => {
      const rows = await sql<Array<{ name: string }>>`select name from hosts`;
      const expected = rows.map(({ name }) => name).toSorted(byScore(await odd()));
      const pages: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        pages.push(...(await ranked(HOSTS, query, `&per_page=100&page=${page}`)));
      }
      expect(pages).toEqual(expected);
    };
    const odd = async () => {
      const rows = await sql<
        Array<{ name: string }>
      >`select name from hosts where description = 'pump 1'`;
      return new Set(rows.map(({ name }) => name));
    };
    await isOrdered();
    const firstPage = () => orderedPage({ keys: EMPTY }, { from: 0, to: 1 }, hostDocument());
    while ((await firstPage()) === undefined) await ranked(HOSTS, "pump");
    await isOrdered();
    const [host] = (await api(alice).get(`${HOSTS}?name=many-0302`)).body;
    await api(alice).patch(`${HOSTS}/${host.id}`, { name: "aaa" });
    await isOrdered();
  });
});

/** `1^9` outweighs a name; then the exact name, then names that begin with the text. */
function byScore(odd: Set<string>) {
  const score = (name: string) => {
    const best = odd.has(name) ? 9 : name === "many-0200" ? 4 : name.startsWith("many-030") ? 2 : 1;
    return best * 100 + (name.startsWith("many-030") ? 1 : 0);
  };
  return (one: string, other: string) => score(other) - score(one) || (one < other ? -1 : 1);
}

describe("other lists by relevance", () => {
  test("begin with exact names", async () => {
    await anItem({ ics_id: "AAA001", serial_number: "X-7" });
    await anItem({ ics_id: "AAA002", serial_number: "7" });
    await anItem({ ics_id: "AAA003", serial_number: "7-X" });
    expect(await ranked("/inventory/items", "*7*")).toEqual(["AAA002", "AAA003", "AAA001"]);
    expect(await ranked("/inventory/items", "aaa003 OR *7*")).toEqual([
      "AAA003",
      "AAA002",
      "AAA001",
    ]);
    const scope = await aScope({ name: "Lab" });
    await aNetwork({ vlan_name: "Far-Lab", scope: scope.name });
    await aNetwork({ vlan_name: "Lab", scope: scope.name });
    expect(await ranked("/network/networks", "*lab*")).toEqual(["Lab", "Far-Lab"]);
    await aHost({ name: "far-lab-1", network: "Lab" });
    await aHost({ name: "lab-1", network: "Lab" });
    expect(await ranked("/network/interfaces", "*lab*")).toEqual(["lab-1", "far-lab-1"]);
    expect(await ranked("/network/scopes", "*lab*")).toEqual(["Lab"]);
  });
});
