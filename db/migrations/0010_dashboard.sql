-- For the home page, which reads which records were deleted and which interfaces were moved or deleted. Most changes are
-- insertions, which are in neither index.
create index changes_deleted_index on changes (table_name, at) where action = 'delete';
create index changes_interfaces_index on changes (at) where table_name = 'interfaces' and action <> 'insert';
