// A mail server that keeps what it is sent, with a certificate of its own authority.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import type { MailSettings } from "../../src/config.ts";
import type { MailService } from "../../src/events/notices/mails.ts";
import { freePort } from "../../tools/free_port.ts";
import { makeCertificates } from "./slapd.ts";
import { onTeardown } from "./teardown.ts";

export interface SinkMail {
  to: string[];
  /** Without folded lines, by lower-case names. */
  headers: Record<string, string>;
  /** All names of headers, in their order. */
  names: string[];
  text: string;
  html: string;
  raw: string;
}

export interface MailSink {
  mails: SinkMail[];
  port: number;
  /** An answer to RCPT TO instead of 250, such as 550. */
  refuse: number | undefined;
  /** Takes a mail and never answers. */
  hangs: boolean;
  /** Runs before a mail that was taken is answered. */
  beforeAnswer: (() => Promise<void>) | undefined;
  /** Whether the session of the last mail was encrypted. */
  wasSecure: boolean;
  close(): Promise<void>;
}

interface Options {
  tls?: boolean;
  port?: number;
}

let certificates: Promise<string> | undefined;

/** The folder of the certificates. */
export function mailCertificates(): Promise<string> {
  certificates ??= makeFolder();
  return certificates;
}

async function makeFolder(): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), "cadastre-mail-"));
  onTeardown(async () => rmSync(made, { recursive: true, force: true }));
  await makeCertificates(made);
  return made;
}

export async function mailSink({ tls = true, port }: Options = {}): Promise<MailSink> {
  const files = await mailCertificates();
  const sink = {
    mails: [] as SinkMail[],
    refuse: undefined,
    hangs: false,
    wasSecure: false,
  } as unknown as MailSink;
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    closeTimeout: 200,
    ...(tls
      ? {
          key: await Bun.file(`${files}/server.key`).text(),
          cert: await Bun.file(`${files}/server.pem`).text(),
        }
      : { disabledCommands: ["STARTTLS"] }),
    onRcptTo(_, __, callback) {
      const refused = Object.assign(new Error("No such mailbox"), { responseCode: sink.refuse });
      callback(sink.refuse ? refused : null);
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        sink.wasSecure = session.secure;
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (sink.hangs) return;
        sink.mails.push({ to, ...parsed(Buffer.concat(chunks).toString("utf8")) });
        await sink.beforeAnswer?.();
        callback(null);
      });
    },
  });
  // A client that does not trust the certificate leaves in the middle.
  server.on("error", () => {});
  sink.port = port ?? (await freePort());
  await new Promise<void>((done) => server.listen(sink.port, "127.0.0.1", () => done()));
  sink.close = () => new Promise<void>((done) => server.close(() => done()));
  return sink;
}

/** Settings for this sink, trusting its authority. */
export async function settingsFor(
  port: number,
  other: Partial<MailSettings> = {},
): Promise<MailService> {
  return {
    origin: "https://cadastre.example.org",
    settings: {
      host: "localhost",
      port,
      user: undefined,
      password: undefined,
      tls: "starttls",
      caFile: `${await mailCertificates()}/ca.pem`,
      from: { name: "Cadastre", address: "cadastre@example.org" },
      ...other,
    },
  };
}

function parsed(raw: string): Omit<SinkMail, "to"> {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const pairs = lines.map((line) => [
    line.split(":")[0]!,
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name!.toLowerCase(), value!]));
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "") ?? [];
  const [, text = "", html = ""] = raw.slice(end).split(`--${boundary}`).map(decoded);
  return { headers, names: pairs.map(([name]) => name!), text, html, raw };
}

/** A part of a mail: the ways in which short and long lines are sent. */
function decoded(part: string): string {
  const end = part.indexOf("\r\n\r\n", 2);
  const body = part.slice(end + 4);
  if (/base64/i.test(part.slice(0, end))) return Buffer.from(body, "base64").toString("utf8");
  if (!/quoted-printable/i.test(part.slice(0, end))) return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
