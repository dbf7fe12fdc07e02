-- Whole texts in lower case, for searches for a text without a word in it, which no index of words contains. Hashed,
-- because a text may be too long for a B-tree.
create index hosts_description_hash on hosts using hash ((lower(description) collate "C"));
create index interfaces_description_hash on interfaces using hash ((lower(description) collate "C"));
create index comments_body_hash on comments using hash ((lower(body) collate "C"));
