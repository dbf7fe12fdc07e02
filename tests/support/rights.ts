// Rights by scope of a user, and places of the user's own beside those of others.
import { forgetCallers } from "../../src/auth/auth.ts";
import { resources } from "../../src/resources.ts";
import { alice, api, idOf, type Person, service } from "./mod.ts";

async function made(path: string, body: object) {
  const answer = await api(alice).post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was not made: ${answer.text}`);
  return answer.body;
}

const COLUMNS = { network: "scope_id", inventory: "location_id", sensitive: "network_id" };

/** As an admin gives it. */
export async function giveRight(person: Person, kind: keyof typeof COLUMNS, place: number) {
  const { sql } = await service();
  await sql.unsafe(
    `insert into user_rights (user_id, kind, ${COLUMNS[kind]}) values (${await idOf(person)}, '${kind}', ${place})`,
  );
  forgetCallers();
}

export type OwnPlaces = Awaited<ReturnType<typeof ownPlaces>>;

/** The scope Own with a network and a host, and the location "Own hall" with a rack and an item in it. */
export async function ownPlaces(person: Person) {
  const domain = await made("/network/domains", { name: "own.example.org" });
  const range = { first_vlan: 100, last_vlan: 199, supernet: "10.9.0.0/16", domain_id: domain.id };
  const scope = await made("/network/scopes", { name: "Own", ...range });
  const block = { address: "10.9.1.0/24", first_ip: "10.9.1.1", last_ip: "10.9.1.200" };
  const network = await made("/network/networks", {
    ...{ scope: "Own", vlan_id: 100, vlan_name: "Own-net", ...block, gateway: null },
  });
  const host = await made("/network/hosts", {
    ...{ name: "own-host", device_type: "Network", network: "Own-net" },
  });
  const hall = await made("/inventory/locations", { name: "Own hall" });
  const rack = await made("/inventory/locations", { name: "Own rack", parent: "Own hall" });
  const item = await made("/inventory/items", {
    ...{ ics_id: "OWN001", serial_number: "O1", location: "Own rack" },
  });
  await giveRight(person, "network", scope.id);
  await giveRight(person, "inventory", hall.id);
  const { id: own_main } = host.interfaces[0];
  return {
    ...{ scope: scope.id, network: network.id, host: host.id, own_main },
    ...{ hall: hall.id, rack: rack.id, own_item: item.id, own_domain: domain.id },
  };
}

const TABLES = [...resources.map(({ name }) => name), "group_hosts", "group_children"];

/** All rows of all areas. */
export async function wholeState(): Promise<string> {
  const { sql } = await service();
  const each = TABLES.map(
    (table) => `(select jsonb_agg(to_jsonb(one) order by id) from ${table} one)`,
  );
  const [row] = await sql.unsafe(`select jsonb_build_array(${each.join(", ")})::text as all`);
  return row.all;
}
