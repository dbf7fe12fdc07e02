// Uploads a file by a form, as a browser without scripting does.
import { type Answer, visit } from "./api.ts";
import type { Browser } from "./browser.ts";

export const IMPORT = "/inventory/items/import";
export const IMPORT_HOSTS = "/network/hosts/import";

export async function upload(
  own: Browser,
  content: string | Uint8Array,
  { name = "items.csv", path = IMPORT } = {},
): Promise<Answer> {
  const body = new FormData();
  body.append("file", new File([content as BlobPart], name));
  const headers = { cookie: own.cookie, "sec-fetch-site": "same-origin", accept: "text/html" };
  return visit(path, { method: "POST", body, headers });
}

/** The path of the page that shows the rows of a file. */
export async function uploaded(
  own: Browser,
  content: string | Uint8Array,
  path = IMPORT,
): Promise<string> {
  const { status, headers, text } = await upload(own, content, { path });
  if (status !== 303) throw new Error(`The file was not taken: ${text}`);
  return headers.get("location") ?? "";
}
