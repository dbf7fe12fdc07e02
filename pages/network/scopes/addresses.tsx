// The addresses of a scope: the part where its networks are as a picture, and in words what the picture has no room for.
import { type Block, formatBlock, readBlock } from "../../../src/input/addresses.ts";
import { partAround } from "../../../src/network/addresses/space.ts";
import { networkPath } from "../paths.ts";
import { isNamedIn, largeGaps, type Piece, Supernet } from "../supernet.tsx";

interface Props {
  supernet: string;
  pieces: Piece[];
  /** The link of free space, for those who may add a network. */
  createPath: ((block: string) => string) | undefined;
}

/** More are found in the list of the networks. */
const MOST_NAMED = 50;

export function ScopeAddresses({ supernet, pieces, createPath }: Props) {
  const whole = readBlock(supernet);
  if (!whole) return null;
  const part = partAround(
    whole,
    pieces.flatMap(({ address }) => readBlock(address) ?? []),
  );
  const isPart = part.prefix > whole.prefix;
  const nameless = pieces.filter((piece) => !isNamedIn(part, piece)).slice(0, MOST_NAMED);
  return (
    <>
      <Supernet supernet={formatBlock(part)} pieces={pieces} createPath={createPath} />
      {(isPart || nameless.length > 0) && (
        <ul class="legend">
          {isPart && (
            <li>
              Shown is the part with the networks, {formatBlock(part)} of {supernet}
            </li>
          )}
          {nameless.map(({ vlan_name, address }) => (
            <li>
              <a href={networkPath(vlan_name)}>{vlan_name}</a> {address}
            </li>
          ))}
          {isPart && createPath && <Elsewhere blocks={largeGaps(whole, [part])} to={createPath} />}
        </ul>
      )}
    </>
  );
}

function Elsewhere({ blocks, to }: { blocks: Block[]; to: (block: string) => string }) {
  return blocks.map(formatBlock).map((text) => (
    <li>
      <a href={to(text)}>{text}</a> is free
    </li>
  ));
}
