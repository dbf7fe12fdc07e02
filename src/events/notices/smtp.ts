// Hands mails to the server of the settings. nodemailer is loaded with the first one, because it takes 35 ms of the start
// and 1 MB, and many installations send none.
import { readFileSync } from "node:fs";
import type { MailSettings } from "../../config.ts";

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  date: Date;
  headers: Record<string, string>;
}

/** The mail was not taken. If it is permanent, the server will not take it later either. */
export class MailRefused extends Error {
  constructor(
    readonly reason: string,
    readonly isPermanent: boolean,
  ) {
    super(reason);
  }
}

/** Milliseconds. A mail is held by its sender for longer than all of them: see mails.ts. */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 };

export async function sendMail(settings: MailSettings, mail: OutgoingMail): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host: settings.host,
    port: settings.port,
    secure: settings.tls === "implicit",
    requireTLS: settings.tls === "starttls",
    ignoreTLS: settings.tls === "off",
    ...(settings.user !== undefined && {
      auth: { user: settings.user, pass: settings.password ?? "" },
    }),
    tls: {
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(settings.caFile !== undefined && { ca: readFileSync(settings.caFile, "utf8") }),
    },
    ...TIMEOUTS,
    // A text of ours never names a file or a URL to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { to, ...rest } = mail;
    await transport.sendMail({ ...rest, from: settings.from, to: { name: "", address: to } });
  } catch (error) {
    throw refusalOf(error);
  } finally {
    transport.close();
  }
}

/** Commands about this mail. If others are refused, the settings or the server are wrong, and may be mended. */
const ABOUT_MAIL = ["MAIL FROM", "RCPT TO", "DATA"];
const LONGEST_REASON = 300;

function refusalOf(error: unknown): MailRefused {
  const { responseCode, command, code, message } = (error ?? {}) as {
    responseCode?: number;
    command?: string;
    code?: string;
    message?: string;
  };
  const isPermanent =
    (responseCode ?? 0) >= 500 &&
    code !== "EAUTH" &&
    code !== "ETLS" &&
    ABOUT_MAIL.includes(command ?? "");
  const reason = String(message ?? error).replace(/\p{Cc}+/gu, " ");
  return new MailRefused(reason.slice(0, LONGEST_REASON), isPermanent);
}
