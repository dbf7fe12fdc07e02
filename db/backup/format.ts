// The format of backups: one JSON value a line. First a header with the contents, then the rows, each under the
// name of its table, and at last a checksum. A truncated or changed backup does not match its checksum.

export interface Header {
  cadastre_backup: number;
  /** The version of the program that wrote it. */
  program: string;
  at: string;
  migrations: string[];
  tables: Array<{ name: string; rows: number }>;
  /** The last number that each sequence gave out, so that no id is ever given to another record. */
  sequences: Record<string, number | null>;
}

/** No backup was written or restored; the message says why and what to do. */
export class CannotBackUp extends Error {}

export const FORMAT = 1;

export function readHeader(line: string | undefined): Header {
  if (!line?.startsWith('{"cadastre_backup":')) {
    throw new CannotBackUp("This is not a backup of Cadastre");
  }
  const header = JSON.parse(line);
  if (header.cadastre_backup === FORMAT) return header;
  throw new CannotBackUp("The backup was made by a newer program: use the newer cadastre");
}

export async function* seal(parts: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
  yield `${sealOf(hash)}\n`;
}

/** The lines before the seal. Throws after the last one if they do not match it. */
export async function* unseal(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = new Bun.CryptoHasher("sha256");
  let last: string | undefined;
  for await (const line of lines) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      yield last;
    }
    last = line;
  }
  if (last !== sealOf(hash)) throw damaged();
}

export function damaged(): CannotBackUp {
  return new CannotBackUp("The backup is damaged or cut off: nothing was restored");
}

function sealOf(hash: Bun.CryptoHasher): string {
  return `{"sha256":"${hash.digest("hex")}"}`;
}
