-- A location may be inside another one: a rack in a hall, a hall in a building.
alter table locations add column parent_id integer
  constraint locations_parent_id_fkey references locations
  constraint locations_parent_not_itself check (parent_id <> id);
create index locations_parent_index on locations (parent_id, id);
