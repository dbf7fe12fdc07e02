-- What the home page reads of the past: which records went, and which interfaces moved or went. Insertions, the bulk of
-- the changes, are in neither index.
create index changes_deleted_index on changes (table_name, at) where action = 'delete';
create index changes_interfaces_index on changes (at) where table_name = 'interfaces' and action <> 'insert';
