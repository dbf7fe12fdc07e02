-- An index stores at most 2,704 bytes of a row: 1,000 characters of a text may be 4,000 bytes. With the 1,000 bytes
-- that a path may have, a text of 1,600 bytes fits.

create or replace function keep_variables() returns trigger language plpgsql as $$
begin
  delete from host_variables where host_id = new.id;
  insert into host_variables (host_id, path, text, number, truth)
  select distinct new.id, path,
    case when octet_length(lowered) > 1600 then left(lowered, 400) else lowered end,
    case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric end,
    case when jsonb_typeof(value) = 'boolean' then (value #>> '{}')::boolean end
  from values_in(new.automation_vars), lateral (
    select case when jsonb_typeof(value) = 'string' then left(lower((value #>> '{}') collate names), 1000) end
  ) as text (lowered);
  return null;
end
$$;
