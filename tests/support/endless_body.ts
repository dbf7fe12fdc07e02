// A client that sends a chunked body for as long as the server reads.
import { connect } from "node:net";

interface BodyRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The maximal size of the body. */
  most: number;
}

interface BodyResult {
  status: number;
  /** Bytes of the body that were sent before the response and the end of the connection. */
  sent: number;
  /** The server ended the connection. */
  isClosed: boolean;
}

const CHUNK = Buffer.alloc(64 * 1024, 32);
const FRAMED = Buffer.concat([Buffer.from("10000\r\n"), CHUNK, Buffer.from("\r\n")]);

export function sendEndlessBody(
  origin: string,
  { method, path, headers, most }: BodyRequest,
): Promise<BodyResult> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ host, "transfer-encoding": "chunked", ...headers });
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
  let answer = "";
  let sent = 0;
  let isOver = false;
  const pump = () => {
    while (!isOver && sent < most) {
      sent += CHUNK.length;
      if (!socket.write(FRAMED)) return;
    }
    if (!isOver && sent >= most) socket.write("0\r\n\r\n");
  };
  socket.on("drain", pump);
  socket.on("connect", pump);
  return new Promise((resolve) => {
    const end = (isClosed: boolean) => {
      if (isOver) return;
      isOver = true;
      socket.destroy();
      resolve({ status: Number(answer.split(" ")[1] ?? 0), sent, isClosed });
    };
    // Writing to a closed connection may raise an error.
    socket.on("error", () => end(true));
    socket.on("close", () => end(true));
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      if (sent >= most && answer.includes("\r\n\r\n")) end(false);
    });
  });
}
