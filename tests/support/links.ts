/** The relations of a `link` header, each with its address. */
export function linksOf(headers: Headers): Record<string, string> {
  const links = (headers.get("link") ?? "").split(/, (?=<)/);
  return Object.fromEntries(
    links.map((link) => {
      const [, address = "", relation = ""] = /^<([^>]+)>; rel="([a-z]+)"$/.exec(link) ?? [];
      return [relation, address];
    }),
  );
}
