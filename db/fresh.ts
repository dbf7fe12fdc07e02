/** Whether anybody has changed anything since the first start: every change leaves its change set. */
export const HAS_DATA =
  "select exists (select from change_sets) or (select count(*) > 1 from users) as has_data";
