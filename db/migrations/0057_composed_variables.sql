-- Variables are stored as they were sent. The search, which composes what it looks for (NFC), finds them composed.
create or replace function keep_variables() returns trigger language plpgsql as $$
begin
  delete from host_variables where host_id = new.id;
  insert into host_variables (host_id, path, text, number, truth)
  select distinct new.id, path,
    case when octet_length(lowered) > 1600 then left(lowered, 400) else lowered end,
    case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric end,
    case when jsonb_typeof(value) = 'boolean' then (value #>> '{}')::boolean end
  from values_in(new.automation_vars), lateral (
    select case when jsonb_typeof(value) = 'string'
      then left(lower(normalize(value #>> '{}') collate names), 1000) end
  ) as text (lowered);
  return null;
end
$$;
