-- Two items that swap their places in a stack hold one of them twice for a moment.
alter table items
  drop constraint items_stack_member_key,
  add constraint items_stack_member_key unique (host_id, stack_member) deferrable initially deferred;

-- What a job has found of the rows of a long file, one verdict a line, and the state of the rows that it has checked.
alter table imports
  add column verdicts text,
  add column checked_state integer;
