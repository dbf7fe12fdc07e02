// Servers that speak just enough LDAP to be a directory that no Debian package is: one that answers like Active Directory,
// one that never answers, one that refuses STARTTLS.
import { createServer, type Socket } from "node:net";
import { onTeardown } from "./teardown.ts";

export interface FakeDirectory {
  port: number;
  /** All that was received, as Latin-1. */
  received: string;
  connections: number;
  /** Without the last one, which ends a connection and has no answer. */
  operations: number;
  close(): void;
}

/** An operation of the client: its number, the tag of the protocol, and all of its bytes. */
interface Operation {
  id: number;
  tag: number;
  bytes: Buffer;
  socket: Socket;
}

type Respond = (operation: Operation) => Array<Buffer | "hang up"> | undefined;

export const OPERATIONS = { bind: 0x60, unbind: 0x42, search: 0x63, extended: 0x77 } as const;

/** Answers what `respond` returns, each part as the answer to the operation. */
export async function fakeDirectory(respond: Respond): Promise<FakeDirectory> {
  const sockets = new Set<Socket>();
  const fake: FakeDirectory = {
    port: 0,
    received: "",
    connections: 0,
    operations: 0,
    close: () => {},
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    fake.connections += 1;
    socket.on("error", () => {});
    socket.on("data", (given) => {
      const data = Buffer.from(given as Buffer);
      fake.received += data.toString("latin1");
      for (const { id, tag, bytes } of operationsIn(data)) {
        fake.operations += tag === OPERATIONS.unbind ? 0 : 1;
        for (const part of respond({ id, tag, bytes, socket }) ?? []) {
          if (part === "hang up") socket.end();
          else socket.write(message(id, part));
        }
      }
    });
  });
  fake.close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTeardown(async () => fake.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  fake.port = typeof address === "object" && address ? address.port : 0;
  return fake;
}

/** Messages of one packet; short ones, as the client of the service sends them. */
function operationsIn(data: Buffer): Array<Omit<Operation, "socket">> {
  const found: Array<Omit<Operation, "socket">> = [];
  for (let at = 0; at < data.length; ) {
    const { start, length } = lengthAt(data, at + 1);
    const body = data.subarray(start, start + length);
    const idLength = body[1] ?? 1;
    const id = body.readUIntBE(2, idLength);
    found.push({ id, tag: body[2 + idLength] ?? 0, bytes: body });
    at = start + length;
  }
  return found;
}

function lengthAt(data: Buffer, at: number): { start: number; length: number } {
  const first = data[at] ?? 0;
  if (first < 0x80) return { start: at + 1, length: first };
  const size = first & 0x7f;
  return { start: at + 1 + size, length: data.readUIntBE(at + 1, size) };
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 0x80
      ? Buffer.from([body.length])
      : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const text = (value: Buffer | string) => tagged(0x04, Buffer.from(value as string));
const result = (code: number, said = "") => [
  tagged(0x0a, Buffer.from([code])),
  text(""),
  text(said),
];

/** The whole message, as it goes over the network. */
export function message(id: number, operation: Buffer): Buffer {
  return tagged(0x30, tagged(0x02, Buffer.from([id >> 8, id & 0xff])), operation);
}

export function bindAnswer(code: number, said = ""): Buffer[] {
  return [tagged(0x61, ...result(code, said))];
}

export function extendedAnswer(code: number): Buffer[] {
  return [tagged(0x78, ...result(code))];
}

type Attributes = Record<string, Array<Buffer | string>>;

/** Entries, and the end of the search. */
export function searchAnswer(entries: Record<string, Attributes>): Buffer[] {
  const found = Object.entries(entries).map(([dn, attributes]) =>
    tagged(
      0x64,
      text(dn),
      tagged(
        0x30,
        ...Object.entries(attributes).map(([type, values]) =>
          tagged(0x30, text(type), tagged(0x31, ...values.map(text))),
        ),
      ),
    ),
  );
  return [...found, tagged(0x65, ...result(0))];
}
