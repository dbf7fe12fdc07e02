// How much of the database searches may use.

/** Connections for statements of few shapes. */
export const STEADY = 4;
/** Connections for statements that may be slow. */
export const IN_LANE = 4;
/** Concurrent searches of one user; each uses one connection, so half of them are left to other users. */
export const SHARE = 2;
/** Milliseconds, including all waiting, so that the answer is there within two seconds. */
export const LONGEST_SEARCH = 1_800;
