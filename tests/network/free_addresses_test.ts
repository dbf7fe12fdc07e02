// The database keeps the free addresses of each network. They are always those that its interfaces leave.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomFrom } from "../running/random.ts";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  carol,
  dave,
  service,
} from "../support/mod.ts";
import { latest, undoing } from "../support/undo.ts";

setDefaultTimeout(120_000);

interface Range {
  network: string;
  first: string;
  last: string;
}

/** The kept ranges, and those that are computed from the interfaces. */
async function freeRanges(): Promise<Record<"kept" | "computed", Range[]>> {
  const { sql } = await service();
  const of = (ranges: string): Promise<Range[]> =>
    sql.unsafe(`
      select vlan_name as network, host(free.first) as first, host(free.last) as last
      from networks, ${ranges}(networks.id) free order by vlan_name, free.first`);
  return { kept: await of("merged_free_addresses"), computed: await of("computed_free_addresses") };
}

async function expectKept(): Promise<void> {
  const { kept, computed } = await freeRanges();
  expect(kept).toEqual(computed);
}

const RANGE = { address: "10.66.0.0/26", first_ip: "10.66.0.1", last_ip: "10.66.0.60" };

async function threeNetworks() {
  const { name: scope } = await aScope({ supernet: "10.66.0.0/16" });
  const { name: six } = await aScope({ supernet: "2001:db8::/32" });
  return [
    await aNetwork({ scope, vlan_name: "One", ...RANGE, gateway: "10.66.0.2" }),
    await aNetwork({
      scope,
      vlan_name: "Two",
      address: "10.66.1.0/28",
      first_ip: "10.66.1.0",
      last_ip: "10.66.1.15",
      gateway: null,
    }),
    await aNetwork({
      scope: six,
      vlan_name: "Six",
      address: "2001:db8::/64",
      first_ip: "2001:db8::",
      last_ip: "2001:db8::ffff:ffff:ffff:ffff",
      gateway: "2001:db8::1",
    }),
  ];
}

describe("the free addresses that are kept", () => {
  test("are those of the range without reserved and used ones", async () => {
    await threeNetworks();
    await anInterface({ network: "One", ip: "10.66.0.5" });
    await anInterface({ network: "Two", ip: "10.66.1.14" });
    const { kept, computed } = await freeRanges();
    expect(kept).toEqual([
      { network: "One", first: "10.66.0.1", last: "10.66.0.1" },
      { network: "One", first: "10.66.0.3", last: "10.66.0.4" },
      { network: "One", first: "10.66.0.6", last: "10.66.0.60" },
      { network: "Six", first: "2001:db8::2", last: "2001:db8::ffff:ffff:ffff:ffff" },
      { network: "Two", first: "10.66.1.1", last: "10.66.1.13" },
    ]);
    expect(computed).toEqual(kept);
  });

  test("are right after random changes by many clients at once", async () => {
    const networks = await threeNetworks();
    const random = randomFrom(15);
    const given = { device_type: "Virtual" };
    const some = async () => {
      const { body } = await api(carol).get("/network/interfaces?per_page=100");
      return body.length > 0 ? random.of<{ id: number; host: string }>(body) : undefined;
    };
    const changes = [
      (number: number) =>
        api(dave).post("/network/hosts", {
          name: `h-${number}`,
          network: random.of(networks).vlan_name,
          ...given,
        }),
      (number: number) =>
        api(dave).post("/network/hosts", {
          name: `h-${number}`,
          network: "One",
          ip: `10.66.0.${3 + random.below(56)}`,
          ...given,
        }),
      (number: number) =>
        api(alice).post("/network/hosts?dry_run=true", {
          name: `h-${number}`,
          network: "One",
          ...given,
        }),
      async () => api(alice).delete(`/network/interfaces/${(await some())?.id ?? 0}`),
      async () =>
        api(alice).patch(`/network/interfaces/${(await some())?.id ?? 0}`, {
          network: random.of(networks).vlan_name,
        }),
      async () =>
        api(alice).patch(`/network/interfaces/${(await some())?.id ?? 0}`, {
          network: "One",
          ip: `10.66.0.${3 + random.below(56)}`,
        }),
      async () => undoing(await latest(), alice),
      () =>
        api(alice).patch(`/network/networks/${networks[0]?.id}`, {
          first_ip: `10.66.0.${1 + random.below(4)}`,
          last_ip: `10.66.0.${50 + random.below(12)}`,
          gateway: random.of([null, "10.66.0.2", "10.66.0.61"]),
        }),
    ];
    const host = await aHost();
    await anInterface({ network: "One", host: host.name });
    const statuses: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const answers = await concurrently(32, (number) => random.of(changes)(round * 100 + number));
      statuses.push(...answers.map(({ status }) => status));
      await expectKept();
    }
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(60);
  });

  test("are right after a deletion while the network changes", async () => {
    await threeNetworks();
    const { id } = await anInterface({ network: "Two", ip: "10.66.1.5" });
    const { sql } = await service();
    await sql`update networks set gateway = '10.66.1.5' where vlan_name = 'Two'`;
    const changed = Promise.withResolvers<void>();
    const committing = Promise.withResolvers<void>();
    const change = sql.begin(async (tx) => {
      await tx`update networks set gateway = null where vlan_name = 'Two'`;
      changed.resolve();
      await committing.promise;
    });
    await changed.promise;
    const deletion = api(alice).delete(`/network/interfaces/${id}`);
    // Until it waits for the change, or has not seen it.
    await Promise.race([deletion, Bun.sleep(500)]);
    committing.resolve();
    await change;
    expect((await deletion).status).toBe(204);
    await expectKept();
  });

  test("are handed out from the lowest on by thirty-two clients at once, each once", async () => {
    const [network] = await threeNetworks();
    const taken = [7, 8, 9, 20, 21];
    for (const last of taken) await anInterface({ network: "One", ip: `10.66.0.${last}` });
    const answers = await concurrently(40, (number) =>
      api(dave).post("/network/hosts", {
        name: `h-${number}`,
        network: "One",
        device_type: "Virtual",
      }),
    );
    expect(counted(answers)).toEqual({ 201: 40 });
    const { sql } = await service();
    // The history of the interfaces of a network is in the order in which their addresses were claimed.
    const claimed: Array<{ ip: string }> = await sql`
      select after ->> 'ip' as ip from changes
      where table_name = 'interfaces' and action = 'insert' and (after ->> 'network_id')::integer = ${network?.id ?? 0}
      order by id offset ${taken.length}`;
    const free = Array.from({ length: 60 }, (_, at) => at + 1).filter(
      (last) => ![2, ...taken].includes(last),
    );
    expect(claimed.map(({ ip }) => ip)).toEqual(free.slice(0, 40).map((last) => `10.66.0.${last}`));
    await expectKept();
  });
});
