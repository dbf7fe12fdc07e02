// A supernet as an image: networks and gaps as areas.
import { type Block, formatBlock, readBlock } from "../../src/input/addresses.ts";
import { blockPosition, gaps } from "../../src/network/addresses/space.ts";
import { networkPath } from "./paths.ts";

export interface Piece {
  vlan_name: string;
  address: string;
}

interface Props {
  supernet: string;
  pieces: Piece[];
  /** The block of a new network. */
  proposed?: string;
  /** The link of a gap; without it, gaps are not shown. */
  createPath?: (block: string) => string;
}

const WIDTH = 640;
const HEIGHT = 320;
/** Gaps with a prefix longer than this, relative to the supernet, are too small to click. */
const FINEST = 10;

/** The gaps that are worth a link. */
export function largeGaps(whole: Block, blocks: Block[]): Block[] {
  return gaps(whole, blocks).filter(({ prefix }) => prefix - whole.prefix <= FINEST);
}

export function Supernet({ supernet, pieces, proposed, createPath }: Props) {
  const whole = readBlock(supernet);
  if (!whole) return null;
  const blocks = pieces.flatMap(({ address }) => readBlock(address) ?? []);
  const free = createPath ? largeGaps(whole, blocks) : [];
  const proposedBlock = readBlock(proposed ?? "");
  const isInside =
    proposedBlock && whole.first <= proposedBlock.first && proposedBlock.last <= whole.last;
  return (
    <figure class="supernet">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <title>Networks of {supernet}</title>
        <rect class="ground" width={WIDTH} height={HEIGHT} />
        {free.map((block) => (
          <Gap whole={whole} block={block} href={createPath?.(formatBlock(block)) ?? ""} />
        ))}
        {pieces.map((piece) => (
          <NetworkArea whole={whole} piece={piece} />
        ))}
        {proposedBlock && isInside && (
          <rect class="proposed" {...sizeOf(whole, proposedBlock)}>
            <title>{proposed}, this network</title>
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
      <BlockArea whole={whole} block={block} lines={[text, "free"]} />
    </a>
  );
}

function NetworkArea({ whole, piece }: { whole: Block; piece: Piece }) {
  const block = readBlock(piece.address);
  if (!block) return null;
  return (
    <a class="taken" href={networkPath(piece.vlan_name)}>
      <title>
        {piece.vlan_name} {piece.address}
      </title>
      <BlockArea whole={whole} block={block} lines={[piece.vlan_name, piece.address]} />
    </a>
  );
}

const LETTER = 6.2;

/** Labelled by the lines that fit, the name first; a name without room for all of it is not shown. */
function linesIn(whole: Block, block: Block, [name = "", address = ""]: string[]): string[] {
  const { width, height } = sizeOf(whole, block);
  const most = Math.floor((width - 8) / LETTER);
  const named = brokenAfterHyphens(name, most);
  const room = Math.floor((height - 6) / 14);
  if (named.length > room || named.some((line) => line.length > most)) return [];
  return named.length < room && address.length <= most ? [...named, address] : named;
}

function brokenAfterHyphens(name: string, most: number): string[] {
  const lines: string[] = [];
  for (const part of name.split(/(?<=-)/)) {
    const joined = (lines.at(-1) ?? "") + part;
    if (lines.length > 0 && joined.length <= most) lines.splice(-1, 1, joined);
    else lines.push(part);
  }
  return lines;
}

/** Whether the picture says the name of a network. */
export function isNamedIn(whole: Block, { vlan_name, address }: Piece): boolean {
  const block = readBlock(address);
  return block !== undefined && linesIn(whole, block, [vlan_name, address]).length > 0;
}

function BlockArea({ whole, block, lines }: { whole: Block; block: Block; lines: string[] }) {
  const { x, y, width, height } = sizeOf(whole, block);
  const shown = linesIn(whole, block, lines);
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

/** Slightly smaller than its share, so that neighbours do not touch; at least a dot. */
function sizeOf(whole: Block, block: Block) {
  const { x, y, width, height } = blockPosition(whole, block);
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
