-- What every write pays for, made cheaper.

-- The author of a row is written by stamp() alone, as the user of its change set, which refers to users; and users are
-- deactivated, never deleted. Two more references in each row made two more checks of the same user for each write, and
-- let all writes of one user lock the same row.
do $$ declare one record; begin
  for one in
    select conrelid::regclass as name, conname from pg_constraint
    join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and connamespace = current_schema()::regnamespace and attname in ('created_by', 'updated_by')
  loop
    execute format('alter table %s drop constraint %I', one.name, one.conname);
  end loop;
end $$;

-- As it was, without those references.
create or replace function make_tracked(name text) returns void language plpgsql as $$
begin
  execute format(
    'alter table %I
      add column version integer not null default 1,
      add column created_at timestamptz not null default now(),
      add column updated_at timestamptz not null default now(),
      add column created_by integer,
      add column updated_by integer', name);
  execute format('create trigger stamp before insert or update on %I for each row execute function stamp()', name);
  execute format('create trigger track after insert or update or delete on %I for each row execute function track()', name);
end
$$;

-- As it was, at once for no text: most descriptions are empty, and two indexes of each host call it.
create or replace function word_index(words text) returns tsvector language sql immutable parallel safe
  return case when words is null then '' else
    (select coalesce(array_to_tsvector(array_agg(left(word, 500))), '') from unnest(words_of(words)) word) end;

-- Hardly any set undoes another.
drop index change_sets_undoes_key;
create unique index change_sets_undoes_key on change_sets (undoes) where undoes is not null;

-- A new host has its bare name, unless the same statement writes its interface: then name_owners_of_new names it.
create or replace function name_hosts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into full_names (host_id, name)
    select id, name from new_rows where not exists (select from interfaces where host_id = new_rows.id)
    on conflict do nothing;
  else
    perform keep_full_names(array(
      select id from new_rows join old_rows using (id) where new_rows.name <> old_rows.name));
  end if;
  return null;
end
$$;
drop trigger name_changed_hosts on hosts;
create trigger name_changed_hosts after update on hosts
  referencing new table as new_rows old table as old_rows for each statement execute function name_hosts();

-- What of an interface decides the full name of its host.
create function name_owners_of_changed() returns trigger language plpgsql as $$
begin
  perform keep_full_names(array(
    select distinct new_rows.host_id from new_rows join old_rows using (id)
    where (new_rows.host_id, new_rows.name, new_rows.network_id) <> (old_rows.host_id, old_rows.name, old_rows.network_id)));
  return null;
end
$$;
drop trigger name_owners_of_changed on interfaces;
create trigger name_owners_of_changed after update on interfaces
  referencing new table as new_rows old table as old_rows for each statement execute function name_owners_of_changed();

-- As it was, without any work when nothing concerns a name.
create or replace function keep_full_names(those integer[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan as $$
begin
  if cardinality(those) = 0 then return; end if;
  perform from hosts where id = any(those) order by id for no key update;
  insert into full_names (host_id, name)
  select hosts.id, coalesce(hosts.name || '.' || (
      select domains.name from interfaces
        join networks on networks.id = network_id join domains on domains.id = domain_id
      where host_id = hosts.id order by interfaces.name <> hosts.name, interfaces.id limit 1), hosts.name)
  from hosts where hosts.id = any(those)
  on conflict (host_id) do update set name = excluded.name where full_names.name <> excluded.name;
end
$$;
