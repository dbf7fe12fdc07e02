-- What the rows of an uploaded file become: the import of hosts is the second one.
alter table imports add column kind text not null default 'items'
  constraint imports_kind_known check (kind in ('items', 'hosts'));
