// How much a request may ask for; docs/operating.md tells it.

/** Fuzzy terms of one query. */
export const MOST_FUZZY_TERMS = 100;
/** Characters of each of them, if there are so many; fewer may be longer. */
export const LONGEST_OF_MANY_FUZZY = 16;
/** Combining marks in a row in any text. */
export const MOST_MARKS = 30;
