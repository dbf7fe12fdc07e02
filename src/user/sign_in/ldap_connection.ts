// One connection to a directory, for the operations of one login or one refresh.
import * as net from "node:net";
import * as tls from "node:tls";
import { Client } from "ldapts";
import { type Guard, guarded } from "./ldap_socket.ts";
import type { LdapSettings } from "./provider.ts";

/** Milliseconds until a connection, an operation, and all operations together are given up. */
const CONNECT_TIMEOUT = 3_000;
const OPERATION_TIMEOUT = 4_000;
const DEADLINE = 6_000;

interface Deadline {
  /** Milliseconds; longer for the people of a refresh. */
  deadline?: number;
}

/** Does the work with a connection that is encrypted, unless the settings say otherwise, and closes it. */
export async function withDirectory<T>(
  settings: LdapSettings,
  work: (client: Client) => Promise<T>,
  { deadline = DEADLINE }: Deadline = {},
): Promise<T> {
  const client = clientFor(settings);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`No answer within ${deadline / 1_000} s`)),
    deadline,
  );
  try {
    return await Promise.race([late.promise, encrypt(client, settings).then(() => work(client))]);
  } finally {
    clearTimeout(timer);
    // Also ends what is under way; a server that hangs must not be waited for.
    client.unbind().catch(() => {});
  }
}

function clientFor(settings: LdapSettings): Client {
  const { url } = settings;
  const path = socketPath(url);
  const isBeforeTls = usesStartTls(settings);
  let plain: Guard | undefined;
  const connect = (port: number, host: string) => {
    const socket = path === undefined ? net.connect(port, host) : net.connect(path);
    plain = guarded(socket, { isBeforeTls });
    return socket;
  };
  const connectByTls = (...given: Parameters<typeof tls.connect>) => {
    plain?.release();
    const socket = tls.connect(...given);
    guarded(socket, { isBeforeTls: false });
    return socket;
  };
  return new Client({
    url: path === undefined ? url : "ldap://localhost",
    connectTimeout: CONNECT_TIMEOUT,
    timeout: OPERATION_TIMEOUT,
    ...(url.startsWith("ldaps:") && { tlsOptions: tlsOptions(settings) }),
    createConnection: once(connect) as typeof net.connect,
    createSecureConnection: once(connectByTls) as typeof tls.connect,
  });
}

/**
 * A client of ldapts connects again by itself, before each operation. Without this, a password would be sent in plain
 * text when the connection was lost after STARTTLS.
 */
function once<Given extends unknown[], Made>(
  connect: (...given: Given) => Made,
): (...given: Given) => Made {
  let isUsed = false;
  return (...given) => {
    if (isUsed) throw new Error("The connection was lost");
    isUsed = true;
    return connect(...given);
  };
}

function usesStartTls({ url, send_passwords_without_encryption: isPlain = false }: LdapSettings) {
  return url.startsWith("ldap:") && !isPlain;
}

/** A failure of STARTTLS ends the login. */
async function encrypt(client: Client, settings: LdapSettings): Promise<void> {
  if (usesStartTls(settings)) await client.startTLS(tlsOptions(settings));
}

function tlsOptions({ url, ca }: LdapSettings): tls.ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
  };
}

/** The path of ldapi:///run/ldapi; also percent-encoded, as OpenLDAP writes it. */
function socketPath(url: string): string | undefined {
  const [, path] = /^ldapi:\/\/(.+)$/.exec(url) ?? [];
  return path === undefined ? undefined : decodeURIComponent(path);
}
