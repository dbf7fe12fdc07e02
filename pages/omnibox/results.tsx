// The results of the one box: below it while the user types, and as a page.
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import { findHelp } from "../../src/help/find.ts";
import type { OmniboxResult } from "../../src/omnibox/omnibox.ts";
import type { Hit } from "../../src/omnibox/parts.ts";
import { SearchBox } from "../layout/search_box.tsx";
import { Copy } from "../parts/copy.tsx";
import { Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { type Command, commandsFor } from "./commands.ts";
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
  const { caller } = useFrame();
  const copied = copyTextOf(found);
  const { answers, commands, help, instead, exact, others } = partsOf(caller, text, found);
  return (
    <>
      <p class="said" role="status">
        {summaryOf(found, instead)}
      </p>
      <div role="listbox" aria-label="Results">
        {answers.length > 0 && (
          <Options title="Answers">
            {answers.map(({ label, at, to }) => (
              <a role="option" tabindex={-1} href={targetPath(to)}>
                <b>{label}</b> {at && <When at={at} />}
              </a>
            ))}
          </Options>
        )}
        <HitOptions sections={exact} />
        <CommandOptions commands={commands.filter(({ isExact }) => isExact)} />
        <HitOptions sections={others} />
        <CommandOptions commands={commands.filter(({ isExact }) => !isExact)} />
        {help.length > 0 && (
          <Options title="Help">
            {help.map(({ title, path, excerpt }) => (
              <a role="option" tabindex={-1} href={path}>
                <Line label={title} detail={excerpt} />
              </a>
            ))}
          </Options>
        )}
        <Options title="Lists">
          {furtherLinks(text, found).map(({ label, href }) => (
            <a role="option" tabindex={-1} href={href}>
              {label}
            </a>
          ))}
          {copied && (
            <button type="button" role="option" tabindex={-1} data-copy={copied}>
              Copy {copied}
            </button>
          )}
        </Options>
      </div>
    </>
  );
}

const MOST_HELP = 3;
const SHORTEST = 3;
const ASKING_FOR_HELP =
  /^\s*(?:help(?: (?:with|on|about|for))?|how (?:do i|to|can i|do|does)(?: the)?|what (?:is|are)(?: an?)?|explain)\s+/i;

function partsOf(caller: Caller | undefined, text: string, found: OmniboxResult) {
  const sections = sectionsOf(found.hits, found.interpretation?.text ?? text);
  const isExact = ({ hits: [first] }: ResultSection) => first?.is_exact ?? false;
  const commands = caller ? commandsFor(caller, text) : [];
  const help = helpFor(text, found);
  return {
    answers: found.answers,
    commands,
    help,
    instead: commands.length > 0 ? "Commands" : help.length > 0 ? "Help" : "",
    exact: sections.filter(isExact),
    others: sections.filter((one) => !isExact(one)),
  };
}

/** Passages of the documents, where nothing else is found or somebody asks for them. */
function helpFor(text: string, { hits, answers, interpretation = { text } }: OmniboxResult) {
  const wanted = text.replace(ASKING_FOR_HELP, "").replace(/\s+works?\s*\??$/i, "");
  const isElsewhere = hits.length + answers.length > 0 && wanted === text;
  if (isElsewhere || /\d/.test(interpretation.text) || wanted.length < SHORTEST) return [];
  return findHelp(wanted, MOST_HELP);
}

function HitOptions({ sections }: { sections: ResultSection[] }) {
  return sections.map(({ title, hits }) => (
    <Options title={title}>
      {hits.map((hit) => (
        <a role="option" tabindex={-1} href={resultPath(hit)}>
          <Line {...hit} />
        </a>
      ))}
    </Options>
  ));
}

/** The box is a form: a button of it can be sent elsewhere. */
function CommandOptions({ commands }: { commands: Command[] }) {
  if (commands.length === 0) return null;
  return (
    <Options title="Commands">
      {commands.map(({ label, href, sends }) =>
        sends ? (
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
        ) : (
          <a role="option" tabindex={-1} href={href}>
            {label}
          </a>
        ),
      )}
    </Options>
  );
}

function When({ at }: { at: string }) {
  return (
    <span class="muted">
      <Time at={at} />
    </span>
  );
}

function Options({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
    <div role="group" aria-label={title}>
      <p aria-hidden="true">{title}</p>
      {children}
    </div>
  );
}

/** The results as a page of their own. */
export function Results({ text, found }: Props) {
  const { caller } = useFrame();
  const copied = copyTextOf(found);
  const { answers, commands, help, instead, exact, others } = partsOf(caller, text, found);
  return (
    <>
      <header class="head">
        <h1>Search</h1>
      </header>
      <SearchBox text={text} isBig />
      <p role="status">
        {summaryOf(found, instead)} {copied && <Copy text={copied} />}
      </p>
      <div class="results">
        {answers.length > 0 && (
          <section>
            <h2>Answers</h2>
            <ul class="plain hits">
              {answers.map(({ label, at, to }) => (
                <li>
                  <a href={targetPath(to)}>{label}</a> {at && <When at={at} />}
                </li>
              ))}
            </ul>
          </section>
        )}
        <HitSections sections={exact} />
        <CommandSection commands={commands.filter(({ isExact }) => isExact)} />
        <HitSections sections={others} />
        <CommandSection commands={commands.filter(({ isExact }) => !isExact)} />
        {help.length > 0 && (
          <section>
            <h2>Help</h2>
            <ul class="plain">
              {help.map(({ title, path, excerpt }) => (
                <li>
                  <a href={path}>{title}</a> <span class="muted">{excerpt}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        <section>
          <h2>Lists</h2>
          <ul class="plain">
            {furtherLinks(text, found).map(({ label, href }) => (
              <li>
                <a href={href}>{label}</a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

function HitSections({ sections }: { sections: ResultSection[] }) {
  return sections.map(({ title, hits }) => (
    <section>
      <h2>{title}</h2>
      <ul class="plain hits">
        {hits.map((hit) => (
          <li>
            <a href={resultPath(hit)}>{hit.label}</a> <span class="muted">{hit.detail}</span>
          </li>
        ))}
      </ul>
    </section>
  ));
}

function CommandSection({ commands }: { commands: Command[] }) {
  if (commands.length === 0) return null;
  return (
    <section>
      <h2>Commands</h2>
      <ul class="plain commands">
        {commands.map(({ label, href, sends }) => (
          <li>
            {sends ? (
              <form method="post" action={href}>
                <input type="hidden" name="next" value="/" />
                <button type="submit" name="theme" value={sends.theme}>
                  {label}
                </button>
              </form>
            ) : (
              <a href={href}>{label}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Line({ label, detail }: Pick<Hit, "label" | "detail">) {
  return (
    <>
      <b>{label}</b> <span class="muted">{detail}</span>
    </>
  );
}

/** Actions for the typed text, and the lists that search all fields. */
function furtherLinks(text: string, found: OmniboxResult): ResultLink[] {
  const { address, interpretation, hits } = found;
  const words = interpretation?.text ?? text;
  const query = encodeURIComponent(found.query ?? words);
  const which = found.query === undefined ? `with “${words}” in any field` : `that match ${text}`;
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
