-- The list of all changes, and reading them in order without a gap.

-- The first changes of a set, and how many of each kind it has, from the index alone.
drop index changes_change_set_index;
create index changes_change_set_index on changes (change_set, id) include (table_name, action);
create index changes_table_index on changes (table_name, change_set);
-- Records by former names: of deleted records, and of items before they got their label.
create index changes_gone_name_index on changes ((former_label(before) collate names))
  where action = 'delete';
create index changes_gone_mac_index on changes ((before ->> 'address'))
  where table_name = 'macs' and action = 'delete';
create index changes_former_label_of_item_index on changes ((before ->> 'ics_id'))
  where table_name = 'items' and action = 'update' and before ->> 'ics_id' <> after ->> 'ics_id';

-- The newest id that was drawn, whether or not its transaction has ended.
create function drawn_change_set() returns bigint language sql volatile as $$
  select case when is_called then last_value else last_value - 1 end from change_sets_id_seq
$$;

-- Begins the change set of a transaction. Until its end, the transaction holds a lock on an id below its own. The lock
-- is taken before the id is drawn, so no set is ever without it. See settled_change_set.
create function begin_change_set(moment timestamptz, by_user integer, request text) returns bigint
language plpgsql as $$
declare
  made bigint;
begin
  perform pg_advisory_xact_lock_shared(hashtext('change_sets') & 2147483647, drawn_change_set()::integer);
  insert into change_sets (at, user_id, request_id) values (coalesce(moment, now()), by_user, request)
    returning id into made;
  return made;
end
$$;

-- Every change set up to this one is committed or rolled back. Statements that begin later see all of them.
-- A replica has no locks of writers: there it is the newest set that began half a minute before the newest commit,
-- because no transaction takes as long. Volatile: each statement sees what was committed before it.
create function settled_change_set() returns bigint language plpgsql volatile as $$
declare
  drawn bigint;
  under_way bigint;
begin
  if pg_is_in_recovery() then
    return coalesce((
      select max(id) from change_sets where at < pg_last_xact_replay_timestamp() - interval '30 seconds'), 0);
  end if;
  drawn := drawn_change_set();
  select min(objid::bigint) into under_way from pg_locks
    where locktype = 'advisory' and objsubid = 2 and classid::bigint = hashtext('change_sets') & 2147483647
      and database = (select oid from pg_database where datname = current_database());
  return least(drawn, coalesce(under_way, drawn));
end
$$;
