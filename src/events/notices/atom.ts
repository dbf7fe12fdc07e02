// An Atom feed: RFC 4287.
import { changePath } from "../../history/words.ts";
import { escaped, type FeedContent, noticeTitle, setAsHtml } from "./text.ts";

export function atom({ sets, origin, user }: FeedContent): string {
  const page = escaped(`${origin}/user/watches`);
  const updated = sets[0] ? momentOf(sets[0].at) : BEGINNING;
  const entries = sets.map((set) => {
    const address = escaped(`${origin}${changePath(set.id)}`);
    return `<entry><id>${address}</id><title>${escaped(noticeTitle(set))}</title>
<updated>${momentOf(set.at)}</updated><author><name>${escaped(set.user ?? "system")}</name></author>
<link rel="alternate" type="text/html" href="${address}"/>
<content type="html">${escaped(setAsHtml(set, origin))}</content></entry>
`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${page}?user=${user}</id><title>Cadastre: watched changes</title>
<updated>${updated}</updated><link rel="alternate" type="text/html" href="${page}"/>
${entries.join("")}</feed>
`;
}

/** Of a feed without entries. */
const BEGINNING = "1970-01-01T00:00:00Z";

/** From 2026-01-31 14:05, in UTC. */
function momentOf(at: string): string {
  return `${at.replace(" ", "T")}:00Z`;
}
