/** The one in the middle, or between the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export interface Ratio {
  median: number;
  least: number;
  most: number;
}

/** Of two series that were measured in the same rounds, round by round. */
export function ratio(above: number[], below: number[]): Ratio | undefined {
  const each = above.flatMap((value, round) => {
    const other = below[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  if (each.length === 0) return undefined;
  return { median: median(each), least: Math.min(...each), most: Math.max(...each) };
}

/** Three digits are all that such measurements are good for. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function shown(ratio: Ratio | undefined): string {
  if (!ratio) return "";
  return `${short(ratio.median)} (${short(ratio.least)}–${short(ratio.most)})`;
}
