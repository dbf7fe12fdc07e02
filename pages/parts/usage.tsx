interface Props {
  used: number;
  size: bigint;
}

/** How much is in use: to be seen and to be read. */
export function Usage({ used, size }: Props) {
  const most = Number(size);
  const text = `${used.toLocaleString("en")} of ${countOf(size)}`;
  return (
    <span class="usage">
      <meter min={0} max={most} high={most * 0.8} optimum={0} value={used} title={text}>
        {text}
      </meter>{" "}
      {text}
    </span>
  );
}

/** Of a scope, in percent. */
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

/** An IPv6 network has more addresses than anybody reads. */
export function countOf(count: bigint): string {
  if (count < SPELT_OUT) return count.toLocaleString("en");
  return `≈2^${Math.round(Math.log2(Number(count)))}`;
}
