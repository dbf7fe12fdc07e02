// Limits on what searches may use of the database.

/** Connections with generic plans, for statements of few shapes. */
export const GENERIC_PLAN_CONNECTIONS = 4;
/** Connections for statements that may be slow. */
export const SLOW_CONNECTIONS = 4;
/** Concurrent searches of one user; each uses one connection, so half of them are left to other users. */
export const SEARCHES_PER_USER = 2;
/** Milliseconds, including all waiting, so that a search is answered within two seconds. */
export const LONGEST_SEARCH = 1_800;
