-- As many hosts as the setting bench.hosts says, half of them with a second interface, one in ten on an item, and as many
-- entries of the audit log. Written at one go: triggers are off, but for those that keep what search reads, and indexes are
-- made when the rows are there.

set local maintenance_work_mem = '512MB';
set local jit = off;

create temporary table filled on commit drop as
select unnest(array['domains', 'scopes', 'networks', 'groups', 'hosts', 'interfaces', 'cnames', 'group_hosts', 'items']) as name;
create temporary table dropped on commit drop as
select tablename, indexname, indexdef from pg_indexes
where (tablename in (select name from filled) or tablename = 'full_names')
  and not exists (select from pg_constraint where conname = indexname);
do $$ declare one record; begin
  for one in select * from filled loop execute format('alter table %I disable trigger user', one.name); end loop;
  for one in select * from dropped loop execute format('drop index %I', one.indexname); end loop;
end $$;
alter table hosts enable trigger keep_variables;

insert into domains (name)
select name || '.example.org' from unnest(array['north', 'east', 'south', 'west']) name;
insert into scopes (name, first_vlan, last_vlan, supernet, domain_id)
select 'Site-' || lpad((number + 1)::text, 2, '0'), 1, 4094,
  set_masklen('10.128.0.0'::inet + number * 262144::bigint, 14)::cidr, domains.id
from generate_series(0, 31) number
  join domains on domains.name = (array['north', 'east', 'south', 'west'])[1 + number % 4] || '.example.org';
insert into groups (name)
select 'Monitored' union all select 'role-' || lpad(number::text, 2, '0') from generate_series(0, 49) number;

-- 160 hosts share two networks, one for all of them and one for the second interface of every other; scopes take turns.
insert into networks (vlan_name, vlan_id, address, first_ip, last_ip, gateway, sensitive, scope_id, domain_id)
select 'Net-' || lpad(number::text, 5, '0'), 1 + place, set_masklen(start, 24)::cidr, start + 10, start + 249, start + 254,
  number % 50 = 49, scopes.id, scopes.domain_id
from generate_series(0, (current_setting('bench.hosts')::integer - 1) / 160 * 2 + 1) number
  cross join lateral (select number / 64 * 2 + number % 2 as place) inside
  cross join lateral (select '10.128.0.0'::inet + number / 2 % 32 * 262144::bigint + place * 256 as start) block
  join scopes on scopes.supernet >> start;

create temporary table numbered on commit drop as
select number, nextval('hosts_id_seq')::integer as id, moment, author,
  (array['acc', 'bcm', 'blm', 'bpm', 'cry', 'cws', 'det', 'ess', 'fbs', 'gas', 'hvs', 'ics', 'ion', 'lws', 'mag', 'mps', 'ntw', 'pbi',
    'pss', 'rfq', 'tds', 'tgt', 'tim', 'vac', 'wtr'])[1 + number % 25]
  || '-' || (array['box', 'cam', 'ctr', 'ioc', 'mtca', 'plc', 'srv', 'sw'])[1 + number / 25 % 8]
  || '-' || lpad(number::text, 7, '0') as name
from generate_series(0, current_setting('bench.hosts')::integer - 1) number
  -- Three years, and the people in turn.
  cross join lateral (
    select date_trunc('second', '2023-01-01'::timestamptz + number * ('1095 days'::interval / current_setting('bench.hosts')::integer)) as moment
  ) time
  join (select id as author, row_number() over (order by id) - 1 as place, count(*) over () as all_of_them from users) people
    on place = number % all_of_them;
create index on numbered (number);
-- Without a count of the rows PostgreSQL goes through all networks for each host.
analyze numbered, networks;

-- The trigger that keeps variables is planned while there are none.
set local enable_seqscan = off;
insert into hosts (id, name, description, is_ioc, device_type_id, automation_vars, created_at, updated_at, created_by, updated_by)
select numbered.id, name,
  case number % 5
    when 0 then 'Controller of section ' || number % 97
    when 1 then 'Power supply of magnet ' || number / 97 || ', section ' || number % 97
    when 2 then 'Gauge of pump ' || number % 1009 || ', vacuum sector ' || number % 31
  end,
  number % 4 = 0, types.id,
  case when number % 5 = 3
    then jsonb_build_object('section', number % 97, 'firmware', '2.' || number % 12 || '.' || number % 7, 'port', number % 50000)
    else '{}' end,
  moment, moment + number % 200 * '1 hour'::interval, author, author
from numbered
  join (select id, row_number() over (order by id) - 1 as place, count(*) over () as all_of_them from device_types) types
    on place = number % all_of_them
order by number;
set local enable_seqscan = on;

insert into interfaces (host_id, network_id, name, ip, mac, created_at, updated_at, created_by, updated_by)
select numbered.id, networks.id, numbered.name || (array['', '-mgmt'])[1 + which], networks.first_ip + number % 160,
  ('0a' || lpad(to_hex(number * 2::bigint + which), 10, '0'))::macaddr, moment, moment, author, author
from numbered
  cross join generate_series(0, 1) which
  join networks on networks.vlan_name = 'Net-' || lpad((number / 160 * 2 + which)::text, 5, '0')
where which = 0 or number % 2 = 0
order by number, which;

insert into cnames (name, interface_id)
select 'alias-' || number || '.north.example.org', interfaces.id
from numbered join interfaces on interfaces.name = numbered.name where number % 20 = 0;

insert into group_hosts (group_id, host_id)
select groups.id, numbered.id from numbered
  join groups on groups.name = 'role-' || lpad((number % 50)::text, 2, '0')
    or groups.name = 'Monitored' and number % 100 < 28;

insert into items (ics_id, serial_number, manufacturer_id, model_id, location_id, status_id, host_id)
select chr(66 + place / 676000) || chr(65 + place / 26000 % 26) || chr(65 + place / 1000 % 26) || lpad((place % 1000)::text, 3, '0'),
  upper(substr(md5(number::text), 1, 10)), like_it.manufacturer_id, like_it.model_id, like_it.location_id, like_it.status_id, numbered.id
from numbered
  cross join lateral (select number / 10 as place) tenth
  join (
    select *, row_number() over (order by id) - 1 as rank, count(*) over () as all_of_them from items where model_id is not null
  ) like_it on rank = place % all_of_them
where number % 10 = 0;

-- Logins of today: housekeeping deletes old entries.
insert into audit_log (event, username, target, address, details)
select 'login.succeeded', 'user' || number % 50, 'user' || number % 50, '10.0.0.' || number % 250, '{"way": "password"}'
from numbered;

do $$ declare one record; begin
  for one in select * from dropped where tablename <> 'full_names' loop execute one.indexdef; end loop;
  analyze hosts, interfaces, networks;
  perform keep_full_names(array(select id from numbered));
  -- Its statements are planned while there are no free addresses.
  set local enable_seqscan = off;
  perform rebuild_free_addresses(id) from networks;
  set local enable_seqscan = on;
  for one in select * from dropped where tablename = 'full_names' loop execute one.indexdef; end loop;
  for one in select * from filled loop execute format('alter table %I enable trigger user', one.name); end loop;
end $$;
