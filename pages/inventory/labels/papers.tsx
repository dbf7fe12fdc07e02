// Labels as SVG images of whole sheets, one unit per millimetre, so that they are printed in true size.
import { corner, type LabelFormat, perPaper } from "../../../src/inventory/labels/formats.ts";
import type { Label } from "../../../src/inventory/labels/labels.ts";
import { Qr } from "../../parts/qr.tsx";

/** With its further value in words, or the address of its picture. */
export type PrintedLabel = Omit<Label, "further"> & {
  further: string | null;
  picture: string | undefined;
};

interface Props {
  labels: PrintedLabel[];
  format: LabelFormat;
  /** The position of the first label on the first sheet. */
  start: number;
}

export function Papers({ labels, format, start }: Props) {
  const places = perPaper(format);
  const skipped = start - 1;
  const count = Math.ceil((skipped + labels.length) / places);
  return (
    <div class="papers">
      {Array.from({ length: count }, (_, number) => {
        const first = Math.max(0, number * places - skipped);
        const last = (number + 1) * places - skipped;
        const begins = number === 0 ? skipped : 0;
        return (
          <Sheet
            labels={labels.slice(first, last)}
            format={format}
            begins={begins}
            title={`Sheet ${number + 1} of ${count}`}
          />
        );
      })}
    </div>
  );
}

interface SheetProps {
  labels: PrintedLabel[];
  format: LabelFormat;
  begins: number;
  title: string;
}

function Sheet({ labels, format, begins, title }: SheetProps) {
  const { name, width, height } = format.paper;
  return (
    <svg
      class={`paper ${name}`}
      width={`${width}mm`}
      height={`${height}mm`}
      viewBox={`0 0 ${width} ${height}`}
    >
      <title>{title}</title>
      {labels.map((label, index) => (
        <OneLabel label={label} format={format} place={begins + index} />
      ))}
    </svg>
  );
}

/** Margin in millimetres for inaccurate printers and cutters. */
const EDGE = 1.5;
/** Relative to the font size: the width of letters, of bold letters, the height of capitals, the line height. */
const [WIDE, BOLD, CAPITAL, LEADING] = [0.56, 0.72, 0.72, 1.3];

function OneLabel({
  label,
  format,
  place,
}: {
  label: PrintedLabel;
  format: LabelFormat;
  place: number;
}) {
  const { width, height } = format.label;
  const side = Math.min(height, width / 2) - 2 * EDGE;
  const photo = label.picture ? Math.min(height, width / 3) - EDGE : 0;
  return (
    <svg class="one" {...corner(format, place)} width={width} height={height}>
      <title>{label.ics_id}</title>
      <svg aria-hidden="true" x={EDGE} y={(height - side) / 2} width={side} height={side}>
        <Qr text={label.ics_id} />
      </svg>
      <Lines label={label} left={side + 2 * EDGE} within={{ width: width - photo, height }} />
      {label.picture && (
        <image
          href={label.picture}
          x={width - photo}
          y={EDGE}
          width={photo - EDGE}
          height={height - 2 * EDGE}
        />
      )}
    </svg>
  );
}

interface LinesProps {
  label: PrintedLabel;
  left: number;
  within: LabelFormat["label"];
}

/** The id as large as it fits, the rest below, vertically centred. */
function Lines({ label, left, within }: LinesProps) {
  const room = { width: within.width - left - EDGE, height: within.height - 2 * EDGE };
  const { size, large, lines } = layOut(label, room);
  const first = (within.height - heightOf({ size, large, lines })) / 2 + large * CAPITAL;
  return (
    <>
      <text x={left} y={first} font-size={large} font-weight={700}>
        {label.ics_id}
      </text>
      {lines.map((text, index) => (
        <text x={left} y={first + (index + 1) * size * LEADING} font-size={size}>
          {text}
        </text>
      ))}
    </>
  );
}

interface Layout {
  /** Font sizes of the lines and of the id. */
  size: number;
  large: number;
  lines: string[];
}

const [LARGEST, SMALLEST, STEP] = [4.5, 1, 0.95];

/** The largest letters with which all texts fit; they are wrapped, never cut. */
function layOut(label: PrintedLabel, room: LabelFormat["label"]): Layout {
  for (let size = LARGEST; ; size *= STEP) {
    const most = Math.max(1, Math.floor(room.width / (size * WIDE)));
    const isLast = size * STEP < SMALLEST;
    const lines = detailsOf(label).flatMap((text) => wrapped(text, most, isLast));
    const large = Math.min(size * 1.6, room.width / (label.ics_id.length * BOLD));
    const isFitting = lines.every(({ length }) => length <= most);
    if (isLast || (isFitting && heightOf({ size, large, lines }) <= room.height)) {
      return { size, large, lines };
    }
  }
}

function heightOf({ size, large, lines }: Layout): number {
  return large * CAPITAL + lines.length * size * LEADING;
}

function detailsOf({ serial_number, manufacturer, model, further }: PrintedLabel): string[] {
  const what = [manufacturer, model].filter((one) => one !== null).join(" ");
  return [serial_number, what, further ?? ""].filter((one) => one !== "");
}

/** Lines of at most so many letters where there are spaces or hyphens, or else within a word if that is allowed. */
function wrapped(text: string, most: number, mayBreakWords: boolean): string[] {
  const pieces = mayBreakWords ? [...text] : text.split(/(?<=[ -])/);
  const lines = [""];
  for (const piece of pieces) {
    const line = lines.pop() ?? "";
    const isFull = line !== "" && (line + piece).trimEnd().length > most;
    lines.push(...(isFull ? [line, piece] : [line + piece]));
  }
  return lines.map((line) => line.trim());
}
