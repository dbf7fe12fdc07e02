// Workbooks as other programs write them, built part by part.
import { crc32, deflateRawSync } from "node:zlib";

export type Parts = Record<string, string>;

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

/** A workbook of one sheet, with its rows as XML. */
export function aWorkbook(rows: string, others: Parts = {}): Uint8Array {
  return anArchive({
    "xl/workbook.xml": `<?xml version="1.0"?><workbook ${MAIN} ${RELATIONS}><sheets><sheet name="Items" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId1" Type="worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": `<worksheet ${MAIN}><sheetData>${rows}</sheetData></worksheet>`,
    ...others,
  });
}

/** Wrong values for the directory entry of a part. */
export type EntryOverrides = Partial<{ flags: number; sum: number; plain: number }>;

export function anArchive(parts: Parts, overrides: EntryOverrides = {}): Uint8Array {
  const [bodies, listed]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const plain = Buffer.from(text);
    const packed = deflateRawSync(plain);
    const { flags = 0, sum = crc32(plain) } = overrides;
    const size = overrides.plain ?? plain.byteLength;
    const common = Buffer.alloc(26);
    [20, flags, 8, 0, 0x21].forEach((field, at) => void common.writeUInt16LE(field, 2 * at));
    [sum, packed.byteLength, size].forEach(
      (field, at) => void common.writeUInt32LE(field, 10 + 4 * at),
    );
    common.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    listed.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), common, tail, Buffer.from(name));
    offset += 30 + name.length + packed.byteLength;
  }
  const directory = Buffer.concat(listed);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(directory.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, directory, end]);
}
