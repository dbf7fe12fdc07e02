-- A saved view of a list is for its owner alone, or for everybody.
alter table searches add column shared boolean not null default false;
create index searches_list_idx on searches (list) where shared;

-- The columns of a list as a user has chosen them.
create table list_columns (
  user_id integer not null references users on delete cascade,
  list text not null,
  columns text[] not null,
  primary key (user_id, list)
);
