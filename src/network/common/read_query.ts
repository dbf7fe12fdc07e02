// Interprets text that is typed or pasted into a search box: addresses, MAC addresses, VLANs and ICS ids.
import { formatAddress, formatBlock, readAddress, readBlock } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { composed, textError } from "../../input/text.ts";
import { isIcsId } from "../../inventory/items/ics_ids.ts";

/** Every interpretation that the text allows; the text may also be a name. */
export interface Interpretation {
  text: string;
  mac?: string;
  macPart?: MacPart;
  ip?: string;
  /** The beginning of an IPv4 address, in complete octets. */
  ipStart?: string;
  block?: string;
  /** The address or block, or that of the beginning, as networks may have it. */
  around?: string;
  vlan?: number;
  icsId?: string;
  /** The QR code of an attribute: CSE:status:In service. */
  code?: { kind: string; name: string };
}

/** Digits of a MAC address: as the range of addresses that begin with them, and reversed for those that end with them. */
interface MacPart {
  low: string;
  high: string;
  /** The digits in reverse order. */
  reversed: string;
}

const LONGEST = 300;
const MOST_VLANS = 4094;
const CODE = /^CSE:([a-z]+):(.+)$/i;
const PREFIX = /\/\d{1,3}$/;
const REVERSED = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa\.?$/i;
const IP_START = /^\d{1,3}(\.\d{1,3}){1,2}\.?$|^\d{1,3}\.$/;
/** Groups of two or four digits, the outer ones possibly incomplete; without separators at least four digits. */
const MAC_PART =
  /^[0-9a-f]{1,2}([:-])[0-9a-f]{1,2}(\1[0-9a-f]{1,2})*\1?$|^[0-9a-f]{4}\.[0-9a-f]{1,4}(\.[0-9a-f]{1,4})?\.?$|^[0-9a-f]{4,11}$/i;

/** Undefined if no record can contain the text. */
export function interpret(typed: string): Interpretation | undefined {
  // Normalising may shorten the text, but costs more than linear time: skip texts that are far too long.
  if (typed.length > 4 * LONGEST) return undefined;
  const text = withoutDelimiters(typed);
  if (text === "" || text.length > LONGEST || textError(text)) return undefined;
  const [, kind = "", name = ""] = CODE.exec(text) ?? [];
  if (kind) return { text: name, code: { kind: kind.toLowerCase(), name } };
  const icsId = isIcsId(text) ? { icsId: text.toUpperCase() } : {};
  return { text, ...asMac(paddedMac(text)), ...asAddress(text), ...asVlan(text), ...icsId };
}

/** A label with a blank or a hyphen inside: AAA 001. */
const APART = /^([a-z]{3})[\s-](\d{3})$/i;

/** Removes what is copied along with a text: quotation marks, brackets, a trailing comma. */
function withoutDelimiters(typed: string): string {
  return composed(typed)
    .trim()
    .replace(/^["'<([{]+|["'>)\]},;]+$/g, "")
    .trim()
    .replace(APART, "$1$2");
}

/** Pads the groups of a MAC address written without leading zeros: 2:42:ac:11:0:2. The last may be incomplete. */
function paddedMac(text: string): string {
  const groups = text.split(/[\s:-]+/);
  const isShort = groups.length === 6 && groups.slice(0, -1).some(({ length }) => length === 1);
  return (isShort ? groups.map((one) => one.padStart(2, "0")) : groups).join(":");
}

function asMac(text: string): Pick<Interpretation, "mac" | "macPart"> {
  const digits = text.replace(/[^0-9a-f]/gi, "").toLowerCase();
  if (isMac(text)) return { mac: withColons(digits) };
  if (!MAC_PART.test(text) || digits.length > 11 || digits.length < 3) return {};
  const macPart = {
    low: withColons(digits.padEnd(12, "0")),
    high: withColons(digits.padEnd(12, "f")),
    reversed: withColons(digits.split("").toReversed().join("")),
  };
  return { macPart };
}

function asAddress(text: string): Pick<Interpretation, "ip" | "ipStart" | "block" | "around"> {
  const block = asBlock(text);
  if (block) return { block, around: block };
  // The address of an interface may be written with the prefix of its network: 10.0.0.17/24.
  const written = text.replace(PREFIX, "").replace(/^\[|\]$/g, "");
  const address = readAddress(written.replace(REVERSED, "$4.$3.$2.$1"));
  const ip = address && formatAddress(address);
  if (ip) return { ip, around: ip };
  if (!IP_START.test(text)) return {};
  const octets = text.split(".").filter((octet) => octet !== "");
  const around = asBlock(`${[...octets, 0, 0, 0].slice(0, 4).join(".")}/${8 * octets.length}`);
  return { ipStart: text, ...(around && { around }) };
}

function asBlock(text: string): string | undefined {
  const block = readBlock(text);
  return block && block.first < block.last ? formatBlock(block) : undefined;
}

function asVlan(text: string): Pick<Interpretation, "vlan"> {
  const [, digits = ""] = /^(?:vlan[\s:-]*)?(\d{1,4})$/i.exec(text) ?? [];
  const vlan = Number(digits);
  return digits !== "" && vlan >= 1 && vlan <= MOST_VLANS ? { vlan } : {};
}

function withColons(digits: string): string {
  return digits.replace(/..(?=.)/g, "$&:");
}

/** Part of a MAC address in any notation, as the search has it. */
export function macPattern(text: string): string {
  return `*${text.replace(/[^0-9a-f]/gi, "")}*`;
}

/** A query that also finds what one of the others finds. */
export function orBy(query: string, others: string[]): string {
  return others.length > 0 ? [`(${query})`, ...others].join(" OR ") : query;
}
