// A supernet as a picture: each network by the area that it takes, and what is free between them.
import { type Block, formatBlock, readBlock } from "../../src/input/addresses.ts";
import { gaps, positionOf } from "../../src/network/addresses/space.ts";
import { networkPath } from "./paths.ts";

interface Piece {
  vlan_name: string;
  address: string;
}

interface Props {
  supernet: string;
  pieces: Piece[];
  /** A network that is not there yet. */
  proposed?: string;
  /** The link of a gap; without it, gaps are no links. */
  createPath?: (block: string) => string;
}

const WIDTH = 640;
const HEIGHT = 320;
/** Smaller gaps than this part of the supernet nobody could hit. */
const FINEST = 10;

export function Supernet({ supernet, pieces, proposed, createPath }: Props) {
  const whole = readBlock(supernet);
  if (!whole) return null;
  const blocks = pieces.flatMap(({ address }) => readBlock(address) ?? []);
  const free = createPath
    ? gaps(whole, blocks).filter(({ prefix }) => prefix - whole.prefix <= FINEST)
    : [];
  const wanted = readBlock(proposed ?? "");
  const isInside = wanted && whole.first <= wanted.first && wanted.last <= whole.last;
  return (
    <figure class="supernet">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <title>{supernet} with its networks</title>
        <rect class="ground" width={WIDTH} height={HEIGHT} />
        {free.map((block) => (
          <Gap whole={whole} block={block} href={createPath?.(formatBlock(block)) ?? ""} />
        ))}
        {pieces.map((piece) => (
          <Taken whole={whole} piece={piece} />
        ))}
        {wanted && isInside && (
          <rect class="proposed" {...sizeOf(whole, wanted)}>
            <title>{proposed}, this one</title>
          </rect>
        )}
      </svg>
    </figure>
  );
}

function Gap({ whole, block, href }: { whole: Block; block: Block; href: string }) {
  const text = formatBlock(block);
  return (
    <a class="gap" href={href}>
      <title>{text} is free: add a network</title>
      <Area whole={whole} block={block} lines={[text, "free"]} />
    </a>
  );
}

function Taken({ whole, piece }: { whole: Block; piece: Piece }) {
  const block = readBlock(piece.address);
  if (!block) return null;
  return (
    <a class="taken" href={networkPath(piece.vlan_name)}>
      <title>
        {piece.vlan_name} {piece.address}
      </title>
      <Area whole={whole} block={block} lines={[piece.vlan_name, piece.address]} />
    </a>
  );
}

const LETTER = 6.2;

/** With words in it where they fit. */
function Area({ whole, block, lines }: { whole: Block; block: Block; lines: string[] }) {
  const { x, y, width, height } = sizeOf(whole, block);
  const fits = height > 20 && lines.every((line) => line.length * LETTER + 8 < width);
  const shown = fits ? lines.slice(0, height < 36 ? 1 : 2) : [];
  return (
    <>
      <rect x={x} y={y} width={width} height={height} />
      {shown.map((line, at) => (
        <text x={x + 6} y={y + 15 + at * 14}>
          {line}
        </text>
      ))}
    </>
  );
}

/** A little less than its share, so that neighbours do not touch; at least a dot. */
function sizeOf(whole: Block, block: Block) {
  const { x, y, width, height } = positionOf(whole, block);
  return {
    x: round(x * WIDTH + 1),
    y: round(y * HEIGHT + 1),
    width: round(Math.max(width * WIDTH - 2, 1.5)),
    height: round(Math.max(height * HEIGHT - 2, 1.5)),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
