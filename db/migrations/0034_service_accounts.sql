-- Accounts of programs: without a password, sessions or a person of a provider. Admins manage their tokens.
alter table users
  add column is_service boolean not null default false,
  add constraint users_service_no_login
    check (not is_service or (password_hash is null and not is_break_glass));

-- Whatever a provider says, nobody logs in as a program.
create function refuse_service_account() returns trigger language plpgsql as $$
begin
  if exists (select from users where id = new.user_id and is_service) then
    raise exception 'user % is a service account, which cannot log in', new.user_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger not_of_service_account before insert or update of user_id on identities
  for each row execute function refuse_service_account();
create trigger not_of_service_account before insert or update of user_id on sessions
  for each row execute function refuse_service_account();
