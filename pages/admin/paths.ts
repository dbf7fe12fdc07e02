// The paths of the pages for admins, and texts that they share.
export const ADMIN = "/admin";
export const USERS = `${ADMIN}/users`;
export const SERVICE_ACCOUNTS = `${ADMIN}/service-accounts`;
export const TOKENS = `${ADMIN}/tokens`;
export const JOBS = `${ADMIN}/jobs`;
export const AUDIT = `${ADMIN}/audit`;
export const SIGN_IN = `${ADMIN}/sign-in`;
/** Where the documents say how backups are made. */
export const BACKUP_HELP = "/help/operating#backup";
export const SYSTEM = `${ADMIN}/system`;

/** The first crumb of these pages. */
export const CRUMB = { label: "Administration", href: ADMIN };

export function userPath(username: string): string {
  return `${USERS}/view/${encodeURIComponent(username)}`;
}

export function serviceAccountPath(username: string): string {
  return `${SERVICE_ACCOUNTS}/view/${encodeURIComponent(username)}`;
}

export function providerView(key: string): string {
  return `${SIGN_IN}/view/${encodeURIComponent(key)}`;
}
