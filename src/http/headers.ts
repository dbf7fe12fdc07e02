// The headers of every response.
import { publicId } from "../input/change_ids.ts";

const ALWAYS: Record<string, string> = {
  "X-Content-Type-Options": "nosniff",
  // Other sites get no referrer. Under "no-referrer", browsers send our own forms with "Origin: null", and without
  // TLS no other header: nobody could log in.
  "referrer-policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};
const YEAR = "max-age=31536000";
/** For answers that are not pages: no scripts, no framing. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'";

export function setCommonHeaders(
  response: Response,
  context: { id: string; origin: string; changeSet?: number; warning?: string },
): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value);
  headers.set("X-Request-Id", context.id);
  if (context.changeSet !== undefined) headers.set("Change-Set", publicId(context.changeSet));
  if (context.warning !== undefined) headers.set("Warning", `299 - "${context.warning}"`);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", NOTHING);
  if (context.origin.startsWith("https:")) headers.set("strict-transport-security", YEAR);
  return response;
}
