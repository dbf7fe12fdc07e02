// The results of the one box: below it while the user types, and as a page.
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import { answerByHelp, isHowTo } from "../../src/help/find.ts";
import type { Answer } from "../../src/omnibox/answers.ts";
import type { OmniboxResult } from "../../src/omnibox/omnibox.ts";
import { anyWordOf } from "../../src/search/language/typed_text.ts";
import { SearchBox } from "../layout/search_box.tsx";
import { Copy } from "../parts/copy.tsx";
import { Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { type BoxCommand, commandsFor } from "./commands.ts";
import {
  hostFormAt,
  type ResultLink,
  type ResultSection,
  resultPath,
  sectionsOf,
  targetPath,
} from "./result_paths.ts";
import { summaryOf } from "./summary.ts";

interface Props {
  text: string;
  found: OmniboxResult;
}

/** A listbox of links: the arrow keys walk through it, Enter opens one. */
export function Palette({ text, found }: Props) {
  const copied = copyTextOf(found);
  const groups = groupsOf(useFrame().caller, text, found);
  return (
    <>
      <p class="said" role="status">
        {summaryOf(text, found, titleInstead(groups, text))}
      </p>
      <div role="listbox" aria-label="Results">
        {groups.map(({ title, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
          <div role="group" aria-label={title}>
            <p aria-hidden="true">{title}</p>
            {entries.map((entry) => (
              <Option {...entry} />
            ))}
            {title === LISTS && copied && (
              <button type="button" role="option" tabindex={-1} data-copy={copied}>
                Copy {copied}
              </button>
            )}
          </div>
        ))}
      </div>
    </>
  );
}

/** The box is a form: a button of it can be sent elsewhere. */
function Option({ label, href, detail, sends }: ResultEntry) {
  if (sends) {
    return (
      <button
        type="submit"
        role="option"
        tabindex={-1}
        formaction={href}
        formmethod="post"
        name="theme"
        value={sends.theme}
      >
        {label}
      </button>
    );
  }
  const said =
    detail === undefined ? (
      label
    ) : (
      <>
        <b>{label}</b> <span class="muted">{detail}</span>
      </>
    );
  return href === undefined ? (
    <button type="button" role="option" tabindex={-1} disabled>
      {said}
    </button>
  ) : (
    <a role="option" tabindex={-1} href={href}>
      {said}
    </a>
  );
}

/** The results as a page of their own. */
export function Results({ text, found }: Props) {
  const copied = copyTextOf(found);
  const groups = groupsOf(useFrame().caller, text, found);
  return (
    <>
      <header class="head">
        <h1>Search</h1>
      </header>
      <SearchBox text={text} isBig />
      <p role="status">
        {summaryOf(text, found, titleInstead(groups, text))} {copied && <Copy text={copied} />}
      </p>
      <div class="results">
        {groups.map(({ title, entries, isFound }) => (
          <section>
            <h2>{title}</h2>
            <ul class={isFound ? "plain hits" : "plain"}>
              {entries.map((entry) => (
                <li>
                  <Result {...entry} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

function Result({ label, href, detail, sends }: ResultEntry) {
  if (sends) {
    return (
      <form method="post" action={href}>
        <input type="hidden" name="next" value="/" />
        <button type="submit" name="theme" value={sends.theme}>
          {label}
        </button>
      </form>
    );
  }
  return (
    <>
      {href === undefined ? label : <a href={href}>{label}</a>}
      {detail !== undefined && (
        <>
          {" "}
          <span class="muted">{detail}</span>
        </>
      )}
    </>
  );
}

// What is shown, and in which order -----------------------------------------------------------------

interface ResultEntry extends Omit<ResultLink, "href"> {
  /** Of what the caller may open. */
  href?: string;
  /** Also null: it can be about a record of which nothing is to say. */
  detail?: ComponentChildren;
  /** A command that is a form: see commands.ts. */
  sends?: BoxCommand["sends"];
}

interface ResultGroup {
  title: string;
  entries: ResultEntry[];
  /** Records and answers. */
  isFound?: boolean;
}

const LISTS = "Lists";
const HELP = "Help";

/**
 * Answers, exact matches, a command that the text says, help that it asks for, other records; then what may be meant, and the
 * lists.
 */
function groupsOf(caller: Caller | undefined, text: string, found: OmniboxResult): ResultGroup[] {
  const sections = sectionsOf(found.hits, found.interpretation?.text ?? text, found.kind);
  const isExact = ({ hits: [first] }: ResultSection) => first?.is_exact ?? false;
  const commands = caller ? commandsFor(caller, text) : [];
  const commandGroup = { title: "Commands", entries: commands };
  const isSaid = commands[0]?.isExact ?? false;
  const help = { title: HELP, entries: helpFor(text, found) };
  // While somebody types one word, a command is meant.
  const least = commands.length > 0 ? 2 : 1;
  const asks = asksHowTo(text) || (found.isGuess && !isSaid && isHowTo(text, least));
  const groups: ResultGroup[] = [
    { title: "Answers", entries: found.answers.map(answerEntry), isFound: true },
    ...sections.filter(isExact).map(groupOfHits),
    ...(isSaid ? [commandGroup] : []),
    ...(asks ? [help] : []),
    ...sections.filter((one) => !isExact(one)).map(groupOfHits),
    ...(isSaid ? [] : [commandGroup]),
    ...(asks ? [] : [help]),
    { title: LISTS, entries: asks ? [] : furtherLinks(text, found) },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}

function answerEntry({ label, at, to }: Answer): ResultEntry {
  return { label, href: targetPath(to), detail: at ? <Time at={at} /> : null };
}

function groupOfHits({ title, hits }: ResultSection): ResultGroup {
  const entries = hits.map((hit) => ({
    label: hit.label,
    href: resultPath(hit),
    detail: hit.detail,
  }));
  return { title, entries, isFound: true };
}

/** What is there if no record is. */
function titleInstead(groups: ResultGroup[], text: string): string {
  const [first] = groups;
  if (!first || first.isFound || first.title === LISTS) return "";
  const isHelp = first.title === HELP && !asksHowTo(text);
  return isHelp ? "No matches; about this in the help" : first.title;
}

const MOST_HELP = 3;
const SHORTEST = 3;
const ASKING_FOR_HELP =
  /^\s*(?:help(?: (?:with|on|about|for))?|how (?:do|can|should|to|does)(?: i| we| one)?(?: the)?|what (?:is|are|does|do)(?: an?| the)?|meaning of|explain)\s+/i;

/** Passages of the documents, where nothing else is found, somebody asks for them, or the guide is about just that. */
function helpFor(
  text: string,
  { hits, answers, interpretation = { text } }: OmniboxResult,
): ResultEntry[] {
  const wanted = wantedHelp(text);
  const isWanted = wanted !== text || isHowTo(text);
  const isElsewhere = hits.length + answers.length > 0 && !isWanted;
  if (isElsewhere || /\d/.test(interpretation.text) || wanted.length < SHORTEST) return [];
  return answerByHelp(wanted, MOST_HELP).map(({ title, path, excerpt }) => ({
    label: title,
    href: path,
    detail: excerpt,
  }));
}

/** Whether the text asks how to do what the guide tells. */
export function asksHowTo(text: string): boolean {
  const wanted = wantedHelp(text);
  return wanted !== text && isHowTo(wanted);
}

/** What somebody wants to know of, without the words that ask. */
function wantedHelp(text: string): string {
  return text.replace(ASKING_FOR_HELP, "").replace(/\s+(?:works?|means?)\s*\??$/i, "");
}

/** Actions for the typed text, and the lists that search all fields. */
function furtherLinks(text: string, found: OmniboxResult): ResultLink[] {
  const { address, interpretation, hits } = found;
  const words = interpretation?.text ?? text;
  const any =
    hits.length === 0 || (found.isGuess && !found.corrected) ? anyWordOf(words) : undefined;
  const query = encodeURIComponent(found.query ?? any ?? words);
  const said = any === undefined ? `"${words}" in any field` : `any of the words "${words}"`;
  const which = found.query === undefined ? `with ${said}` : `that match ${text}`;
  const item = hits.find(({ kind, is_exact }) => kind === "item" && is_exact);
  const links: ResultLink[] = [];
  const form = address && hostFormAt(address);
  if (form) links.push({ label: `Add host at ${address.ip}`, href: form });
  if (interpretation?.block) {
    const href = `/network/hosts?q=${encodeURIComponent(`ip:${interpretation.block}`)}`;
    links.push({ label: `Hosts in ${interpretation.block}`, href });
  }
  if (item) {
    const href = `/inventory/items/labels?ics_id=${encodeURIComponent(item.name)}`;
    links.push({ label: `Print label of ${item.name}`, href });
  }
  return [
    ...links,
    { label: `Hosts ${which}`, href: `/network/hosts?q=${query}` },
    { label: `Items ${which}`, href: `/inventory/items?q=${query}` },
  ];
}

/** The address in canonical notation. */
function copyTextOf({ interpretation, address }: OmniboxResult): string | undefined {
  return address?.ip ?? interpretation?.mac;
}
