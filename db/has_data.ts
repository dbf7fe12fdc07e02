/** Whether anything was changed since the first start: each change has a change set. */
export const HAS_DATA =
  "select exists (select from change_sets) or (select count(*) > 1 from users) as has_data";
