import { resolve } from "node:path";
import { readAddress, SESSION_ATTRIBUTES, SSL_MODES, unknownAttributes } from "../db/address.ts";

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
  /** Backups that the service makes. */
  backup: BackupSettings | undefined;
  s3: S3Settings;
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

export interface S3Settings {
  endpoint: string | undefined;
  region: string | undefined;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  sessionToken: string | undefined;
}

const MOST_WORKERS = 64;
const MOST_AUDIT_DAYS = 3_650;
const MOST_BACKUPS = 10_000;
const UNITS: Record<string, number> = { m: 60, h: 3_600, d: 86_400, w: 7 * 86_400 };
const LONGEST_INTERVAL = 366 * 86_400;
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An invalid setting; the message is one line that names it. */
export class WrongSetting extends Error {}

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
    backup: backup(get("BACKUP_TO"), get("BACKUP_EVERY"), get("BACKUP_KEEP")),
    s3: {
      endpoint: s3Endpoint(get("S3_ENDPOINT")),
      region: get("S3_REGION"),
      accessKeyId: get("S3_ACCESS_KEY_ID"),
      secretAccessKey: get("S3_SECRET_ACCESS_KEY"),
      sessionToken: get("S3_SESSION_TOKEN"),
    },
    logLevel: choice("LOG_LEVEL", get("LOG_LEVEL") ?? "info", LOG_LEVELS),
    logFormat: choice("LOG_FORMAT", get("LOG_FORMAT") ?? terminalFormat(), ["pretty", "json"]),
  };
}

function port(value = "3000"): number {
  const number = Number(value);
  if (!/^[0-9]{1,5}$/.test(value) || number > 65_535) {
    throw new WrongSetting(`PORT must be a number from 0 to 65535, not '${value}'`);
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

function auditDays(value = "365"): number {
  const number = Number(value);
  if (!/^[0-9]{1,4}$/.test(value) || number < 1 || number > MOST_AUDIT_DAYS) {
    throw new WrongSetting(
      `AUDIT_DAYS must be a number from 1 to ${MOST_AUDIT_DAYS}, not '${value}'`,
    );
  }
  return number;
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

/** An absolute path, or a bucket without a key in it. */
export function backupPlace(name: string, value: string): string {
  if (!value.includes("://")) return resolve(value);
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^?#@]*)?$/.test(value)) return value;
  throw new WrongSetting(`${name} must be a directory or look like s3://bucket/prefix`);
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
  const address = readAddress(value);
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
