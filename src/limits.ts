/** Combining marks in a row in any text. */
export const MOST_MARKS = 30;
