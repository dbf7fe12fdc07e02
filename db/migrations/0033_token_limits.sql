-- What a token may beyond what its user may, and a second secret while programs change to a new one.
alter table tokens
  -- Kinds of records and verbs, such as network:read; empty for everything that the user may.
  add column limits text[] not null default '{}'
    constraint tokens_limits_known check (limits <@ array[
      'network:read', 'network:write', 'inventory:read', 'inventory:write', 'user:read', 'user:write', 'audit:read']),
  -- Blocks of addresses; empty for all addresses.
  add column networks text[] not null default '{}',
  -- Scopes outside of which it writes nothing; empty for everywhere. No reference: a deleted scope keeps the limit.
  add column scope_ids integer[] not null default '{}',
  -- Grows with each rotation, so that of two rotations by one secret only one succeeds.
  add column rotation integer not null default 0,
  add column rotated_at timestamptz,
  add column previous_hash bytea,
  add column previous_until timestamptz,
  add constraint tokens_previous_complete check ((previous_hash is null) = (previous_until is null));

-- The history has no hash of a secret.
create or replace trigger track_made after insert on tokens
  for each row when (new.kind = 'personal') execute function track('secret_hash', 'key', 'previous_hash');
create or replace trigger track_revoked after update of revoked_at on tokens
  for each row when (new.kind = 'personal') execute function track('secret_hash', 'key', 'previous_hash');
