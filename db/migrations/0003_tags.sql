-- Tags: short texts by which people group records of any kind. They are in lower case and in order, each once, whoever writes them.
create function keep_tags() returns trigger language plpgsql as $$
begin
  new.tags := array(select distinct lower(btrim(tag)) as tag from unnest(new.tags) tag order by tag);
  return new;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['locations', 'models', 'items', 'scopes', 'networks', 'hosts', 'interfaces'] loop
    execute format('alter table %I add column tags text[] not null default ''{}''', name);
    execute format('create index %I on %I using gin (tags) with (fastupdate = off)', name || '_tags', name);
    -- Before the trigger `stamp`.
    execute format('create trigger keep_tags before insert or update of tags on %I
      for each row when (new.tags <> ''{}'') execute function keep_tags()', name);
  end loop;
end
$$;
