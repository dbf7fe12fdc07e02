-- Administration: the whole audit log, when each user was last seen, and when backups were made.

-- One entry may count several events of one kind by one caller: see src/auth/audit_limits.ts. Keys are integers,
-- as in all tables that can be searched.
alter table audit_log
  alter column id type integer,
  alter column username type text collate names,
  add column target text collate names constraint audit_log_target_length check (length(target) <= 200),
  add column count integer not null default 1,
  add column last_at timestamptz;
create index audit_log_username_index on audit_log (lower(username), id);
create index audit_log_target_index on audit_log (lower(target), id);

-- The lock is held from before an id is drawn until the entry is committed: see settled_audit().
create function announce_audit() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('audit', 0));
  return null;
end
$$;
create trigger announce before insert on audit_log for each statement execute function announce_audit();

-- The newest entry after which no entry with a lower id can be committed: a program that reads the entries after the
-- last one that it has would miss it. While an entry is written, and on a replica, it is the newest one that is a minute
-- old: no transaction takes so long. Volatile, so that the entries are read after the lock is held.
create function settled_audit() returns integer language plpgsql as $$
begin
  if not pg_is_in_recovery() and pg_try_advisory_xact_lock(hashtextextended('audit', 0)) then
    return (select coalesce(max(id), 0) from audit_log);
  end if;
  return (select coalesce(max(id), 0) from audit_log where at < now() - interval '1 minute');
end
$$;

-- The address of the last use, beside its time.
alter table tokens add column last_used_from text;

-- Not in users, whose rows are tracked. At most one write a minute for each session and token.
create table user_activity (
  user_id integer primary key references users on delete cascade,
  at timestamptz not null default now(),
  address text
);
insert into user_activity (user_id, at)
select user_id, max(at) from (
  select user_id, last_seen_at as at from sessions
  union all select user_id, last_used_at from tokens
  union all select user_id, at from login_addresses
) seen where at is not null group by user_id;

-- Written by `cadastre backup`, and left out of backups.
create table backups (
  at timestamptz primary key default now(),
  file text
);
