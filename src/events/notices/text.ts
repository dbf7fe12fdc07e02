// The text of mails, as plain text and as simple HTML.
import type { LinkedEvent } from "../../history/events.ts";
import {
  changedFieldNames,
  changePath,
  eventLabel,
  sentenceOf,
  shownDifferences,
} from "../../history/words.ts";
import { formatNumber } from "../../input/text.ts";
import type { NoticedSet } from "./matches.ts";

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

export interface Links {
  /** Of the pages: https://cadastre.example.org */
  origin: string;
  unsubscribe: string;
}

export interface FeedContent {
  sets: NoticedSet[];
  /** Of the pages. */
  origin: string;
  /** The user, by a number that is no secret. */
  user: number;
}

interface ChangesMail {
  sets: NoticedSet[];
  /** Changes of records that are not in `sets`. */
  further: { count: number; isMore: boolean };
  links: Links;
}

/** Names of records are not in the subject, which others may read on a locked screen. */
export function changesMail({ sets, further, links }: ChangesMail): MailText {
  const listed = sets.reduce((sum, { events }) => sum + events.length, 0);
  const count = formatNumber(listed + further.count);
  const changes = listed + further.count === 1 ? "1 change" : `${count} changes`;
  const more = further.isMore ? "more than " : "";
  const rest = further.count > 0 ? `and ${more}${formatNumber(further.count)} more` : undefined;
  const { origin } = links;
  const reason = "You get this mail because you watch these records.";
  return {
    subject: `Cadastre: ${changes} of what you watch`,
    text: [
      ...sets.map((set) => setAsText(set, origin)),
      ...(rest ? [`${rest}: ${origin}/changes`] : []),
      `-- \n${reason}\nWatches: ${origin}/user/watches\nUnsubscribe: ${links.unsubscribe}\n`,
    ].join("\n\n"),
    html: document([
      ...sets.map((set) => setAsHtml(set, origin)),
      ...(rest ? [`<p><a href="${escaped(`${origin}/changes`)}">${rest}</a></p>`] : []),
      `<hr><p>${reason} <a href="${escaped(`${origin}/user/watches`)}">Watches</a>, ` +
        `<a href="${escaped(links.unsubscribe)}">Unsubscribe</a></p>`,
    ]),
  };
}

/** A mail of a sentence and perhaps a link. */
export function shortMail(subject: string, sentence: string, link?: string): MailText {
  const anchor = link ? `<p><a href="${escaped(link)}">${escaped(link)}</a></p>` : "";
  return {
    subject,
    text: [sentence, ...(link ? [link] : [])].map((line) => `${line}\n`).join("\n"),
    html: document([`<p>${escaped(sentence)}</p>${anchor}`]),
  };
}

/** "bob: Changed host web-01: Description". */
export function noticeTitle(set: NoticedSet): string {
  const fields = changedFieldNames(set);
  return plain(`${authorOf(set)}: ${sentenceText(set)}${fields ? `: ${fields}` : ""}`);
}

function setAsText(set: NoticedSet, origin: string): string {
  return [
    `${set.at} UTC, ${authorOf(set)}: ${plain(sentenceText(set))}`,
    ...detailLines(set).map((line) => `  ${line}`),
    `  ${origin}${changePath(set.id)}`,
  ].join("\n");
}

/** What each change did, field by field. */
export function detailLines(set: NoticedSet): string[] {
  const { events } = set;
  return events.flatMap((event) => {
    const fields = differencesOf(event).map(({ label, old, now }) =>
      plain(
        `${label}: ${[old, now].filter((value) => value !== null).join(" → ")}${now === null ? " → (none)" : ""}`,
      ),
    );
    if (events.length === 1) return fields;
    return [plain(recordOf(event)), ...fields.map((field) => `  ${field}`)];
  });
}

export function setAsHtml(set: NoticedSet, origin: string): string {
  const sentence = sentenceOf(set)
    .map((part) => {
      if (typeof part === "string") return escaped(part);
      if (!part.path) return `<b>${escaped(part.name)}</b>`;
      return `<a href="${escaped(origin + part.path)}">${escaped(part.name)}</a>`;
    })
    .join("");
  const records = set.events.map((event) => {
    const fields = differencesOf(event)
      .map(({ label, old, now }) => {
        const values = [old === null ? "" : `<del>${escaped(old)}</del>`];
        values.push(now === null ? "" : `<ins>${escaped(now)}</ins>`);
        return `<li>${escaped(label)}: ${values.filter((value) => value !== "").join(" → ")}</li>`;
      })
      .join("");
    const name = set.events.length === 1 ? "" : escaped(recordOf(event));
    return `${name}${fields === "" ? "" : `<ul>${fields}</ul>`}`;
  });
  const change = escaped(`${origin}${changePath(set.id)}`);
  return (
    `<p><a href="${change}">${set.at} UTC</a>, <b>${escaped(authorOf(set))}</b>: ${sentence}</p>` +
    records.filter((one) => one !== "").join("<br>")
  );
}

function sentenceText(set: NoticedSet): string {
  return sentenceOf(set)
    .map((part) => (typeof part === "string" ? part : part.name))
    .join("");
}

function authorOf({ user }: NoticedSet): string {
  return user ?? "system";
}

function recordOf({ name, row_id }: LinkedEvent): string {
  return name ?? String(row_id);
}

const LONGEST = 300;

function differencesOf({ action, table_name, differences }: LinkedEvent) {
  return shownDifferences(action, differences).map(({ field, old, now }) => ({
    label: eventLabel(table_name, field),
    old: cut(old),
    now: cut(now),
  }));
}

function cut(text: string | null): string | null {
  return text !== null && text.length > LONGEST
    ? `${text.slice(0, LONGEST).toWellFormed()}…`
    : text;
}

/** On one line, without control characters. */
function plain(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

function document(parts: string[]): string {
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><body>${parts.join("\n")}</body></html>`;
}

/** For HTML and for XML, which knows fewer characters. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, " ")
    .replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}
