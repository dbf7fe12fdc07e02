// Files that other programs have made (samples/make.sh), sent to the API as they are, and broken.
import { describe, expect, test } from "bun:test";
import { createCipheriv } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { aPdf, aPng, position, withChunk, withSegment } from "../support/files.ts";
import { anItem, api, bob, tokenOf, visit } from "../support/mod.ts";

const FOLDER = join(import.meta.dir, "samples");
const sample = (name: string) => readFileSync(join(FOLDER, name));

const JPEG = "image/jpeg inline";
const PNG = "image/png inline";
const GIF = "image/gif inline";
const WEBP = "image/webp inline";
const SHOWN_PDF = "application/pdf inline";
const SAVED_PDF = "application/pdf attachment";
const OFFICE = "application/vnd.openxmlformats-officedocument";
const PLACE = "This picture says where it was taken";
const BROKEN = "This file is damaged, ends too early, or has something behind its end";

const SAMPLES: Record<string, string> = {
  "alpha.webp": WEBP,
  "animated.gif": GIF,
  "animated.webp": WEBP,
  "attachment.pdf": SAVED_PDF,
  "baseline.jpg": JPEG,
  "bits_1.png": PNG,
  "bits_16.png": PNG,
  "bits_8.png": PNG,
  "chromium.pdf": SHOWN_PDF,
  "cmyk.jpg": JPEG,
  "comment.jpg": JPEG,
  "encrypted.pdf": SAVED_PDF,
  "exif.jpg": JPEG,
  "exif_thumbnail.jpg": JPEG,
  "ghostscript.pdf": SHOWN_PDF,
  "gps_altitude.jpg": JPEG,
  "gps_area.jpg": PLACE,
  "gps_destination.jpg": PLACE,
  "gps_exif.heic": PLACE,
  "gps_exif.jpg": PLACE,
  "gps_exif.png": PLACE,
  "gps_exif.tiff": PLACE,
  "gps_exif.webp": PLACE,
  "gps_text.png": PLACE,
  "gps_xmp.gif": PLACE,
  "gps_xmp.heic": PLACE,
  "gps_xmp.jpg": PLACE,
  "gps_xmp.png": PLACE,
  "gps_xmp.webp": PLACE,
  "gps_xmp_attribute.jpg": PLACE,
  "gps_xmp_destination.jpg": PLACE,
  "gps_xmp_region.jpg": PLACE,
  "gray.jpg": JPEG,
  "icc.jpg": JPEG,
  "interlaced.gif": GIF,
  "interlaced.png": PNG,
  "iptc.jpg": JPEG,
  "libreoffice.docx": `${OFFICE}.wordprocessingml.document attachment`,
  "libreoffice.odt": "application/vnd.oasis.opendocument.text attachment",
  "libreoffice.pdf": SHOWN_PDF,
  "libreoffice.xlsx": `${OFFICE}.spreadsheetml.sheet attachment`,
  "linearized.pdf": SHOWN_PDF,
  "lossless.webp": WEBP,
  "lossy.webp": WEBP,
  "object_streams.pdf": SHOWN_PDF,
  "palette.png": PNG,
  "plain.avif": "image/avif attachment",
  "plain.bmp": "image/bmp attachment",
  "plain.heic": "image/heic attachment",
  "plain.tiff": "image/tiff attachment",
  "plain87.gif": GIF,
  "plain89.gif": GIF,
  "progressive.jpg": JPEG,
  "restart.jpg": JPEG,
  "script.pdf": SAVED_PDF,
  "script_packed.pdf": SAVED_PDF,
  "text.png": PNG,
  "xmp.jpg": JPEG,
};

const EXIF = position().subarray(4);
const RAW = `\nexif\n${EXIF.length}\n${EXIF.toString("hex")}\n`;
const XMP = '<x:xmpmeta><rdf:Description exif:GPSLatitude="48,12.0N"/></x:xmpmeta>';

const jpeg = sample("baseline.jpg");
const png = sample("palette.png");
const gif = sample("plain89.gif");
const webp = sample("lossy.webp");
const pdf = sample("ghostscript.pdf");

const cut = (bytes: Buffer, share: number) => bytes.subarray(0, Math.floor(bytes.length * share));
const before = (tail: string | Buffer, bytes: Buffer) => Buffer.concat([bytes, Buffer.from(tail)]);
const text = (of: string) => Buffer.from(of, "latin1");

const MADE: Array<[what: string, bytes: Buffer, expected: string]> = [
  ...Object.entries({ jpeg, png, gif, webp, pdf }).flatMap(([name, bytes]): typeof MADE => [
    [`${name} without its second half`, cut(bytes, 0.5), BROKEN],
    [`${name} without its last eighth`, cut(bytes, 0.875), BROKEN],
    [`${name} of which only the beginning is there`, bytes.subarray(0, 16), BROKEN],
    [`${name} with an archive behind it`, before(sample("libreoffice.odt"), bytes), BROKEN],
    [`${name} with a page behind it`, before("<html><script>alert(1)</script>", bytes), BROKEN],
    [`${name} with a program behind it`, before("<?php system('id'); ?>", bytes), BROKEN],
  ]),
  ["an animation without its last picture", cut(sample("animated.gif"), 0.8), BROKEN],
  ["an animation without its last picture", cut(sample("animated.webp"), 0.8), BROKEN],
  ["PNG with another PNG behind it", before(png, png), BROKEN],
  // Valid as a script, too: a browser with nosniff does not run it.
  ["GIF that is a script", text("GIF89a=1;alert(1)//"), BROKEN],
  ["GIF with a script behind it", before("*/=1;alert(1)", gif), BROKEN],
  ["a picture that is too large", aPng(0, { width: 60_000, height: 60_000 }), "Use a picture of"],
  ["PDF with a page in front", Buffer.concat([text("<html>\n"), pdf]), "application/octet-stream"],
  ["a drawing", text('<svg xmlns="http://www.w3.org/2000/svg"/>'), "text/plain attachment"],
  ["a page", text("<!doctype html><script>alert(1)</script>"), "text/plain attachment"],
  ["a program called .jpg", text("MZ\x90\0\x03\0\0\0"), "application/octet-stream attachment"],
  ["nothing", Buffer.alloc(0), "This file is empty"],

  ["a second segment of EXIF with a place", withSegment(sample("exif.jpg"), EXIF), PLACE],
  ["a second picture with a place", before(sample("gps_exif.jpg"), jpeg), PLACE],
  ["a second picture without", before(jpeg, jpeg), JPEG],
  ["a place of a drone", withSegment(jpeg, text('drone-dji:GpsLatitude="+48.2"')), PLACE],
  ["a place in a profile", withChunk(png, "tEXt", `Raw profile type exif\0${RAW}`), PLACE],
  [
    "one in a packed profile",
    withChunk(png, "zTXt", packed("Raw profile type APP1\0\0", RAW)),
    PLACE,
  ],
  [
    "a place in packed text",
    withChunk(png, "iTXt", packed("XML:com.adobe.xmp\0\x01\0\0\0", XMP)),
    PLACE,
  ],
  ["packed text without", withChunk(png, "zTXt", packed("Comment\0\0", "Rack 4")), PNG],
  ["packed text that is broken", withChunk(png, "zTXt", "Comment\0\0broken"), PNG],

  ["PDF that opens at a page", aPdf("/OpenAction [1 0 R /Fit]"), SHOWN_PDF],
  ["PDF that opens by an action", aPdf("/OpenAction << /S /URI >>"), SAVED_PDF],
  ["PDF with a name that has a space", aPdf("/BaseFont /Times#20New#20Roman"), SHOWN_PDF],
  ["PDF with a disguised name", aPdf("/Java#53cript (x)"), SAVED_PDF],
  ["PDF of a scanner", scanned(4_000_000), SHOWN_PDF],
];

/** Bytes of a picture look like any, "/AA" and "/JS" too. */
function scanned(size: number): Buffer {
  const key = createCipheriv("aes-256-ctr", Buffer.alloc(32), Buffer.alloc(16));
  const picture = key.update(Buffer.alloc(size));
  const head = text(`%PDF-1.4\n1 0 obj\n<< /Length ${size} >>\nstream\n`);
  return Buffer.concat([head, picture, text("\nendstream\nendobj\n%%EOF\n")]);
}

function packed(head: string, of: string): string {
  return head + deflateSync(of).toString("latin1");
}

/** Its type and whether a browser shows it, or why it is refused. */
async function outcome(bytes: Buffer): Promise<string> {
  const { id } = await anItem();
  const { status, body } = await api(bob).post(`/inventory/items/${id}/files`, bytes, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="photo.jpg"',
    },
  });
  if (status === 422) return body.errors[0].message;
  expect(status).toBe(201);
  const authorization = `Bearer ${await tokenOf(bob)}`;
  const { headers } = await visit(body.url, { headers: { authorization } });
  return `${body.type} ${headers.get("content-disposition")?.split(";")[0]}`;
}

describe("a file of another program", () => {
  test("is expected of each sample", () => {
    const names = readdirSync(FOLDER).filter((name) => name !== "make.sh");
    expect(Object.keys(SAMPLES)).toEqual(names.toSorted());
  });

  test.each(Object.entries(SAMPLES))("%s is shown, saved or refused", async (name, expected) => {
    expect(await outcome(sample(name))).toStartWith(expected);
  });

  test.each(MADE)("%s is shown, saved or refused", async (_, bytes, expected) => {
    expect(await outcome(bytes)).toStartWith(expected);
  });
});
