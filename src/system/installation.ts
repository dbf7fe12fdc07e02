// The settings of this process as admins see them, without secrets.
import { formatDatabaseAddress, readDatabaseAddress } from "../../db/address.ts";
import type { Config } from "../config.ts";
import { formatBlock } from "../input/addresses.ts";

export interface Setting {
  name: string;
  value: string;
}

/** A secret is shown as set or not set. */
export function installationSettings(config: Config): Setting[] {
  const values: Record<string, string> = {
    HOST: config.host,
    PORT: String(config.port),
    WORKERS: String(config.workers),
    DATABASE_URL: config.databaseUrl ? placeOf(config.databaseUrl) : "not set: embedded",
    DATABASE_READ_URL: config.databaseReadUrl ? placeOf(config.databaseReadUrl) : "not set",
    DATA_DIR: config.dataDir,
    SECRET_KEY: config.secretKey ? "set" : "not set: kept in the database",
    PUBLIC_URL: config.publicUrl?.origin ?? "not set: from the request",
    TRUST_PROXY: config.trustProxy ? "on" : "off",
    SIGN_IN_FILE: config.signInFile ?? "not set",
    AUDIT_DAYS: String(config.auditDays),
    FILES_MAX: `${config.filesMax / 1e6}MB`,
    FILES_TO: config.filesTo ?? "not set: in the database",
    ANSIBLE_VARS: config.ansibleVars,
    WEBHOOK_ALLOW: config.webhookAllow.map(formatBlock).join(",") || "not set: https only",
    BACKUP_TO: config.backup?.to ?? "not set: no backups by the service",
    ...(config.backup && {
      BACKUP_EVERY: `${config.backup.every / 3_600} h`,
      BACKUP_KEEP: String(config.backup.keep),
    }),
    S3_ENDPOINT: config.s3.endpoint ?? "not set",
    S3_ACCESS_KEY_ID: config.s3.accessKeyId ? "set" : "not set",
    S3_SECRET_ACCESS_KEY: config.s3.secretAccessKey ? "set" : "not set",
    SMTP_HOST: config.mail ? `${config.mail.host}:${config.mail.port}` : "not set: no mail",
    ...(config.mail && {
      SMTP_FROM: config.mail.from.address,
      SMTP_TLS: config.mail.tls,
      SMTP_PASSWORD: config.mail.password ? "set" : "not set",
    }),
    LOG_LEVEL: config.logLevel,
    LOG_FORMAT: config.logFormat,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Host and database of a URL, without user and password. */
function placeOf(url: string): string {
  const address = readDatabaseAddress(url);
  return address ? formatDatabaseAddress(address) : "set";
}
