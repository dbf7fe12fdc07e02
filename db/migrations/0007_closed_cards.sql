-- Cards of the home page that a person has closed for ever, such as the tour.
create table closed_cards (
  user_id integer not null references users on delete cascade,
  name text not null,
  primary key (user_id, name)
);
