/** The median. */
export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** The spread over the rounds; undefined without values. */
export function spread(values: number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** The ratios of two series that were measured in the same rounds. */
export function ratio(above: number[], below: number[]): Spread | undefined {
  const each = above.flatMap((value, round) => {
    const other = below[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return spread(each);
}

/** Rounded to three significant digits. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatSpread(spread: Spread | undefined): string {
  if (!spread) return "";
  return `${formatNumber(spread.median)} (${formatNumber(spread.least)}–${formatNumber(spread.most)})`;
}
