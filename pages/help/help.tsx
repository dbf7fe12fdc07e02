// GET /help: the documents, and what they say about some words. GET /help/(document): one of them; with `section` and for
// htmx the passage that a "?" opens.
import { Elysia } from "elysia";
import { documentNamed, documents, GUIDE, type HelpDocument } from "../../src/help/documents.ts";
import { findHelp, type HelpHit } from "../../src/help/find.ts";
import type { HelpSection } from "../../src/help/sections.ts";
import { type Passage, passageOf } from "../../src/help/topics.ts";
import { notFound } from "../../src/input/errors.ts";
import { fragment, page, wantsFragment } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { guard } from "../request/guard.ts";
import { inTitle } from "../texts.ts";
import { Markdown } from "./markdown.tsx";

const CRUMB = { label: "Help", href: "/help" };
const MOST_HITS = 20;

export const helpPages = new Elysia({ normalize: false })
  .use(guard)
  .get(
    "/help",
    ({ request, search }) => {
      const text = search.get("q")?.trim() ?? "";
      return page(request, {
        title: "Help",
        crumbs: [{ label: "Help" }],
        body: <Index text={text} hits={findHelp(text, MOST_HITS)} />,
      });
    },
    { see: "everyone" },
  )
  .get(
    "/help/:document",
    ({ request, params, search }) => {
      const document = documentNamed(params.document);
      if (!document) throw notFound();
      const section = search.get("section");
      if (section !== null && wantsFragment(request)) {
        const passage = passageOf(document.name, section);
        if (!passage) throw notFound();
        return fragment(request, <PassageBox document={document} id={section} {...passage} />);
      }
      return page(request, {
        title: document.title,
        crumbs: [CRUMB, { label: document.title }],
        body: <Document document={document} />,
      });
    },
    { see: "everyone" },
  );

function Index({ text, hits }: { text: string; hits: HelpHit[] }) {
  return (
    <>
      <PageHead title="Help" lead="How to use, connect and run Cadastre" />
      <search aria-label="In the help">
        <form class="filters" method="get" action="/help">
          <input
            type="search"
            name="q"
            value={text}
            aria-label="Search the help"
            placeholder="Search the help"
          />
          <button type="submit">Search</button>
        </form>
      </search>
      {text !== "" && <Hits text={text} hits={hits} />}
      <div class="cards">
        {howTos().map(([audience, of]) => (
          <Ways title={audience} ways={of.map(({ id, title }) => [`${GUIDE}#${id}`, title])} />
        ))}
        {[...Map.groupBy(documents(), ({ audience }) => audience)].map(([audience, of]) => (
          <Ways title={audience} ways={of.map(({ name, title }) => [name, title])} />
        ))}
      </div>
    </>
  );
}

function Ways({ title, ways }: { title: string; ways: Array<[place: string, label: string]> }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="plain">
        {ways.map(([place, label]) => (
          <li>
            <a href={`/help/${place}`}>{label}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The sections of the guide, by the people whom they are for. */
function howTos(): Array<[audience: string, sections: HelpSection[]]> {
  const groups: Array<[string, HelpSection[]]> = [];
  for (const section of documentNamed(GUIDE)?.sections ?? []) {
    if (section.level === 2) groups.push([section.title, []]);
    else groups.at(-1)?.[1].push(section);
  }
  return groups;
}

function Hits({ text, hits }: { text: string; hits: HelpHit[] }) {
  const count = hits.length === 1 ? "1 passage" : `${hits.length} passages`;
  return (
    <article class="document">
      <p role="status">
        {hits.length > 0 ? `${count} about "${text}"` : `Nothing about "${text}". Try fewer words.`}
      </p>
      {hits.map(({ title, path, excerpt }) => (
        <section>
          <h2>
            <a href={path}>{title}</a>
          </h2>
          <p>{excerpt}</p>
        </section>
      ))}
    </article>
  );
}

/** Shorter documents are seen at a glance. */
const FEW_SECTIONS = 3;

function Document({ document }: { document: HelpDocument }) {
  const { name, title, sections } = document;
  const [first, ...rest] = sections;
  const main = rest.filter(({ level }) => level === 2);
  const hasContents = main.length >= FEW_SECTIONS;
  return (
    <>
      <PageHead title={<span id={first?.id}>{title}</span>} />
      <div class={hasContents ? "reference" : undefined}>
        {hasContents && <Contents sections={main} />}
        <article class="document">
          <Markdown nodes={first?.nodes ?? []} of={name} />
          {rest.map((section) => (
            <>
              <Heading {...section} />
              <Markdown nodes={section.nodes} of={name} />
            </>
          ))}
        </article>
      </div>
    </>
  );
}

function Contents({ sections }: { sections: HelpSection[] }) {
  return (
    <nav class="toc" aria-label="Contents">
      <ul>
        {sections.map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A link to itself, so that its address can be copied. */
function Heading({ id, level, title }: HelpSection) {
  const link = <a href={`#${id}`}>{title}</a>;
  return level === 2 ? <h2 id={id}>{link}</h2> : <h3 id={id}>{link}</h3>;
}

interface PassageBoxProps extends Passage {
  document: HelpDocument;
  id: string;
}

function PassageBox({ document: { name, title: whole }, id, title, nodes }: PassageBoxProps) {
  return (
    <>
      <h2 id="help-title">{inTitle(title)}</h2>
      <div class="document">
        <Markdown nodes={nodes} of={name} />
      </div>
      <div class="buttons">
        <a class="button" href={`/help/${name}#${id}`}>
          More in {whole}
        </a>
        <button type="button" popovertarget="help" popovertargetaction="hide">
          Close
        </button>
      </div>
    </>
  );
}
