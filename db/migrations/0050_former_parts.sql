-- What a record had to do with others, and its former names, in tables of their own. Seventeen partial indexes of `changes`
-- had them: PostgreSQL opens each of those, and plans its condition, for each row of history. Now only what goes away is
-- written: most changes write nothing here.

-- Rows that belonged to another row by this column, and do not any more.
create table former_parts (
  table_name text not null,
  key text not null,
  owner_id integer not null,
  row_id integer not null,
  constraint former_parts_pkey primary key (table_name, key, owner_id, row_id)
);

-- Names that records had before they were renamed or deleted, in lower case. The newest change is the one to follow.
create table former_names (
  name text collate names not null,
  table_name text not null,
  row_id integer not null,
  change_id bigint not null
);
create index former_names_name_index on former_names (name, table_name);

-- The columns by which rows of a table belong to others.
create function part_keys(table_name text) returns text[] language sql immutable return
  case table_name
    when 'interfaces' then array['host_id', 'network_id']
    when 'networks' then array['domain_id', 'scope_id']
    when 'scopes' then array['domain_id']
    when 'items' then array['host_id', 'parent_id']
    when 'cnames' then array['interface_id']
    when 'comments' then array['item_id']
    when 'macs' then array['item_id']
    when 'group_hosts' then array['group_id', 'host_id']
    when 'group_children' then array['parent_id']
    else '{}'
  end;

-- The column with the name of a record.
create function name_key(table_name text) returns text language sql immutable return
  case table_name when 'networks' then 'vlan_name' when 'items' then 'ics_id' when 'macs' then 'address' else 'name' end;

insert into former_parts (table_name, key, owner_id, row_id)
select distinct table_name, key, (before ->> key)::integer, row_id
from changes cross join unnest(part_keys(table_name)) key
where before ->> key is distinct from after ->> key and before ->> key is not null;

insert into former_names (name, table_name, row_id, change_id)
select lower((before ->> name_key(table_name)) collate names), table_name, row_id, max(id)
from changes
where before ->> name_key(table_name) is not null
  and lower((before ->> name_key(table_name)) collate names)
    is distinct from lower((after ->> name_key(table_name)) collate names)
group by 1, 2, 3;

drop index
  changes_left_item_index, changes_joined_item_index, changes_left_host_index, changes_mounted_index,
  changes_joined_network_index, changes_left_interface_index, changes_joined_interface_index,
  changes_left_group_index, changes_joined_group_index, changes_left_parent_group_index,
  changes_joined_parent_group_index, changes_joined_parent_index, changes_gone_label_index,
  changes_former_label_index, changes_gone_name_index, changes_gone_mac_index, changes_former_label_of_item_index;
-- changes_joined_host_index stays: while a host is deleted, only the history says that it was hidden. former_label() stays for the
-- release before this one.

-- As they were, finding the former interfaces of a host in former_parts.
create or replace function is_hidden_host(host integer) returns boolean language sql stable as $$
  select case when exists (select from hosts where id = host) then is_sensitive_host(host)
    else not exists (select from changes where table_name = 'hosts' and row_id = host) or exists (
      select from former_parts join changes using (table_name, row_id)
      where table_name = 'interfaces' and key = 'host_id' and owner_id = host
        and (before ->> 'host_id')::integer = host and is_hidden_network((before ->> 'network_id')::integer)
    ) or exists (
      select from changes
      where table_name in ('interfaces', 'group_hosts') and (after ->> 'host_id')::integer = host
        and after ? 'network_id' and is_hidden_network((after ->> 'network_id')::integer)
    ) end
$$;
create or replace function is_hidden_host(host integer, seen integer[]) returns boolean language sql stable as $$
  select case
    when exists (select from hosts where id = host) then exists (
      select from interfaces join networks on networks.id = interfaces.network_id
      where interfaces.host_id = host and networks.sensitive and networks.id <> all(seen))
    else not exists (select from changes where table_name = 'hosts' and row_id = host) or exists (
      select from former_parts join changes using (table_name, row_id)
      where table_name = 'interfaces' and key = 'host_id' and owner_id = host
        and (before ->> 'host_id')::integer = host and is_hidden_network((before ->> 'network_id')::integer, seen)
    ) or exists (
      select from changes
      where table_name in ('interfaces', 'group_hosts') and (after ->> 'host_id')::integer = host
        and after ? 'network_id' and is_hidden_network((after ->> 'network_id')::integer, seen)
    ) end
$$;

-- Only track() writes actions, as PostgreSQL names them; a check is parsed again by each statement.
alter table changes drop constraint changes_action_known;

-- As it was, but for what goes away, and with less work for each row.
create or replace function track() returns trigger language plpgsql as $$
declare
  was jsonb;
  is_now jsonb;
  change bigint;
  key text;
begin
  if tg_op <> 'INSERT' then was := to_jsonb(old) - coalesce(tg_argv, '{}'); end if;
  if tg_op <> 'DELETE' then is_now := to_jsonb(new) - coalesce(tg_argv, '{}'); end if;
  -- Before the id is drawn: see settled_change. An expression, as it costs a tenth of a statement.
  if pg_advisory_xact_lock_shared(hashtextextended('changes', 0)) is null then null; end if;
  insert into changes (change_set, at, user_id, table_name, row_id, action, before, after)
  values (
    coalesce(nullif(current_setting('app.change_set', true), '')::bigint, nextval('change_sets_id_seq')),
    app_now(), app_user(), tg_table_name, (coalesce(is_now, was) ->> 'id')::integer, lower(tg_op), was, is_now
  ) returning id into change;
  if tg_op = 'INSERT' then return null; end if;

  key := name_key(tg_table_name);
  if was ->> key is distinct from is_now ->> key then
    insert into former_names (name, table_name, row_id, change_id)
    select former, tg_table_name, (was ->> 'id')::integer, change
    from (select lower((was ->> key) collate names) as former, lower((is_now ->> key) collate names) as present) names
    where former is distinct from present and former is not null;
  end if;
  foreach key in array part_keys(tg_table_name) loop
    if was ->> key is distinct from is_now ->> key and was ->> key is not null then
      insert into former_parts (table_name, key, owner_id, row_id)
      values (tg_table_name, key, (was ->> key)::integer, (was ->> 'id')::integer) on conflict do nothing;
    end if;
  end loop;
  return null;
end
$$;
