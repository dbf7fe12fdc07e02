import { resolve } from "node:path";
import {
  readDatabaseAddress,
  SESSION_ATTRIBUTES,
  SSL_MODES,
  unknownAttributes,
} from "../db/address.ts";
import { isWithin, LOOPBACK, PRIVATE } from "./input/address_ranges.ts";
import { type Block, readBlock } from "./input/addresses.ts";

export interface Config {
  host: string;
  port: number;
  workers: number;
  databaseUrl: string | undefined;
  /** A replica for lists, searches, feeds and exports. */
  databaseReadUrl: string | undefined;
  dataDir: string;
  secretKey: string | undefined;
  adminUsername: string;
  adminPassword: string | undefined;
  publicUrl: URL | undefined;
  trustProxy: boolean;
  /** A file with providers for the login. */
  signInFile: string | undefined;
  /** How long entries of the audit log are kept. */
  auditDays: number;
  /** Bytes of all files of records in the database. */
  filesMax: number;
  /** Where the bytes of files are instead, with a slash at its end. */
  filesTo: string | undefined;
  /** Who may set variables that run programs on the machine of Ansible, besides admins. */
  ansibleVars: "network" | "admin";
  /** Networks to which webhooks and triggers may use http; this machine, if it is one of them. */
  webhookAllow: readonly Block[];
  /** Backups that the service makes. */
  backup: BackupSettings | undefined;
  s3: S3Settings;
  /** The server that takes mails; without one no mail is sent. */
  mail: MailSettings | undefined;
  logLevel: LogLevel;
  logFormat: "pretty" | "json";
}

export interface BackupSettings {
  /** A directory or s3://bucket/prefix. */
  to: string;
  /** Seconds. */
  every: number;
  /** How many are kept. */
  keep: number;
}

export interface MailSettings {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  /** Off only for a relay that is trusted and near. */
  tls: "starttls" | "implicit" | "off";
  /** A file with certificates in PEM that are trusted besides those of the system. */
  caFile: string | undefined;
  /** The sender: an address, or a name and an address. */
  from: { name: string; address: string };
}

export interface S3Settings {
  endpoint: string | undefined;
  region: string | undefined;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  sessionToken: string | undefined;
}

const MOST_WORKERS = 64;
const MOST_AUDIT_DAYS = 3_650;
const DEFAULT_FILES_MAX = "2GB";
const SIZES: Record<string, number> = { MB: 1e6, GB: 1e9, TB: 1e12 };
const MOST_BACKUPS = 10_000;
const UNITS: Record<string, number> = { m: 60, h: 3_600, d: 86_400, w: 7 * 86_400 };
const LONGEST_INTERVAL = 366 * 86_400;
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An invalid setting; the message is one line that names it. */
export class WrongSetting extends Error {}

let current: Config | undefined;

/** Called once, when the database is opened. */
export function setConfig(config: Config): void {
  current = config;
}

/** The settings of this process. */
export function currentConfig(): Config | undefined {
  return current;
}

type Environment = Record<string, string | undefined>;

export function readConfig(environment: Environment = Bun.env): Config {
  const get = (name: string) => environment[name]?.trim() || undefined;
  return {
    host: get("HOST") ?? "127.0.0.1",
    port: port(get("PORT")),
    workers: workers(get("WORKERS")),
    databaseUrl: databaseUrl("DATABASE_URL", get("DATABASE_URL")),
    databaseReadUrl: databaseUrl("DATABASE_READ_URL", get("DATABASE_READ_URL")),
    dataDir: resolve(get("DATA_DIR") ?? "./data"),
    secretKey: secretKey(get("SECRET_KEY")),
    adminUsername: adminUsername(get("ADMIN_USERNAME")),
    adminPassword: get("ADMIN_PASSWORD"),
    publicUrl: publicUrl(get("PUBLIC_URL")),
    trustProxy: flag("TRUST_PROXY", get("TRUST_PROXY")),
    signInFile: get("SIGN_IN_FILE"),
    auditDays: auditDays(get("AUDIT_DAYS")),
    filesMax: sizeIn("FILES_MAX", get("FILES_MAX") ?? DEFAULT_FILES_MAX),
    filesTo: filesTo(get("FILES_TO")),
    ansibleVars: choice("ANSIBLE_VARS", get("ANSIBLE_VARS") ?? "network", ["network", "admin"]),
    webhookAllow: webhookAllow(get("WEBHOOK_ALLOW")),
    backup: backup(get("BACKUP_TO"), get("BACKUP_EVERY"), get("BACKUP_KEEP")),
    s3: {
      endpoint: s3Endpoint(get("S3_ENDPOINT")),
      region: get("S3_REGION"),
      accessKeyId: get("S3_ACCESS_KEY_ID"),
      secretAccessKey: get("S3_SECRET_ACCESS_KEY"),
      sessionToken: get("S3_SESSION_TOKEN"),
    },
    mail: mail(get),
    logLevel: choice("LOG_LEVEL", get("LOG_LEVEL") ?? "info", LOG_LEVELS),
    logFormat: choice("LOG_FORMAT", get("LOG_FORMAT") ?? terminalFormat(), ["pretty", "json"]),
  };
}

function port(value = "3000", name = "PORT"): number {
  const number = Number(value);
  if (!/^[0-9]{1,5}$/.test(value) || number > 65_535) {
    throw new WrongSetting(`${name} must be a number from 0 to 65535, not '${value}'`);
  }
  return number;
}

function workers(value = "1"): number {
  const number = Number(value);
  if (!/^[0-9]{1,2}$/.test(value) || number < 1 || number > MOST_WORKERS) {
    throw new WrongSetting(`WORKERS must be a number from 1 to ${MOST_WORKERS}, not '${value}'`);
  }
  return number;
}

/** 500MB, 2GB or 1TB. */
function sizeIn(name: string, value: string): number {
  const [, number, unit = ""] = /^([1-9][0-9]{0,4})(MB|GB|TB)$/.exec(value) ?? [];
  if (!number) throw new WrongSetting(`${name} must be a size such as 2GB, not '${value}'`);
  return Number(number) * (SIZES[unit] ?? 1);
}

function auditDays(value = "365"): number {
  const number = Number(value);
  if (!/^[0-9]{1,4}$/.test(value) || number < 1 || number > MOST_AUDIT_DAYS) {
    throw new WrongSetting(
      `AUDIT_DAYS must be a number from 1 to ${MOST_AUDIT_DAYS}, not '${value}'`,
    );
  }
  return number;
}

function webhookAllow(value = ""): Block[] {
  const texts = value.split(/[\s,]+/).filter(Boolean);
  return texts.map((text) => {
    const block = readBlock(text);
    if (block && (isWithin(PRIVATE, block) || isWithin(LOOPBACK, block))) return block;
    throw new WrongSetting(
      `WEBHOOK_ALLOW must be private networks such as 10.0.0.0/8,127.0.0.1/32, not '${text}'`,
    );
  });
}

function backup(
  to: string | undefined,
  every: string | undefined,
  keep: string | undefined,
): BackupSettings | undefined {
  if (to === undefined) {
    const extra = every !== undefined ? "BACKUP_EVERY" : keep !== undefined ? "BACKUP_KEEP" : null;
    if (extra) throw new WrongSetting(`${extra} needs BACKUP_TO, which is not set`);
    return undefined;
  }
  return {
    to: backupPlace("BACKUP_TO", to),
    every: interval("BACKUP_EVERY", every),
    keep: backupsToKeep("BACKUP_KEEP", keep),
  };
}

/** A bucket without a key in it. */
const S3_PLACE = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^?#@]*)?$/;

/** An absolute path, or a bucket. */
export function backupPlace(name: string, value: string): string {
  if (!value.includes("://")) return resolve(value);
  if (S3_PLACE.test(value)) return value;
  throw new WrongSetting(`${name} must be a directory or look like s3://bucket/prefix`);
}

function filesTo(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!S3_PLACE.test(value)) throw new WrongSetting("FILES_TO must look like s3://bucket/prefix");
  return value.endsWith("/") ? value : `${value}/`;
}

/** Seconds. */
export function interval(name: string, value = "1d"): number {
  const [, number, unit = ""] = /^([0-9]{1,6})([mhdw])$/.exec(value) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 0);
  if (seconds >= 60 && seconds <= LONGEST_INTERVAL) return seconds;
  throw new WrongSetting(`${name} must be a time such as 30m, 12h, 1d or 1w, not '${value}'`);
}

export function backupsToKeep(name: string, value = "14"): number {
  const number = Number(value);
  if (!/^[0-9]{1,5}$/.test(value) || number < 1 || number > MOST_BACKUPS) {
    throw new WrongSetting(`${name} must be a number from 1 to ${MOST_BACKUPS}, not '${value}'`);
  }
  return number;
}

const SMTP_DETAILS = ["PORT", "USER", "PASSWORD", "FROM", "TLS", "CA_FILE"].map(
  (name) => `SMTP_${name}`,
);
const TLS_CHOICES = ["starttls", "implicit", "off"] as const;
const TLS_PORTS = { starttls: 587, implicit: 465, off: 25 };

function mail(get: (name: string) => string | undefined): MailSettings | undefined {
  const server = smtpServer(get);
  if (!server) {
    const extra = SMTP_DETAILS.find((name) => get(name) !== undefined);
    if (extra) throw new WrongSetting(`${extra} needs SMTP_HOST or SMTP_URL, which is not set`);
    return undefined;
  }
  if (get("PUBLIC_URL") === undefined) {
    throw new WrongSetting("SMTP_HOST and SMTP_URL need PUBLIC_URL, for the links in mails");
  }
  const tls = choice("SMTP_TLS", get("SMTP_TLS") ?? server.tls ?? "starttls", TLS_CHOICES);
  const { host, user, password } = server;
  if (tls === "off" && user !== undefined) {
    throw new WrongSetting("SMTP_TLS=off would send SMTP_PASSWORD in clear text: use starttls");
  }
  if ((user === undefined) !== (password === undefined)) {
    throw new WrongSetting("SMTP_USER and SMTP_PASSWORD must be set together");
  }
  const own = server.port ?? String(TLS_PORTS[tls]);
  return {
    host,
    port: port(own, "SMTP_PORT"),
    user,
    password,
    tls,
    caFile: get("SMTP_CA_FILE"),
    from: sender(get("SMTP_FROM")),
  };
}

function smtpServer(get: (name: string) => string | undefined) {
  const written = get("SMTP_URL");
  const port = get("SMTP_PORT");
  if (written === undefined) {
    const host = get("SMTP_HOST");
    const login = { user: get("SMTP_USER"), password: get("SMTP_PASSWORD") };
    return host === undefined ? undefined : { host, port, ...login, tls: undefined };
  }
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || url.search || url.hash) {
    throw new WrongSetting("SMTP_URL must look like smtp://user:password@mail.example.org:587");
  }
  const part = (text: string) => (text === "" ? undefined : decodeURIComponent(text));
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: part(url.port) ?? port,
    user: part(url.username) ?? get("SMTP_USER"),
    password: part(url.password) ?? get("SMTP_PASSWORD"),
    tls: url.protocol === "smtps:" ? "implicit" : undefined,
  };
}

const ADDRESS = String.raw`[^\s<>@",;]+@[^\s<>@",;]+`;
const SENDERS = [
  new RegExp(`^(?<address>${ADDRESS})$`),
  new RegExp(String.raw`^"?(?<name>[^"<>\p{Cc}]*?)"?\s*<(?<address>${ADDRESS})>$`, "u"),
];

function sender(value = ""): MailSettings["from"] {
  const found = SENDERS.map((one) => one.exec(value)).find((one) => one !== null);
  const { name = "", address = "" } = found?.groups ?? {};
  if (address === "") {
    throw new WrongSetting("SMTP_FROM must look like Cadastre <cadastre@example.org>");
  }
  return { name: name.trim() || "Cadastre", address };
}

function s3Endpoint(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new WrongSetting("S3_ENDPOINT must be a URL such as https://s3.example.org");
  }
  return value;
}

function databaseUrl(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const address = readDatabaseAddress(value);
  if (!address) {
    throw new WrongSetting(`${name} must look like postgres://user:password@host:5432/name`);
  }
  if (address.sslmode) choice(`sslmode in ${name}`, address.sslmode, SSL_MODES);
  const attributes = unknownAttributes(value);
  if (attributes) choice(`target_session_attrs in ${name}`, attributes, SESSION_ATTRIBUTES);
  return value;
}

function secretKey(value: string | undefined): string | undefined {
  if (value !== undefined && Buffer.byteLength(value) < 32) {
    throw new WrongSetting("SECRET_KEY must have 32 bytes or more");
  }
  return value;
}

function adminUsername(value = "admin"): string {
  const name = value.toLowerCase();
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) {
    throw new WrongSetting(
      "ADMIN_USERNAME must be 1 to 64 of a-z, 0-9, dot, hyphen and underscore",
    );
  }
  return name;
}

function publicUrl(value: string | undefined): URL | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search || url.hash) {
    throw new WrongSetting("PUBLIC_URL must be an origin such as https://cadastre.example.org");
  }
  return url;
}

function flag(name: string, value = "false"): boolean {
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw new WrongSetting(`${name} must be on or off, not '${value}'`);
}

function choice<Known extends string>(
  name: string,
  value: string,
  allowed: readonly Known[],
): Known {
  const found = allowed.find((one) => one === value.toLowerCase());
  if (!found)
    throw new WrongSetting(`${name} must be one of ${allowed.join(", ")}, not '${value}'`);
  return found;
}

function terminalFormat(): string {
  return process.stdout.isTTY ? "pretty" : "json";
}
