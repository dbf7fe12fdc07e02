// Creates the example site over the API.
import { alice, api, service } from "../support/mod.ts";
import { attributes, domains, groups, items, networks, scopes } from "./site.ts";
import { hosts } from "./site_hosts.ts";

export async function makeSite(): Promise<void> {
  const keys = new Map<string, number>();
  for (const name of domains) keys.set(name, (await made("/network/domains", { name })).id);
  for (const { domain, ...scope } of scopes) {
    await made("/network/scopes", { ...scope, domain_id: keys.get(domain) });
  }
  for (const { netmask: _, ...network } of networks) await made("/network/networks", network);
  for (const [kind, names] of Object.entries(attributes)) {
    for (const name of names) await made(`/inventory/${kind}`, { name });
  }
  for (const { comments, ...item } of items) {
    const { id } = await made("/inventory/items", item);
    for (const body of comments) await made(`/inventory/items/${id}/comments`, { body });
  }
  for (const name of groups) await made("/network/groups", { name });
  for (const { interfaces, created_at: _, ...host } of hosts) {
    await made("/network/hosts", host);
    for (const { cnames = [], ...one } of interfaces) {
      const { id } = await made("/network/interfaces", { ...one, host: host.name });
      for (const name of cnames) await made("/network/cnames", { name, interface_id: id });
    }
  }
  await setClocks();
}

/** Sets times in the database: the API does not accept them. */
async function setClocks(): Promise<void> {
  const { sql } = await service();
  for (const { name, created_at } of hosts) {
    const at = `${created_at}Z`;
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update hosts set created_at = ${at}::text::timestamptz, updated_at = ${at}::text::timestamptz where name = ${name}`;
    });
  }
}

async function made(path: string, body: object) {
  const answer = await api(alice).post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was not made: ${answer.text}`);
  return answer.body;
}
