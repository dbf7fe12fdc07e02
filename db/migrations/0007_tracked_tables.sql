-- Adds the triggers of every table that users edit: author and times, a version, and the history of changes.
create function make_tracked(name text) returns void language plpgsql as $$
begin
  execute format(
    'alter table %I
      add column version integer not null default 1,
      add column created_at timestamptz not null default now(),
      add column updated_at timestamptz not null default now(),
      add column created_by integer references users,
      add column updated_by integer references users', name);
  execute format('create trigger stamp before insert or update on %I for each row execute function stamp()', name);
  execute format('create trigger track after insert or update or delete on %I for each row execute function track()', name);
end
$$;
