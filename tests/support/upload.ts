// A file chosen in a form, as a browser without scripting sends it.
import { type Answer, visit } from "./api.ts";
import type { Browser } from "./browser.ts";

export const IMPORT = "/inventory/items/import";

export async function upload(
  own: Browser,
  content: string | Uint8Array,
  name = "items.csv",
): Promise<Answer> {
  const body = new FormData();
  body.append("file", new File([content as BlobPart], name));
  const headers = { cookie: own.cookie, "sec-fetch-site": "same-origin", accept: "text/html" };
  return visit(IMPORT, { method: "POST", body, headers });
}

/** Where the rows of a file can be looked through. */
export async function uploaded(own: Browser, content: string | Uint8Array): Promise<string> {
  const { status, headers, text } = await upload(own, content);
  if (status !== 303) throw new Error(`The file was not taken: ${text}`);
  return headers.get("location") ?? "";
}
