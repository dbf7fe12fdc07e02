// An item that is mounted on a host, with marks in what belongs to each.
import { api } from "./api.ts";
import { alice } from "./cast.ts";
import { aHost, aLocation, aNetwork, anInterface, anItem } from "./makers.ts";

interface Marks {
  serial?: string;
  location?: string;
  mac?: string;
  /** Fields of the host. */
  host?: object;
  /** The name of its second interface. */
  second?: string;
}

export async function mountedItem({ serial, location, mac, host: fields, second }: Marks) {
  const network = await aNetwork();
  const host = await aHost({ ...fields, network: network.vlan_name });
  if (second) await anInterface({ name: second, host: host.name, network: network.vlan_name });
  const place = location && (await aLocation({ name: location }));
  const item = await anItem({
    host_id: host.id,
    ...(serial && { serial_number: serial }),
    ...(place && { location }),
  });
  if (mac) await api(alice).post("/inventory/macs", { address: mac, item_id: item.id });
  return { host, item };
}

export async function aComment(item: number, body: string) {
  const { status } = await api(alice).post(`/inventory/items/${item}/comments`, { body });
  if (status !== 201) throw new Error(`No comment: ${status}`);
}
