-- The colour of a status in lists: one of the palette.
alter table statuses add column colour text
  constraint statuses_colour_known check (
    colour in ('grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink')
  );
