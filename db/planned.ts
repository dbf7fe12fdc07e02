/** To start a worker, or a compiler, takes longer than nearly all that is asked for. */
export const PLANNED = { max_parallel_workers_per_gather: 0, jit: "off" };
