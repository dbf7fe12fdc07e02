// What searches may take of the database.

/** Connections for statements of few shapes. */
export const STEADY = 4;
/** Connections for statements that may be slow. */
export const IN_LANE = 4;
/** So many searches of one user run at a time; each uses one connection, so that half are left to the others. */
export const SHARE = 2;
/** Milliseconds, all waiting included; the answer is to be there within two seconds. */
export const LONGEST_SEARCH = 1_800;
