// The files of a feed: Atom (RFC 4287), and a calendar in which each change set is an event (RFC 5545).
import { changePath } from "../../history/words.ts";
import { publicId } from "../../input/change_ids.ts";
import type { NoticedSet } from "./matches.ts";
import { detailLines, escaped, type FeedContent, noticeTitle, setAsHtml } from "./text.ts";

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

/** Bytes of a line, without its end. */
const LONGEST_LINE = 75;

export function calendar({ sets, origin }: FeedContent): string {
  const host = new URL(origin).hostname;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Cadastre//Watched changes//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    "X-WR-CALNAME:Cadastre: watched changes",
    ...(sets.length > 0 ? sets.flatMap((set) => eventOf(set, origin, host)) : TIME_ZONE),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

/** A calendar has to have something in it, if there are no events. */
const TIME_ZONE = [
  "BEGIN:VTIMEZONE",
  "TZID:UTC",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "END:STANDARD",
  "END:VTIMEZONE",
];

function eventOf(set: NoticedSet, origin: string, host: string): string[] {
  const moment = `${set.at.replace(/[-:]/g, "").replace(" ", "T")}00Z`;
  const address = `${origin}${changePath(set.id)}`;
  return [
    "BEGIN:VEVENT",
    `UID:change-${publicId(set.id)}@${host}`,
    `DTSTAMP:${moment}`,
    `DTSTART:${moment}`,
    "TRANSP:TRANSPARENT",
    `SUMMARY:${escapedText(noticeTitle(set))}`,
    `DESCRIPTION:${escapedText([...detailLines(set), address].join("\n"))}`,
    `URL:${address}`,
    "END:VEVENT",
  ];
}

function escapedText(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r\n?|\n/g, "\\n");
}

/** Lines that are too long go on in the next one, after a blank. No character is divided. */
function folded(line: string): string {
  let text = "";
  let length = 0;
  for (const character of line) {
    const bytes = Buffer.byteLength(character);
    if (length + bytes > LONGEST_LINE) {
      text += "\r\n ";
      length = 1;
    }
    text += character;
    length += bytes;
  }
  return text;
}
