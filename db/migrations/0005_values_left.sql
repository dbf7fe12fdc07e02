-- A value that an earlier definition of the key has left may be too long for an index (2,704 bytes) or no key of a record: it is
-- neither a line nor a key for a field of today, as it is no number, time or list of another type.
create function site_line(site jsonb, key text) returns text language sql immutable parallel safe as $$
  select case when octet_length(site ->> key) <= 2600 then site ->> key end
$$;

create function site_key(site jsonb, key text) returns integer language sql immutable parallel safe as $$
  select case when jsonb_typeof(site -> key) = 'number'
    then case when (site ->> key)::numeric between 1 and 2147483647 then (site ->> key)::numeric::integer end end
$$;
