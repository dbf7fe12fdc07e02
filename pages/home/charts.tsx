// Small charts, drawn as SVG. What they show is also beside them as text and links, so screen readers skip the drawings
// of lists; lines and columns have a title. Colours come from classes: the policy of pages allows no style attributes.
import type { ComponentChildren } from "preact";
import { dayInWords } from "../records/time.tsx";

const LINE = { width: 120, height: 28, margin: 2 };

interface SparklineProps {
  values: number[];
  /** What the line shows, in words. */
  title: string;
}

/** A total over time: from the smallest value at the bottom to the largest at the top. */
export function Sparkline({ values, title }: SparklineProps) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const { width, height, margin } = LINE;
  const x = (at: number) => rounded((at * width) / Math.max(1, values.length - 1));
  const share = (value: number) => (most === least ? 0.5 : (value - least) / (most - least));
  const y = (value: number) => rounded(height - margin - share(value) * (height - 2 * margin));
  const line = values.map((value, at) => `${x(at)},${y(value)}`).join(" ");
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img">
      <title>{title}</title>
      <polygon points={`0,${height} ${line} ${width},${height}`} />
      <polyline points={line} />
    </svg>
  );
}

export interface Portion {
  label: string;
  count: number;
  href: string;
  class: string;
}

const BAR = 100;

/** One bar of several parts, each a link; the same links follow as a list. */
export function StackedBar({ portions }: { portions: Portion[] }) {
  const total = portions.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  return (
    <svg class="stacked" viewBox={`0 0 ${BAR} 1`} preserveAspectRatio="none" aria-hidden="true">
      {portions.map(({ label, count, href, class: part }) => {
        const [x, width] = [(BAR * before) / total, (BAR * count) / total];
        before += count;
        return (
          <a href={href} tabindex={-1} class={part}>
            <title>{`${label}: ${count.toLocaleString("en")}`}</title>
            <rect x={rounded(x)} width={rounded(width)} height={1} />
          </a>
        );
      })}
    </svg>
  );
}

interface ShareBarProps {
  /** From 0 to 1. */
  share: number;
  class?: string;
}

/** A bar beside its number. */
export function ShareBar({ share, class: kind = "part-1" }: ShareBarProps) {
  return (
    <svg class="share" viewBox={`0 0 ${BAR} 1`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="ground" width={BAR} height={1} />
      <rect class={kind} width={rounded(BAR * Math.min(1, share))} height={1} />
    </svg>
  );
}

interface ColumnsProps {
  days: string[];
  counts: number[];
  hrefOf: (day: string) => string;
}

const COLUMN = { width: 4, gap: 1, height: 48 };

/** A column for each day; each day on which something happened is a link. */
export function Columns({ days, counts, hrefOf }: ColumnsProps) {
  const most = Math.max(1, ...counts);
  const { width, gap, height } = COLUMN;
  return (
    <svg
      class="columns"
      viewBox={`0 0 ${days.length * width - gap} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {days.map((day, at) => {
        const count = counts[at] ?? 0;
        // At least one pixel high.
        const tall = count === 0 ? 1 : Math.max(2, rounded((count / most) * height));
        const column = <rect x={at * width} y={height - tall} width={width - gap} height={tall} />;
        return count === 0 ? (
          column
        ) : (
          <Day {...{ day, count, at, href: hrefOf(day) }}>{column}</Day>
        );
      })}
    </svg>
  );
}

interface DayProps {
  day: string;
  count: number;
  at: number;
  href: string;
  children: ComponentChildren;
}

function Day({ day, count, at, href, children }: DayProps) {
  return (
    <a href={href} tabindex={-1}>
      <title>{`${dayInWords(day)}: ${count.toLocaleString("en")}`}</title>
      <rect class="space" x={at * COLUMN.width} width={COLUMN.width} height={COLUMN.height} />
      {children}
    </a>
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
