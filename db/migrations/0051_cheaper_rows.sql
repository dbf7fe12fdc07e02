-- Full names, stamps and checks, made cheaper for a new host with its interface, and for a change that renames nothing.

-- A new host gets its full name once, with the interfaces that the same statement writes.
create or replace function name_hosts() returns trigger language plpgsql as $$
begin
  insert into full_names (host_id, name)
  select new_rows.id, coalesce(new_rows.name || '.' || (
      select domains.name from interfaces
        join networks on networks.id = network_id join domains on domains.id = domain_id
      where host_id = new_rows.id order by interfaces.name <> new_rows.name, interfaces.id limit 1), new_rows.name)
  from new_rows
  on conflict do nothing;
  return null;
end
$$;

-- A transition table costs more than the name: none where no name changes.
create function name_renamed_host() returns trigger language plpgsql as $$
begin
  perform keep_full_names(array[new.id]);
  return null;
end
$$;
drop trigger name_changed_hosts on hosts;
create trigger name_renamed_host after update of name on hosts
  for each row when (new.name <> old.name) execute function name_renamed_host();

-- A host that the same statement wrote is named above: rows of one statement have the same xmin and cmin.
create or replace function name_owners() returns trigger language plpgsql as $$
begin
  perform from hosts join interfaces one on one.id = new.id and one.xmin = hosts.xmin and one.cmin = hosts.cmin
  where hosts.id = new.host_id;
  if not found then perform keep_full_names(array[new.host_id]); end if;
  return null;
end
$$;
drop trigger name_owners_of_new on interfaces;
create trigger name_owner_of_new after insert on interfaces for each row execute function name_owners();

-- As they were, but as a function: each statement parses the text of a check again, and that of a pattern is long.
create function is_label(name text) returns boolean language plpgsql immutable parallel safe as $$
begin
  return name ~ '^[a-z0-9][a-z0-9-]*[a-z0-9]$' and length(name) <= 63;
end
$$;
alter table hosts drop constraint hosts_name_format;
alter table hosts add constraint hosts_name_format check (is_label(name));
alter table interfaces drop constraint interfaces_name_format;
alter table interfaces add constraint interfaces_name_format check (is_label(name));

-- As it was, asking for the time and the author once for each row.
create or replace function stamp() returns trigger language plpgsql as $$
declare
  moment timestamptz := app_now();
  author integer := app_user();
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
  if tg_op = 'UPDATE' then
    new.version := old.version + 1;
    new.created_at := old.created_at;
    new.created_by := old.created_by;
  elsif current_setting('app.puts_back', true) = 'yes' then
    new.version := new.version + 1;
  else
    new.version := 1;
    new.created_at := moment;
    new.created_by := author;
  end if;
  new.updated_at := moment;
  new.updated_by := author;
  return new;
end
$$;
