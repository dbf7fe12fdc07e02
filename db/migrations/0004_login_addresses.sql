-- The addresses from which users logged in: there, failures by others never slow a user down. An address is an IPv4 address or
-- the /64 of an IPv6 address, as in login_failures. Not in users, whose rows are tracked.
create table login_addresses (
  user_id integer not null references users on delete cascade,
  address text not null,
  at timestamptz not null default now(),
  primary key (user_id, address)
);
