-- From where users logged in: failures by others never slow a user down there. An address is an IPv4 address or
-- the /64 of an IPv6 address, as in login_failures. Apart from users, whose rows are tracked.
create table login_addresses (
  user_id integer not null references users on delete cascade,
  address text not null,
  at timestamptz not null default now(),
  primary key (user_id, address)
);
