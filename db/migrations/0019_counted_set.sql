-- The newest change set before which nothing is under way, for totals that are brought up to date by the changes since:
-- see src/store/totals/. Null where that is not known: on a replica, or while a transaction writes that began no
-- change set, such as one by hand, because its id is only drawn with its first change. Volatile: the set is to be read
-- after the locks.
create function counted_set() returns bigint language plpgsql volatile as $$
declare
  settled bigint;
begin
  if pg_is_in_recovery() then return null; end if;
  settled := committed_up_to('change_sets');
  if exists (
    with held as (
      select pid, objsubid, (classid::bigint << 32) | objid::bigint as key, classid::bigint as class from pg_locks
      where locktype = 'advisory' and mode = 'ShareLock'
        and database = (select oid from pg_database where datname = current_database())
    )
    select from held writing
    where objsubid = 1 and key = hashtextextended('changes', 0) and not exists (
      select from held announced
      where announced.pid = writing.pid and objsubid = 2 and class = hashtext('change_sets') & 2147483647)
  ) then return null; end if;
  return (select max(id) from change_sets where id <= settled);
end
$$;
