// The map of a network: a square for each address, or for each part of a large network. Squares are named links;
// static/map.js adds the arrow keys.

import { formatBlock } from "../../../src/input/addresses.ts";
import type {
  MapCell,
  AddressMap as MapData,
  MapPart,
} from "../../../src/network/addresses/map.ts";
import { hostPath, networkPath } from "../paths.ts";

interface Props {
  map: MapData;
  network: string;
  /** The free addresses that link to the form for a new host. */
  mayUse: { free: boolean; outside: boolean };
}

const COLUMNS = 16;
const SQUARE = 10;
/** The width of the labels of rows. */
const GUTTER = 26;
const BLOCK = 256;
const MEANINGS = {
  used: "in use",
  free: "free",
  gateway: "gateway",
  kept: "not usable",
  outside: "outside the range",
} as const;

export function AddressMap(props: Props) {
  const { map } = props;
  if (map.kind === "none") return null;
  return (
    <figure class="map" data-map aria-label={`Map of ${formatBlock(map.block)}`}>
      <div class="blocks">
        {map.kind === "cells" ? (
          <Cells {...props} cells={map.cells} />
        ) : (
          <Parts {...props} parts={map.parts} />
        )}
      </div>
      <figcaption>
        {map.kind === "cells" ? (
          <Legend cells={map.cells} />
        ) : (
          "Each square is a part of the network; darker means more addresses in use"
        )}
      </figcaption>
    </figure>
  );
}

function Cells({ cells, ...props }: Props & { cells: MapCell[] }) {
  const blocks = Array.from({ length: Math.ceil(cells.length / BLOCK) }, (_, at) =>
    cells.slice(at * BLOCK, (at + 1) * BLOCK),
  );
  return (
    <>
      {blocks.map((block) => (
        <Grid count={block.length} labels={labelsOf(block.map(({ ip }) => ip))}>
          {block.map((cell, at) => (
            <Square {...props} cell={cell} at={at} />
          ))}
        </Grid>
      ))}
    </>
  );
}

interface GridProps {
  count: number;
  labels: string[];
  children: preact.ComponentChildren;
}

/** The labels are a drawing of their own, which stays in view where the squares scroll. */
function Grid({ count, labels, children }: GridProps) {
  const columns = Math.min(COLUMNS, count);
  const height = Math.ceil(count / COLUMNS) * SQUARE;
  const width = Math.max(columns, COLUMNS / 2) * SQUARE;
  return (
    <div class="block">
      <svg class="rows" viewBox={`${-GUTTER} 0 ${GUTTER} ${height}`} aria-hidden="true">
        {labels.map((label, row) => (
          <text x={-3} y={row * SQUARE + 6.5}>
            {label}
          </text>
        ))}
      </svg>
      <svg viewBox={`0 0 ${width} ${height}`}>
        <title>Starts at {labels[0]}</title>
        {children}
      </svg>
    </div>
  );
}

/** The first address of each row, without the common prefix. */
function labelsOf(ips: string[]): string[] {
  const firsts = ips.filter((_, at) => at % COLUMNS === 0);
  return firsts.map((ip, at) =>
    at === 0 ? ip.replace(/^.*?(\.\d+\.\d+)$/, "$1") : ip.replace(/^.*(\.\d+)$/, "$1"),
  );
}

function Square({ cell, at, network, mayUse }: Props & { cell: MapCell; at: number }) {
  const { ip, state, host } = cell;
  const place = { x: (at % COLUMNS) * SQUARE, y: Math.floor(at / COLUMNS) * SQUARE };
  const name = host ? `${ip} ${host}` : `${ip} ${MEANINGS[state]}`;
  const href = host ? hostPath(host) : leadsToHost(state, mayUse) && newHostPath(network, ip);
  if (!href) {
    return (
      <rect class={state} {...place}>
        <title>{name}</title>
      </rect>
    );
  }
  return (
    <a class={state} href={href}>
      <title>{name}</title>
      <rect {...place} />
    </a>
  );
}

function leadsToHost(state: MapCell["state"], { free, outside }: Props["mayUse"]): boolean {
  return (state === "free" && free) || (state === "outside" && outside);
}

export function newHostPath(network: string, ip: string): string {
  return `/network/hosts/create?${new URLSearchParams({ network, ip })}`;
}

function Parts({ parts, network }: Props & { parts: MapPart[] }) {
  const labels = parts
    .filter((_, at) => at % COLUMNS === 0)
    .map(({ block }) => block.replace(/^\d+|\.0\/.*$/g, ""));
  return (
    <Grid count={parts.length} labels={labels}>
      {parts.map(({ block, used, size }, at) => (
        <a class={`part ${levelOf(used, size)}`} href={`${networkPath(network)}?block=${block}`}>
          <title>{`${block}: ${used.toLocaleString("en")} of ${size.toLocaleString("en")} in use`}</title>
          <rect x={(at % COLUMNS) * SQUARE} y={Math.floor(at / COLUMNS) * SQUARE} />
        </a>
      ))}
    </Grid>
  );
}

/** A part with any address in use is at least level 1. */
function levelOf(used: number, size: number): string {
  return `level-${Math.min(4, Math.ceil((5 * used) / size))}`;
}

function Legend({ cells }: { cells: MapCell[] }) {
  const states = Object.entries(MEANINGS).filter(([state]) =>
    cells.some((cell) => cell.state === state),
  );
  return (
    <ul class="legend">
      {states.map(([state, meaning]) => (
        <li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect class={state} />
          </svg>
          {meaning}
        </li>
      ))}
    </ul>
  );
}
