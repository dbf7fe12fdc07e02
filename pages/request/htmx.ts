/** htmx requests a part of a page. */
export function wantsFragment(request: Request): boolean {
  return isHtmx(request) && request.headers.get("hx-request-type") !== "full";
}

/** htmx requests a fragment. When it navigates or restores, it requests whole pages. */
export function isHtmx(request: Request): boolean {
  const isTrue = (name: string) => request.headers.get(name) === "true";
  return isTrue("hx-request") && !isTrue("hx-boosted") && !isTrue("hx-history-restore-request");
}
