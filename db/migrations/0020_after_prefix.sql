-- The first text behind all that start with this one, in the order of code points, as the collation "C" has it: what
-- starts with a text lies between the two, which an index finds. Nothing follows the highest code point; no text that
-- people use holds it.
create function after_prefix(prefix text) returns text language plpgsql immutable strict parallel safe as $$
declare
  rest text := prefix;
  code integer;
begin
  while rest <> '' loop
    code := ascii(right(rest, 1));
    rest := left(rest, -1);
    if code < 1114111 then
      -- No text has the code points from 55296 to 57343.
      return rest || chr(case when code = 55295 then 57344 else code + 1 end);
    end if;
  end loop;
  return prefix || repeat(chr(1114111), 100);
end
$$;
