-- No entries for the words of descriptions that are missing. PostgreSQL takes such an index for a search because a strict
-- function has no value for them.
alter function word_index(text) strict;
drop index hosts_description_words, interfaces_description_words;
create index hosts_description_words on hosts using gin (word_index(description)) where description is not null;
create index interfaces_description_words on interfaces using gin (word_index(description))
  where description is not null;
