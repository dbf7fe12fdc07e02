// Small pictures and documents, whole and broken.
import { deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer<ArrayBuffer> {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length);
  around.writeUInt32BE(Bun.hash.crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

/** The PNG with another chunk in front of its data. */
export function withChunk(png: Buffer, type: string, text: string): Buffer {
  const at = png.indexOf("IDAT") - 4;
  const added = chunk(type, Buffer.from(text, "latin1"));
  return Buffer.concat([png.subarray(0, at), added, png.subarray(at)]);
}

/** The JPEG with another segment of metadata in front of its last one. */
export function withSegment(jpeg: Buffer, metadata: Buffer): Buffer {
  const at = jpeg.indexOf(Buffer.from([0xff, 0xdb]));
  return Buffer.concat([jpeg.subarray(0, at), segment(metadata), jpeg.subarray(at)]);
}

function segment(metadata: Buffer): Buffer<ArrayBuffer> {
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(metadata.length + 2, 2);
  return Buffer.concat([head, metadata]);
}

/** A picture that differs from others by its colour. */
export function aPng(colour = 0, { width = 1, height = 1 } = {}): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.from([0, colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(row)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function aJpeg(metadata = Buffer.alloc(0)): Buffer<ArrayBuffer> {
  const parts = ["ffdb004300", "ff".repeat(64), "ffc2000b080001000101011100", "ffc4001410"];
  const rest = [...parts, `01${"00".repeat(16)}`, "ffda0008010100013f10", "ffd9"].join("");
  return Buffer.concat([Buffer.from([0xff, 0xd8]), metadata, Buffer.from(rest, "hex")]);
}

/** The metadata of a camera that knows where it is. */
export function position(): Buffer<ArrayBuffer> {
  const tiff = Buffer.alloc(80);
  tiff.write("II*\0", "latin1");
  tiff.writeUInt32LE(8, 4);
  const entry = (at: number, [tag, type, count, value]: [number, number, number, number]) => {
    tiff.writeUInt16LE(tag, at);
    tiff.writeUInt16LE(type, at + 2);
    tiff.writeUInt32LE(count, at + 4);
    tiff.writeUInt32LE(value, at + 8);
  };
  tiff.writeUInt16LE(1, 8);
  entry(10, [0x8825, 4, 1, 26]);
  tiff.writeUInt16LE(2, 26);
  entry(28, [1, 2, 2, "N".charCodeAt(0)]);
  entry(40, [2, 5, 3, 56]);
  for (let at = 56; at < 80; at += 8) {
    tiff.writeUInt32LE(at - 10, at);
    tiff.writeUInt32LE(1, at + 4);
  }
  return segment(Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]));
}

export function aGif(): Buffer<ArrayBuffer> {
  return Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
}

export function aWebp(): Buffer<ArrayBuffer> {
  return Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
}

export function aPdf(inside = ""): Buffer<ArrayBuffer> {
  return Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Catalog ${inside}>>\nendobj\ntrailer\n%%EOF\n`);
}
