// The statements that the service sends for a request, and how they pass from one process to another: JSON alone loses
// bytes, and a statement with another value is another statement.

export interface RecordedStatement {
  sql: string;
  params: unknown[];
}

/** The only key of an object that stands for bytes. */
const HEX = "bytes in hexadecimal";

export function toJson(recorded: RecordedStatement[][]): string {
  const encoded = recorded.map((statements) =>
    statements.map(({ sql, params }) => ({ sql, params: params.map(encode) })),
  );
  return JSON.stringify(encoded);
}

export function fromJson(text: string): RecordedStatement[][] {
  return JSON.parse(text, (_, value) => decode(value));
}

/** As PostgreSQL reads a value that is sent as text. */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  if (Array.isArray(value)) return `{${value.map((one) => JSON.stringify(one)).join(",")}}`;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function encode(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? { [HEX]: value.toHex() } : value;
}

function decode(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !(HEX in value)) return value;
  return Buffer.from(String(value[HEX]), "hex");
}
