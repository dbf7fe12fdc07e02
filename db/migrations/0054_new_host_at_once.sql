-- A new host is one statement without a transaction around it: its label is locked and compared with the cnames by a
-- function, which sees what was committed before it held the lock. The refusal is that of a host with the same name.
create function lock_new_label(key text, label text, domain integer) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(key, 0));
  if exists (
    select from cnames
    where split_part(name, '.', 1) = label
      and name = label || '.' || (select domains.name from domains where domains.id = domain)
  ) then
    raise unique_violation using message = 'A cname has this name', constraint = 'hosts_name_key',
      detail = format('Key (name)=(%s) already exists.', label);
  end if;
end
$$;
