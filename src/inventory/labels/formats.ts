// The papers and tapes that labels are printed on, in millimetres, from the data sheets of the makers.

export interface Paper {
  /** The name of the page rule in static/print.css. */
  name: string;
  width: number;
  height: number;
}

export interface LabelFormat {
  /** As in URLs. */
  name: string;
  title: string;
  paper: Paper;
  /** Labels in a row and in a column. */
  across: number;
  down: number;
  label: { width: number; height: number };
  /** The top left corner of the first label. */
  margin: { left: number; top: number };
  /** The distance between the corners of neighbouring labels. */
  pitch: { across: number; down: number };
}

const A4 = { name: "a4", width: 210, height: 297 };
const LETTER = { name: "letter", width: 215.9, height: 279.4 };

export const formats: readonly LabelFormat[] = [
  sheet("avery-l7162", "Avery L7162, 16 on A4", {
    paper: A4,
    grid: [2, 8],
    label: { width: 99.1, height: 33.9 },
    margin: { left: 4.65, top: 12.9 },
    pitch: { across: 101.6, down: 33.9 },
  }),
  sheet("avery-l7163", "Avery L7163, 14 on A4", {
    paper: A4,
    grid: [2, 7],
    label: { width: 99.1, height: 38.1 },
    margin: { left: 4.65, top: 15.15 },
    pitch: { across: 101.6, down: 38.1 },
  }),
  sheet("avery-5267", "Avery 5267, 80 on Letter", {
    paper: LETTER,
    grid: [4, 20],
    label: { width: 44.45, height: 12.7 },
    margin: { left: 7.62, top: 12.7 },
    pitch: { across: 52.07, down: 12.7 },
  }),
  sheet("avery-5520", "Avery 5520, 30 on Letter", {
    paper: LETTER,
    grid: [3, 10],
    label: { width: 66.675, height: 25.4 },
    margin: { left: 4.7625, top: 12.7 },
    pitch: { across: 69.85, down: 25.4 },
  }),
  tape("brother-tze-12", "Brother TZe tape, 12 mm", { width: 50, height: 12 }),
  tape("brother-tze-18", "Brother TZe tape, 18 mm", { width: 50, height: 18 }),
  tape("brother-tze-24", "Brother TZe tape, 24 mm", { width: 60, height: 24 }),
  tape("brother-62", "Brother roll, 62 mm", { width: 62, height: 29 }),
  tape("dymo-99010", "Dymo LabelWriter 99010, 89 × 28 mm", { width: 89, height: 28 }),
  tape("dymo-99012", "Dymo LabelWriter 99012, 89 × 36 mm", { width: 89, height: 36 }),
  tape("dymo-11354", "Dymo LabelWriter 11354, 57 × 32 mm", { width: 57, height: 32 }),
];

export function formatNamed(name: string): LabelFormat | undefined {
  return formats.find((format) => format.name === name);
}

export function perPaper({ across, down }: LabelFormat): number {
  return across * down;
}

/** The top left corner of a label; positions are counted from 0, row by row. */
export function corner(format: LabelFormat, position: number): { x: number; y: number } {
  const { across, margin, pitch } = format;
  return {
    x: margin.left + (position % across) * pitch.across,
    y: margin.top + Math.floor(position / across) * pitch.down,
  };
}

type LabelSheet = Pick<LabelFormat, "paper" | "label" | "margin" | "pitch"> & {
  grid: [number, number];
};

function sheet(name: string, title: string, { grid, ...sizes }: LabelSheet): LabelFormat {
  const [across, down] = grid;
  return { name, title, across, down, ...sizes };
}

/** Each label is a page of its own. */
function tape(name: string, title: string, label: LabelFormat["label"]): LabelFormat {
  const pitch = { across: label.width, down: label.height };
  const paper = { name, ...label };
  return { name, title, paper, across: 1, down: 1, label, margin: { left: 0, top: 0 }, pitch };
}
