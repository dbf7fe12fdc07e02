/** The script asks for a part of a page again, because others have changed it: the user has done nothing. */
export function isLive(request: Request): boolean {
  return request.headers.get("hx-live") === "true";
}
