-- Changes that are hidden from all but admins and auditors leave the version, the time and the author of a record as they
-- are, and are counted here instead: an item is mounted on a hidden host, a hidden host is put into a group.
alter table items add column unseen integer not null default 0;
alter table groups add column unseen integer not null default 0;

-- As before, also while a host is deleted: the history of its interfaces is written after its items have left it.
create or replace function is_hidden_host(host integer) returns boolean language sql stable as $$
  select case when exists (select from hosts where id = host) then is_sensitive_host(host)
    else not exists (select from changes where table_name = 'hosts' and row_id = host) or exists (
      select from changes
      where table_name in ('interfaces', 'group_hosts') and (before ->> 'host_id')::integer = host
        and before ? 'network_id' and is_hidden_network((before ->> 'network_id')::integer)
    ) or exists (
      select from changes
      where table_name in ('interfaces', 'group_hosts') and (after ->> 'host_id')::integer = host
        and after ? 'network_id' and is_hidden_network((after ->> 'network_id')::integer)
    ) end
$$;

-- Whether a change of an item is only that it was mounted on hidden hosts or removed from them.
create function is_unseen_mount(was jsonb, is_now jsonb) returns boolean language sql stable as $$
  select jsonb_build_array(was -> 'host_id', was -> 'stack_member')
      <> jsonb_build_array(is_now -> 'host_id', is_now -> 'stack_member')
    and was - '{host_id,stack_member,version,updated_at,updated_by,unseen}'::text[]
      = is_now - '{host_id,stack_member,version,updated_at,updated_by,unseen}'::text[]
    and (was ->> 'host_id' is null or is_hidden_host((was ->> 'host_id')::integer))
    and (is_now ->> 'host_id' is null or is_hidden_host((is_now ->> 'host_id')::integer))
$$;

-- By its name it runs before stamp() and after leave_stack().
create function note_unseen_mount() returns trigger language plpgsql as $$
begin
  if is_unseen_mount(to_jsonb(old), to_jsonb(new)) then
    new.unseen := old.unseen + 1;
  end if;
  return new;
end
$$;
create trigger note_unseen_mount before update on items
  for each row when ((new.host_id, new.stack_member) is distinct from (old.host_id, old.stack_member))
  execute function note_unseen_mount();

-- A visible field changes too: then the change is visible to everybody.
create function note_seen_change() returns trigger language plpgsql as $$
begin
  new.unseen := old.unseen;
  return new;
end
$$;
create trigger note_seen_change before update on groups
  for each row when (new.unseen <> old.unseen
    and (new.name, new.type, new.query, new.vars) is distinct from (old.name, old.type, old.query, old.vars))
  execute function note_seen_change();

-- As before, with an argument for tables that count unseen changes.
create or replace function stamp() returns trigger language plpgsql as $$
begin
  if tg_nargs > 0 then
    -- Rows that undo restores may be older than the column.
    new.unseen := coalesce(new.unseen, 0);
    if tg_op = 'UPDATE' then
      if new.unseen <> old.unseen then
        new.version := old.version;
        new.created_at := old.created_at;
        new.created_by := old.created_by;
        new.updated_at := old.updated_at;
        new.updated_by := old.updated_by;
        return new;
      end if;
    end if;
  end if;
  if tg_op = 'INSERT' and current_setting('app.puts_back', true) = 'yes' then
    new.version := new.version + 1;
  elsif tg_op = 'INSERT' then
    new.version := 1;
    new.created_at := app_now();
    new.created_by := app_user();
  else
    new.version := old.version + 1;
    new.created_at := old.created_at;
    new.created_by := old.created_by;
  end if;
  new.updated_at := app_now();
  new.updated_by := app_user();
  return new;
end
$$;
drop trigger stamp on items;
drop trigger stamp on groups;
create trigger stamp before insert or update on items for each row execute function stamp('unseen');
create trigger stamp before insert or update on groups for each row execute function stamp('unseen');
