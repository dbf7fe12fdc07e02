// Whether a picture says where it was taken. Programs note that in many places, also in a picture within the picture. So all bytes are
// searched: for the names that XMP, ImageMagick, drones and videos write, and for directories of EXIF.
import { inflateSync } from "node:zlib";

const NAMES =
  /GPS(?:Dest)?(?:Latitude|Long|Position|Coordinates|AreaInformation)|quicktime\.location|\xa9xyz[\s\S]{4}[+-]\d/i;
/** In the GPS directory of EXIF: latitude and longitude, the same of what is in the picture, and the name of the area. */
const TAGS = [2, 4, 20, 22, 28];
const GPS = 0x8825;
/** How EXIF begins, whatever it is in. */
const TIFF = /II\*\0|MM\0\*/g;
/** Directories, and texts of a PNG, that are looked into. No camera writes as many. */
const MOST = 50;
const LARGEST_TEXT = 1024 * 1024;

export function hasPosition(bytes: Buffer): boolean {
  return isIn(bytes) || textsOfPng(bytes).take(MOST).some(isIn);
}

function isIn(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  const directories = text.matchAll(TIFF).take(MOST);
  return NAMES.test(text) || directories.some(({ index }) => hasTag(bytes.subarray(index)));
}

function hasTag(tiff: Buffer): boolean {
  const isLittle = tiff[0] === "I".charCodeAt(0);
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const entries = (at: number) => Array.from({ length: short(at) }, (_, nth) => at + 2 + 12 * nth);
  try {
    const found = entries(long(4)).find((at) => short(at) === GPS);
    return found !== undefined && entries(long(found + 8)).some((at) => TAGS.includes(short(at)));
  } catch (error) {
    // The directory ends before what is looked for.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Those that are packed, or written as hexadecimal digits as older programs do. */
function* textsOfPng(bytes: Buffer): Generator<Buffer> {
  if (bytes.toString("latin1", 1, 4) !== "PNG") return;
  for (let at = 8; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, end);
    const text = textOf(bytes.toString("latin1", at + 4, at + 8), data);
    const isProfile = data.toString("latin1", 0, 16) === "Raw profile type";
    if (text) yield isProfile ? bytesOfProfile(text) : text;
    at = end + 4;
  }
}

function textOf(type: string, data: Buffer): Buffer | undefined {
  const name = data.indexOf(0);
  if (type === "tEXt") return data.subarray(name + 1);
  if (type === "zTXt") return unpacked(data.subarray(name + 2));
  if (type !== "iTXt" || data[name + 1] !== 1) return undefined;
  // Its language and its translated name are in front.
  return unpacked(data.subarray(data.indexOf(0, data.indexOf(0, name + 3) + 1) + 1));
}

function unpacked(packed: Buffer): Buffer | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: LARGEST_TEXT });
  } catch {
    return undefined;
  }
}

/** After its type and its length. */
function bytesOfProfile(text: Buffer): Buffer {
  const digits = text.toString("latin1").replace(/^\s*\S+\s+\d+\s/, "");
  return Buffer.from(digits.replaceAll(/\s/g, ""), "hex");
}
