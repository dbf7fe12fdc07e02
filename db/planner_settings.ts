/** Starting parallel workers or the JIT compiler takes longer than most of our statements. */
export const PLANNER_SETTINGS = { max_parallel_workers_per_gather: 0, jit: "off" };
