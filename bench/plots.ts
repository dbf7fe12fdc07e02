// Plots as SVG, for light and dark mode: lines over logarithmic scales, each labelled at its end.
export interface PlotLine {
  label: string;
  points: Array<{ at: number; value: number }>;
}

export interface Plot {
  title: string;
  /** The horizontal axis; `at` returns the label of a position. */
  along: string;
  at: (place: number) => string;
  unit: string;
  lines: PlotLine[];
}

const [WIDTH, PLOT, LEFT, TOP] = [860, 360, 64, 56];
const LABELS = 330;
const RIGHT = WIDTH - LABELS;
const ROW = 15;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #334155 }
  .title { font-weight: 600; font-size: 14px }
  .quiet { fill: #64748b }
  .grid { stroke: #cbd5e1; stroke-width: 1 }
  .line { fill: none; stroke-width: 1.75 }
  .ground { fill: #fff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e2e8f0 } .quiet { fill: #94a3b8 } .grid { stroke: #334155 } .ground { fill: #0f172a }
  }`;
/** Of medium brightness, so that they are visible on white and on black. */
const COLOURS = [
  "#2f7ed8",
  "#d9662b",
  "#3d9a50",
  "#a259c4",
  "#b8860b",
  "#d1436f",
  "#2a9d9d",
  "#7a7f87",
  "#6a8f1f",
  "#5b6ee1",
  "#a0683f",
  "#c2410c",
];

const POWERS = [-3, -2, -1, 0, 1, 2, 3, 4, 5];

export function plot({ title, along, at, unit, lines }: Plot): string {
  const shown = lines.filter(({ points }) => points.some(({ value }) => value > 0));
  const places = [...new Set(shown.flatMap(({ points }) => points.map((point) => point.at)))];
  const height = Math.max(PLOT, TOP + 40 + shown.length * ROW);
  const bottom = height - 44;
  const x = scale(places, { from: LEFT, to: RIGHT });
  const steps = stepsOf(shown);
  const y = scale(steps, { from: bottom, to: TOP });
  const names = spread(shown, y, { top: TOP, bottom });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text class="title" x="${LEFT}" y="20">${escaped(title)}</text>
<text class="quiet" x="${LEFT}" y="37">${escaped(unit)}</text>
${steps.map((value) => grid(y(value), String(value))).join("\n")}
${places.map((place) => `<text class="quiet" text-anchor="middle" x="${fixed(x(place))}" y="${bottom + 18}">${escaped(at(place))}</text>`).join("\n")}
<text class="quiet" text-anchor="middle" x="${(LEFT + RIGHT) / 2}" y="${bottom + 36}">${escaped(along)}</text>
${shown.map((line, index) => drawn(line, { x, y, name: names[index] ?? 0, colour: COLOURS[index % COLOURS.length] ?? "" })).join("\n")}
</svg>
`;
}

type AxisScale = (value: number) => number;

function scale(values: number[], { from, to }: { from: number; to: number }): AxisScale {
  const [least, most] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => from + ((Math.log(value) - least) / (most - least || 1)) * (to - from);
}

/** 1, 2 and 5 times each power of ten, from below the smallest value to above the largest. */
function stepsOf(lines: PlotLine[]): number[] {
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const all = POWERS.flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)));
  const [first, last] = [
    all.findLastIndex((step) => step <= least),
    all.findIndex((step) => step >= most),
  ];
  return all.slice(first, last + 1);
}

function grid(y: number, label: string): string {
  return `<path class="grid" d="M${LEFT} ${fixed(y)}H${RIGHT}"/><text class="quiet" text-anchor="end" x="${LEFT - 8}" y="${fixed(y + 4)}">${label}</text>`;
}

interface Drawing {
  x: AxisScale;
  y: AxisScale;
  /** The y position of the label. */
  name: number;
  colour: string;
}

function drawn({ label, points }: PlotLine, { x, y, name, colour }: Drawing): string {
  const path = points.map(({ at, value }) => `${fixed(x(at))} ${fixed(y(value))}`).join("L");
  const end = y(points.at(-1)?.value ?? 1);
  const dots = points.map(
    ({ at, value }) => `<circle cx="${fixed(x(at))}" cy="${fixed(y(value))}" r="3"/>`,
  );
  return `<g stroke="${colour}"><path class="line" d="M${path}"/><path d="M${RIGHT + 6} ${fixed(end)}L${RIGHT + 20} ${fixed(name)}"/></g><g fill="${colour}">${dots.join("")}</g><text x="${RIGHT + 24}" y="${fixed(name + 4)}">${escaped(label)}</text>`;
}

/** The positions of the labels: beside the ends of the lines, without overlap. */
function spread(
  lines: PlotLine[],
  y: AxisScale,
  { top, bottom }: { top: number; bottom: number },
): number[] {
  const ends = lines.map(({ points }, index) => ({ index, end: y(points.at(-1)?.value ?? 1) }));
  const places = new Array<number>(lines.length).fill(0);
  let free = top;
  const sorted = ends.toSorted((one, other) => one.end - other.end);
  for (const [rank, { index, end }] of sorted.entries()) {
    const lowest = bottom - (sorted.length - 1 - rank) * ROW;
    free = Math.min(Math.max(end, free), lowest);
    places[index] = free;
    free += ROW;
  }
  return places;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}
