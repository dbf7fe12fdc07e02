-- The key that encrypts the numbers of change sets where callers see them: see src/input/change_ids.ts. 32 bytes; two
-- random UUIDs have 244 random bits.

insert into settings (name, value) values
  ('change_id_key', encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));
