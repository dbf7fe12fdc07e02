interface Props {
  used: number;
  size: bigint;
}

/** How much of a network is in use, as a bar and as text. */
export function Usage({ used, size }: Props) {
  const most = Number(size);
  const text = `${used.toLocaleString("en")} of ${addressCount(size)}`;
  return (
    <span class="usage">
      <meter min={0} max={most} high={most * 0.8} optimum={0} value={used} title={text}>
        {text}
      </meter>{" "}
      {text}
    </span>
  );
}

/** How much of a scope is in use, in percent. */
export function Share({ percent }: { percent: number }) {
  return (
    <span class="usage">
      <meter min={0} max={100} high={90} optimum={0} value={percent} title={`${percent} %`}>
        {percent} %
      </meter>{" "}
      {percent} %
    </span>
  );
}

const SPELT_OUT = 10_000_000n;

/** Counts of IPv6 addresses are shown as powers of two. */
export function addressCount(count: bigint): string {
  if (count < SPELT_OUT) return count.toLocaleString("en");
  return `≈2^${Math.round(Math.log2(Number(count)))}`;
}
