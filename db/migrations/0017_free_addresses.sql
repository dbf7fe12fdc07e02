-- The free addresses of each network, as ranges: those of its range that no interface has and that are not reserved.
-- Kept by triggers, so that the first one is found by an index, however many are in use. Ranges do not overlap. They
-- are not merged: a deleted interface leaves a range of one address, and thereby waits for nobody.
create table free_addresses (
  network_id integer not null references networks on delete cascade,
  first inet not null,
  last inet not null,
  primary key (network_id, last),
  constraint free_addresses_order check (first <= last)
-- Taking the first address of a range changes no indexed column: with room on the page, no index is written.
) with (fillfactor = 70);

-- The gateway, network and broadcast address, which are never assigned; in blocks of one or two addresses the gateway alone.
create function reserved_addresses(block cidr, gateway inet) returns inet[] language sql immutable parallel safe
  return array_remove(array[gateway] || case
    when masklen(block) < case family(block) when 4 then 31 else 127 end
    then array[host(block)::inet] || case family(block) when 4
      then array[host(broadcast(block))::inet] else '{}'::inet[] end
    else '{}'::inet[] end, null);

-- The same ranges computed from the interfaces, merged. Each begins at the first address of the network or after one that
-- is not free, so addresses are not enumerated.
create function computed_free_addresses(network integer) returns table (first inet, last inet) language sql stable as $$
  with assigned as (
    select first_ip, last_ip, reserved_addresses(address, gateway) as reserved from networks where id = network
  ), used as (
    select ip from interfaces, assigned where network_id = network and ip between first_ip and last_ip
    union select ip from assigned, unnest(reserved) ip where ip between first_ip and last_ip
  ), walk as (
    select ip, lead(ip) over (order by ip) as next from used
  )
  select first_ip, coalesce((select min(ip) from used) - 1, last_ip) from assigned
    where first_ip not in (select ip from used)
  union all
  select ip + 1, coalesce(next - 1, last_ip) from walk, assigned where ip < last_ip and next is distinct from ip + 1
$$;

-- The ranges as they are kept, merged: to compare them with the computed ones.
create function merged_free_addresses(network integer) returns table (first inet, last inet) language sql stable as $$
  select min(first), max(last) from (
    select first, last, count(*) filter (where follows is not true) over (order by last) as part from (
      select first, last, first = lag(last) over (order by last) + 1 as follows
      from free_addresses where network_id = network
    ) each
  ) numbered group by part
$$;

-- Waits for every transaction that adds or deletes interfaces there, which lock the key of the network.
create function rebuild_free_addresses(network integer) returns void language plpgsql as $$
begin
  perform from networks where id = network for update;
  delete from free_addresses where network_id = network;
  insert into free_addresses (network_id, first, last)
  select network, free.first, free.last from computed_free_addresses(network) free;
end
$$;

-- The address for an interface: the wanted one, else the first free one; null if there is none. The network stays locked
-- until the transaction ends, so no other gets the same address. Who calls has read the network without a lock before:
-- if it was changed since, the transaction runs again.
create function claim_address(network integer, known_version integer, wanted inet) returns inet language plpgsql as $$
declare
  current_version integer;
begin
  select version into current_version from networks where id = network for no key update;
  if current_version is distinct from known_version then
    raise serialization_failure using message = 'The network was changed meanwhile';
  end if;
  -- A statement of its own: it sees what was committed before the lock was held.
  return coalesce(wanted, (select first from free_addresses where network_id = network order by last limit 1));
end
$$;

create function take_address() returns trigger language plpgsql as $$
declare
  free free_addresses;
begin
  perform from networks where id = new.network_id for no key update;
  select * into free from free_addresses
    where network_id = new.network_id and last >= new.ip order by last limit 1;
  if free.first = new.ip and free.last > new.ip then
    update free_addresses set first = new.ip + 1 where network_id = free.network_id and last = free.last;
  elsif free.first <= new.ip then
    delete from free_addresses where network_id = free.network_id and last = free.last;
    if free.first < new.ip then
      insert into free_addresses (network_id, first, last) values (free.network_id, free.first, new.ip - 1);
    end if;
    if new.ip < free.last then
      insert into free_addresses (network_id, first, last) values (free.network_id, new.ip + 1, free.last);
    end if;
  end if;
  return null;
end
$$;

create function free_address() returns trigger language plpgsql as $$
begin
  insert into free_addresses (network_id, first, last)
  select id, old.ip, old.ip from networks
  where id = old.network_id and old.ip between first_ip and last_ip and old.ip <> all(reserved_addresses(address, gateway))
  for key share;
  return null;
end
$$;

create function assign_range() returns trigger language plpgsql as $$
begin
  perform rebuild_free_addresses(new.id);
  return null;
end
$$;

create trigger free_address after delete on interfaces for each row execute function free_address();
create trigger free_changed_address after update on interfaces
  for each row when ((new.network_id, new.ip) is distinct from (old.network_id, old.ip)) execute function free_address();
create trigger take_address after insert on interfaces for each row execute function take_address();
create trigger take_changed_address after update on interfaces
  for each row when ((new.network_id, new.ip) is distinct from (old.network_id, old.ip)) execute function take_address();
create trigger assign_range after insert on networks for each row execute function assign_range();
create trigger assign_changed_range after update on networks
  for each row when ((new.address, new.first_ip, new.last_ip, new.gateway)
    is distinct from (old.address, old.first_ip, old.last_ip, old.gateway))
  execute function assign_range();

select rebuild_free_addresses(id) from networks;
