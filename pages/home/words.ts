// Spans of time, in words.

const [WEEK, MONTH] = [7, 30.4];

/** No more exact than a trend is: days up to two weeks, then weeks, then months. */
export function spanInWords(days: number): string {
  if (days < 2 * WEEK) return counted(days, "day");
  if (days < 2 * MONTH) return counted(Math.round(days / WEEK), "week");
  return counted(Math.round(days / MONTH), "month");
}

/** The difference of a total: "12 more in 90 days". */
export function trendInWords(difference: number, days: number): string {
  if (difference === 0) return `the same as ${days} days ago`;
  const amount = Math.abs(difference).toLocaleString("en");
  return `${amount} ${difference > 0 ? "more" : "fewer"} in ${days} days`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
