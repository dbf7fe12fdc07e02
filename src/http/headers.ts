// The headers of every response.
import { publicId } from "../input/change_ids.ts";

const ALWAYS: Record<string, string> = {
  "x-content-type-options": "nosniff",
  // Other sites get no referrer. Under "no-referrer", browsers send our own forms with "Origin: null", and without
  // TLS no other header: nobody could log in.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(self), geolocation=(), microphone=()",
  "x-frame-options": "DENY",
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
  headers.set("x-request-id", context.id);
  if (context.changeSet !== undefined) headers.set("change-set", publicId(context.changeSet));
  if (context.warning !== undefined) headers.set("warning", `299 - "${context.warning}"`);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", NOTHING);
  if (context.origin.startsWith("https:")) headers.set("strict-transport-security", YEAR);
  return response;
}
