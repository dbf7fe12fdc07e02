-- Logs are counted on by the entries that were added since: see src/store/totals/since_entries.ts. Entries are hardly ever
-- changed or deleted. Then the log gets another edition, by which those who have counted it know that they must count again.
-- A row is written by one transaction after the other, so equal editions have the same changes, whoever reads them. They are
-- never given again: not on another server, nor after a restore, which makes this table anew.
create table editions (
  table_name text primary key,
  edition uuid not null default gen_random_uuid()
);
insert into editions (table_name) values ('audit_log');

create function new_edition() returns trigger language plpgsql as $$
begin
  insert into editions (table_name) values (tg_table_name)
    on conflict (table_name) do update set edition = excluded.edition;
  return null;
end
$$;

-- At the end of the statement, so that its transaction holds the row for a short time. Also after a statement that finds no
-- entry: housekeeping sends one an hour.
create trigger new_edition after update or delete or truncate on audit_log
  for each statement execute function new_edition();
