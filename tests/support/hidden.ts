import { service } from "./service.ts";

/** A network device on a sensitive network. */
export async function aHiddenHost(): Promise<number> {
  const { sql } = await service();
  const [{ id }] = await sql`
    with d as (insert into domains (name) values ('hidden.example') returning id),
    s as (insert into scopes (name, first_vlan, last_vlan, supernet, domain_id)
      select 'Hidden', 1, 10, '10.0.0.0/16', id from d returning id, domain_id),
    n as (insert into networks (vlan_name, vlan_id, address, first_ip, last_ip, sensitive, scope_id, domain_id)
      select 'Hidden', 1, '10.0.0.0/24', '10.0.0.1', '10.0.0.9', true, id, domain_id from s returning id),
    h as (insert into hosts (name, device_type_id) select 'canary', id from device_types where name = 'Network' returning id),
    i as (insert into interfaces (host_id, network_id, name, ip) select h.id, n.id, 'canary', '10.0.0.1' from h, n)
    select id from h`;
  return id;
}
