-- A status may have a colour of the palette, in which lists show it.
alter table statuses add column colour text
  constraint statuses_colour_known check (
    colour in ('grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink')
  );
