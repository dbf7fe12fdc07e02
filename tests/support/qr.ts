// Reads the QR codes of labels: PNGs without noise, with small codes.
import { inflateSync } from "node:zlib";

type Modules = boolean[][];

/** The text of a QR code of version 1 to 3 in byte mode. */
export function textOf(base64: string): string {
  const modules = modulesOf(Buffer.from(base64, "base64"));
  const bits = bitsOf(modules);
  const read = (from: number, length: number) =>
    Number.parseInt(bits.slice(from, from + length), 2);
  if (read(0, 4) !== 0b0100) throw new Error("This code does not hold bytes");
  const bytes = Array.from({ length: read(4, 8) }, (_, index) => read(12 + 8 * index, 8));
  return Buffer.from(bytes).toString("utf8");
}

/** Dark and light modules, without the margin. The first dark run is the side of a finder pattern: seven modules. */
function modulesOf(png: Buffer): Modules {
  const dark = pixelsOf(png);
  const top = dark.findIndex((row) => row.includes(true));
  const left = dark[top]!.indexOf(true);
  const scale = (dark[top]!.indexOf(false, left) - left) / 7;
  const size = (dark[top]!.lastIndexOf(true) - left + 1) / scale;
  const at = (start: number, index: number) => start + (index + 0.5) * scale - 0.5;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => dark[Math.ceil(at(top, y))]![Math.ceil(at(left, x))]!),
  );
}

/** Bytes of a pixel, by the colour type; the first one distinguishes dark and light. */
const BYTES: Record<number, number> = { 0: 1, 2: 3, 6: 4 };

/** Each row begins with its filter type. */
function pixelsOf(png: Buffer): boolean[][] {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const size = BYTES[png[25]!];
  if (png[24] !== 8 || !size) throw new Error("This reader does not know such pictures");
  const length = width * size;
  const bytes = inflateSync(Buffer.concat(dataOf(png)));
  const rows: number[][] = [Array(length).fill(0)];
  for (let y = 0; y < height; y += 1) {
    const row = bytes.subarray(y * (length + 1), (y + 1) * (length + 1));
    rows.push(unfiltered([...row], rows[y]!, size));
  }
  return rows
    .slice(1)
    .map((row) => row.filter((_, x) => x % size === 0).map((value) => value < 128));
}

function dataOf(png: Buffer): Buffer[] {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return data;
}

function unfiltered([filter = 0, ...row]: number[], above: number[], size: number): number[] {
  row.forEach((value, x) => {
    const [left, up, corner] = [row[x - size] ?? 0, above[x]!, above[x - size] ?? 0];
    const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
    row[x] = (value + guesses[filter]!) & 255;
  });
  return row;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(guess - one));
  if (toLeft! <= toUp! && toLeft! <= toCorner!) return left;
  return toUp! <= toCorner! ? up : corner;
}

const MASKS: Array<(y: number, x: number) => boolean> = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

/** In columns of two from the right, alternately up and down, skipping modules that are not data. */
function bitsOf(modules: Modules): string {
  const size = modules.length;
  const isSet = (x: number, flipped: number) => Number(modules[8]![x]) ^ flipped;
  const mask = MASKS[isSet(2, 1) * 4 + isSet(3, 0) * 2 + isSet(4, 1)]!;
  const pairs = Array.from({ length: (size - 1) / 2 }, (_, pair) => size - 1 - 2 * pair);
  return pairs
    .flatMap((right, pair) => {
      const x = right <= 6 ? right - 1 : right;
      const rows = Array.from({ length: size }, (_, y) => (pair % 2 === 0 ? size - 1 - y : y));
      return rows.flatMap((y) => [[y, x] as const, [y, x - 1] as const]);
    })
    .filter(([y, x]) => !isFixed(size, y, x))
    .map(([y, x]) => (modules[y]![x] !== mask(y, x) ? "1" : "0"))
    .join("");
}

/** Finder patterns with the format information, the two timing patterns, and from version 2 on an alignment pattern. */
function isFixed(size: number, y: number, x: number): boolean {
  const isFinder = (y < 9 && x < 9) || (y < 9 && x >= size - 8) || (y >= size - 8 && x < 9);
  const isSmallFinder = size > 21 && Math.abs(y - (size - 7)) <= 2 && Math.abs(x - (size - 7)) <= 2;
  return isFinder || isSmallFinder || y === 6 || x === 6;
}
