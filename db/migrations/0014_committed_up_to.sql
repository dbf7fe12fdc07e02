-- One way to read a table in the order of its ids without missing a row, for change sets and for the audit log. Ids are
-- drawn when a transaction inserts a row, but transactions commit in another order.

-- The last id that the table has drawn, whether or not its transaction has ended.
create function last_drawn_id(name text) returns bigint language sql volatile as $$
  select coalesce(pg_sequence_last_value((name || '_id_seq')::regclass), 0)
$$;

-- Called by each transaction before it draws an id. Until its end, the transaction holds a lock on a number below that
-- id, which committed_up_to reads.
create function lock_before_next_id(name text) returns void language sql volatile as $$
  select pg_advisory_xact_lock_shared(hashtext(name) & 2147483647, last_drawn_id(name)::integer)
$$;

-- Every row of the table up to this id is committed or rolled back. Statements that begin later see all of them.
-- A replica has no locks of writers: there it is the last row that is half a minute older than the newest commit,
-- because no transaction takes as long. Volatile: each statement sees what was committed before it.
create function committed_up_to(name text) returns bigint language plpgsql volatile as $$
declare
  drawn bigint;
  under_way bigint;
  found bigint;
begin
  if pg_is_in_recovery() then
    execute format(
      'select max(id) from %I where at < pg_last_xact_replay_timestamp() - interval ''30 seconds''', name
    ) into found;
    return coalesce(found, 0);
  end if;
  drawn := last_drawn_id(name);
  select min(objid::bigint) into under_way from pg_locks
    where locktype = 'advisory' and objsubid = 2 and classid::bigint = hashtext(name) & 2147483647
      and database = (select oid from pg_database where datname = current_database());
  return least(drawn, coalesce(under_way, drawn));
end
$$;

create or replace function begin_change_set(moment timestamptz, by_user integer, request text) returns bigint
language plpgsql as $$
declare
  made bigint;
begin
  perform lock_before_next_id('change_sets');
  insert into change_sets (at, user_id, request_id) values (coalesce(moment, now()), by_user, request)
    returning id into made;
  return made;
end
$$;

create or replace function announce_audit() returns trigger language plpgsql as $$
begin
  perform lock_before_next_id('audit_log');
  return null;
end
$$;

drop function settled_change_set(), drawn_change_set(), settled_audit();
