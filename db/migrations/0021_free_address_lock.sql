-- Waits for a change of the network before it looks at the range and the reserved addresses: a statement that finds the
-- address outside of them locks nothing, and the rebuild of that change does not see this deletion.
create or replace function free_address() returns trigger language plpgsql as $$
begin
  perform from networks where id = old.network_id for key share;
  insert into free_addresses (network_id, first, last)
  select id, old.ip, old.ip from networks
  where id = old.network_id and old.ip between first_ip and last_ip and old.ip <> all(reserved_addresses(address, gateway));
  return null;
end
$$;

select rebuild_free_addresses(id) from networks;
