/**
 * Starting parallel workers or the JIT compiler takes longer than most of our statements. The pages that they read are in
 * memory: with the default cost of 4 for a page, PostgreSQL reads whole small tables instead of their indexes, such as all
 * networks for the name of one, for each host of a list.
 */
export const PLANNER_SETTINGS = {
  max_parallel_workers_per_gather: 0,
  jit: "off",
  random_page_cost: 1.1,
};
