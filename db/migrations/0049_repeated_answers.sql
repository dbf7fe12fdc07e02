-- An answer that is repeated names the change set of the first request, too.
alter table idempotency_keys add column change_set bigint;
