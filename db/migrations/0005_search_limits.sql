-- Texts as a whole, in lower case, for those who look for one that has no word in it: no index of words knows
-- that. Hashed, since a text may be longer than what a B-tree takes.
create index hosts_description_hash on hosts using hash ((lower(description) collate "C"));
create index interfaces_description_hash on interfaces using hash ((lower(description) collate "C"));
create index comments_body_hash on comments using hash ((lower(body) collate "C"));
