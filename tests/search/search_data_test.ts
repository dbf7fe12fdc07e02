import { describe, expect, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import {
  aDomain,
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  dave,
  service,
} from "../support/mod.ts";

/** Search data that differs from its hosts. */
async function strays(): Promise<unknown[]> {
  const { sql } = await service();
  return [
    ...(await sql`
      select hosts.name, full_names.name as kept from hosts full join full_names on full_names.host_id = hosts.id
      where full_names.name is distinct from coalesce((
        select hosts.name || '.' || domains.name from interfaces
          join networks on networks.id = network_id join domains on domains.id = domain_id
        where host_id = hosts.id order by interfaces.name <> hosts.name, interfaces.id limit 1), hosts.name)`),
    ...(await sql`
      (select id, path from hosts, values_in(automation_vars) except select host_id, path from host_variables)
      union all (select host_id, path from host_variables except select id, path from hosts, values_in(automation_vars))`),
  ];
}

describe("the search data of a host", () => {
  test("is updated with every kind of change", async () => {
    const [one, two] = [await aNetwork(), await aNetwork()];
    const domain = await aDomain();
    const hosts = await concurrently(6, (number) =>
      aHost({ name: `host-${number}`, automation_vars: { number } }),
    );
    const spare = await concurrently(6, (number) =>
      anInterface({ host: `host-${number}`, network: one.vlan_name, name: `spare-${number}` }),
    );
    const answers = await concurrently(48, (number) => {
      const which = number % 6;
      const { id, name } = hosts[which]!;
      const add = (called: string, network: { vlan_name: string }) =>
        api(dave).post("/network/interfaces", {
          host: name,
          name: called,
          network: network.vlan_name,
        });
      const deeds = [
        () => add(name, two),
        () => add(`more-${which}`, one),
        () => api(alice).delete(`/network/interfaces/${spare[which]!.id}`),
        () =>
          api(dave).patch(`/network/hosts/${id}`, {
            automation_vars: { number, list: [1, { a: "b" }] },
          }),
        () => api(alice).patch(`/network/networks/${one.id}`, { domain: domain.name }),
        () => api(dave).patch(`/network/hosts/${id}`, { name: `new-${which}` }),
        () =>
          api(dave).patch(`/network/interfaces/${spare[which]!.id}`, { network: two.vlan_name }),
        () => api(alice).patch(`/network/networks/${two.id}`, { domain: one.domain }),
      ];
      return deeds[Math.floor(number / 6)]!();
    });
    expect(answers.filter(({ status }) => ![200, 201, 204, 404, 422].includes(status))).toEqual([]);
    expect(await strays()).toEqual([]);
    await api(alice).delete(`/network/hosts/${hosts[0]!.id}`);
    expect(await strays()).toEqual([]);
  });

  test("is updated by a later interface with the name of the host, in another domain", async () => {
    const { host } = await anInterface({ name: "first" });
    await anInterface({ host, name: host });
    expect(await strays()).toEqual([]);
  });

  test("is updated if its only interface is deleted while another is added", async () => {
    const { sql } = await service();
    const first = await anInterface({ name: "first" });
    const [host] = await sql`select id from hosts where name = ${first.host}`;
    const { id: network } = await aNetwork();
    const deleting = await sql.reserve();
    await deleting.unsafe("begin");
    await deleting`delete from interfaces where id = ${first.id}`;
    const adding = sql`insert into interfaces (host_id, network_id, name, ip)
      select ${host.id}::integer, id, 'second', first_ip from networks where id = ${network}`.execute();
    await Bun.sleep(200);
    await deleting.unsafe("commit");
    deleting.release();
    await adding;
    expect(await strays()).toEqual([]);
  });
});
