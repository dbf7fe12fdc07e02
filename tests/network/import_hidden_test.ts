import { describe, expect, test } from "bun:test";
import { importsHosts, inShort, labAndBench } from "../support/imports.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  dave,
  idOf,
  service,
} from "../support/mod.ts";

async function shown(name: string) {
  const { body } = await api(alice).get(`/network/hosts?name=${name}`);
  return body[0];
}

describe("networks and hosts that others protect", () => {
  test("are not changed by an import", async () => {
    await labAndBench();
    const closed = { scope: "Site", vlan_name: "Closed", address: "10.1.4.0/24", admin_only: true };
    await aNetwork(closed);
    await aHost({ name: "core", network: "Closed", description: "Old", device_type: "Network" });
    await anItem({ ics_id: "AAA001", host_id: (await shown("core")).id });
    const only = "Only admins may change hosts in the network Closed";
    const rows = [
      { name: "core", description: "Old" },
      { name: "web-01", device_type: "Virtual", network: "Closed" },
      { name: "web-02", device_type: "Virtual", ip: "10.1.4.7" },
      { name: "web-03", device_type: "Virtual", items: "AAA001" },
    ];
    expect(inShort(await importsHosts(dave, rows))).toEqual([
      "same",
      [`network: ${only}`],
      [`network: ${only}`],
      [`items: ${only}`],
    ]);
    for (const fields of [
      { description: "New" },
      { items: "AAA001 AAA002" },
      { cnames: "www" },
      { interface: "core-2", network: "Lab" },
      { mac: "024242000001" },
    ]) {
      await anItem({ ics_id: "AAA002" }).catch(() => {});
      expect(inShort(await importsHosts(dave, [{ name: "core", ...fields }]))).toEqual([
        [`name: ${only}`],
      ]);
    }
    expect(
      inShort(await importsHosts(alice, [rows[1]!, { name: "core", description: "New" }])),
    ).toEqual(["new", "change"]);
  });

  test("are not disclosed, and guesses are counted", async () => {
    await labAndBench();
    const vault = { scope: "Site", vlan_name: "Vault", address: "10.1.5.0/24", sensitive: true };
    await aNetwork(vault);
    await aHost({ name: "canary", network: "Vault", ip: "10.1.5.7" });
    await anInterface({
      host: "canary",
      name: "canary-2",
      network: "Lab",
      ip: "10.1.1.9",
      mac: "024242000001",
    });
    await anItem({ ics_id: "AAA001", host_id: (await shown("canary")).id });
    const host = { device_type: "Virtual", network: "Lab" };
    const rows = [
      { ...host, name: "canary" },
      { ...host, name: "web-01", ip: "10.1.1.9" },
      { ...host, name: "web-02", mac: "024242000001" },
      { ...host, name: "web-03", items: "AAA001" },
      { ...host, name: "web-04", interface: "canary-2" },
      { ...host, name: "web-05", network: "Vault" },
      { name: "web-06", device_type: "Virtual", ip: "10.1.5.9" },
      { ...host, name: "web-07", network: "Nowhere" },
    ];
    const answer = await importsHosts(dave, rows, "?dry_run=true");
    expect(inShort(answer)).toEqual([
      ["name: This name is not available"],
      ["ip: This address is not available"],
      ["mac: This MAC address is already in this network"],
      ["items: The item AAA001 is not available"],
      ["interface: This name is not available"],
      ["network: 'Vault' is not a valid network"],
      ["ip: No network has this address"],
      ["network: 'Nowhere' is not a valid network"],
    ]);
    const { sql } = await service();
    const guesses = () =>
      sql`
      select details ->> 'asked' as asked from audit_log
      where user_id = ${idOfDave} and event = 'name.probed' order by 1`.values();
    const idOfDave = await idOf(dave);
    const counted = [["02:42:42:00:00:01"], ["10.1.1.9"], ["AAA001"], ["canary"], ["canary-2"]];
    expect(await guesses()).toEqual(counted);
    // A preview that is shown again asks nothing new.
    for (let time = 0; time < 3; time += 1) await importsHosts(dave, rows, "?dry_run=true");
    expect(await guesses()).toEqual(counted);
    expect(inShort(await importsHosts(alice, [{ name: "canary", description: "Seen" }]))).toEqual([
      "change",
    ]);
  });

  test("cannot be guessed by one long import", async () => {
    await labAndBench();
    await aNetwork({ scope: "Site", vlan_name: "Vault", address: "10.1.5.0/24", sensitive: true });
    const hidden = Array.from({ length: 40 }, (_, at) => ({
      name: `canary-${at}`,
      device_type: "Virtual",
    }));
    await importsHosts(
      alice,
      hidden.map((row) => ({ ...row, network: "Vault" })),
    );
    const guess = await importsHosts(dave, hidden, "?dry_run=true");
    expect([guess.status, guess.text.includes("canary")]).toEqual([429, false]);
    expect((await importsHosts(dave, [{ name: "free", device_type: "Virtual" }])).status).toBe(429);
  });
});
