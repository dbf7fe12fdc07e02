/** Starting parallel workers or the JIT compiler takes longer than nearly all of our statements. */
export const PLANNED = { max_parallel_workers_per_gather: 0, jit: "off" };
