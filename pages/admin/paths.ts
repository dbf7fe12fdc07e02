// The paths of the pages for admins, and texts that they share.
export const ADMIN = "/admin";
export const USERS = `${ADMIN}/users`;
export const TOKENS = `${ADMIN}/tokens`;
export const JOBS = `${ADMIN}/jobs`;
export const AUDIT = `${ADMIN}/audit`;
export const SYSTEM = `${ADMIN}/system`;

/** The first crumb of these pages. */
export const CRUMB = { label: "Administration", href: ADMIN };

export function userPath(username: string): string {
  return `${USERS}/view/${encodeURIComponent(username)}`;
}

/** Hours in words. */
export function ageOf(hours: number): string {
  if (hours < 1) return "less than an hour";
  if (hours < 48) return hours < 2 ? "an hour" : `${Math.floor(hours)} hours`;
  return `${Math.floor(hours / 24).toLocaleString("en")} days`;
}
