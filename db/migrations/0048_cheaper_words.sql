-- As it was, in PL/pgSQL: PostgreSQL plans a function in SQL again for each statement that writes an index with it. That took
-- 36 microseconds for each host and each interface, even without a description. The expression of words_of() is repeated here,
-- because a call would cost more; the schema is named, because PostgreSQL builds indexes without it in its search path.
do $$ begin
  execute format($function$
    create or replace function word_index(words text) returns tsvector language plpgsql immutable parallel safe as $body$
    begin
      if words is null then return ''; end if;
      return array_to_tsvector(array(
        select left(word[1], 500)
        from regexp_matches(lower(words collate %I.names), '([[:alnum:]]+(?:[-_.]+[[:alnum:]]+)*)', 'g') word));
    end
    $body$
  $function$, current_schema());
end $$;
