// What somebody who types or pastes a text into the one box may mean by it.
import { formatAddress, formatBlock, readAddress, readBlock } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { composed, flaw } from "../../input/text.ts";
import { isIcsId } from "../../inventory/items/ics_ids.ts";

/** Each reading that the text allows; none of them keeps it from being a name as well. */
export interface Meant {
  text: string;
  mac?: string;
  macPart?: MacPart;
  ip?: string;
  /** The beginning of an address, in whole numbers. */
  ipStart?: string;
  block?: string;
  vlan?: number;
  icsId?: string;
  /** The code of an attribute: CSE:status:In service. */
  code?: { kind: string; name: string };
}

/** Hexadecimal digits from the beginning of an address, and as its end. */
export interface MacPart {
  least: string;
  most: string;
  /** Read from the back. */
  tail: string;
}

const LONGEST = 300;
const MOST_VLANS = 4094;
const CODE = /^CSE:([a-z]+):(.+)$/i;
const PREFIX = /\/\d{1,3}$/;
const IP_START = /^\d{1,3}(\.\d{1,3}){1,2}\.?$|^\d{1,3}\.$/;
/** Pairs or fours of digits, at the ends cut short; or, without marks between, two pairs at least. */
const MAC_PART =
  /^[0-9a-f]{1,2}([:-])[0-9a-f]{1,2}(\1[0-9a-f]{1,2})*\1?$|^[0-9a-f]{4}\.[0-9a-f]{1,4}(\.[0-9a-f]{1,4})?\.?$|^[0-9a-f]{4,11}$/i;

/** Undefined where no record could hold such a text. */
export function meant(typed: string): Meant | undefined {
  // Composed and bare it may be shorter; to find out of a long text costs more than its length.
  if (typed.length > 4 * LONGEST) return undefined;
  const text = bare(typed);
  if (text === "" || text.length > LONGEST || flaw(text)) return undefined;
  const [, kind = "", name = ""] = CODE.exec(text) ?? [];
  if (kind) return { text: name, code: { kind: kind.toLowerCase(), name } };
  const icsId = isIcsId(text) ? { icsId: text.toUpperCase() } : {};
  return { text, ...asMac(padded(text)), ...asAddress(text), ...asVlan(text), ...icsId };
}

/** Without what comes along when a text is copied: quotation marks, brackets, a comma behind it. */
function bare(typed: string): string {
  return composed(typed)
    .trim()
    .replace(/^["'<([{]+|["'>)\]},;]+$/g, "")
    .trim();
}

/** Some write the numbers of a MAC address apart, or as short as they are: 2:42:ac:11:0:2. The last may be cut off. */
function padded(text: string): string {
  const groups = text.split(/[\s:-]+/);
  const isShort = groups.length === 6 && groups.slice(0, -1).some(({ length }) => length === 1);
  return (isShort ? groups.map((one) => one.padStart(2, "0")) : groups).join(":");
}

function asMac(text: string): Pick<Meant, "mac" | "macPart"> {
  const digits = text.replace(/[^0-9a-f]/gi, "").toLowerCase();
  if (isMac(text)) return { mac: paired(digits) };
  if (!MAC_PART.test(text) || digits.length > 11 || digits.length < 3) return {};
  const macPart = {
    least: paired(digits.padEnd(12, "0")),
    most: paired(digits.padEnd(12, "f")),
    tail: paired(digits.split("").toReversed().join("")),
  };
  return { macPart };
}

function asAddress(text: string): Pick<Meant, "ip" | "ipStart" | "block"> {
  const block = readBlock(text);
  if (block && block.first < block.last) return { block: formatBlock(block) };
  // Interfaces are told of with the size of their block: 10.0.0.17/24.
  const address = readAddress(text.replace(PREFIX, "").replace(/^\[|\]$/g, ""));
  if (address) return { ip: formatAddress(address) };
  return IP_START.test(text) ? { ipStart: text } : {};
}

function asVlan(text: string): Pick<Meant, "vlan"> {
  const [, digits = ""] = /^(?:vlan[\s:-]*)?(\d{1,4})$/i.exec(text) ?? [];
  const vlan = Number(digits);
  return digits !== "" && vlan >= 1 && vlan <= MOST_VLANS ? { vlan } : {};
}

function paired(digits: string): string {
  return digits.replace(/..(?=.)/g, "$&:");
}
