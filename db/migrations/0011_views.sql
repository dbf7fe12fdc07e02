-- A saved view of a list is private or shared with everybody.
alter table searches add column shared boolean not null default false;
create index searches_list_idx on searches (list) where shared;

-- The columns of a list that a user has chosen.
create table list_columns (
  user_id integer not null references users on delete cascade,
  list text not null,
  columns text[] not null,
  primary key (user_id, list)
);
