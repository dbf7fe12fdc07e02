// The results of the one box: below it while the user types, and as a page.
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import type { OmniboxResult } from "../../src/omnibox/omnibox.ts";
import type { Hit } from "../../src/omnibox/parts.ts";
import { asContainsQuery } from "../../src/search/language/typed_text.ts";
import { SearchBox } from "../layout/search_box.tsx";
import { Copy } from "../parts/copy.tsx";
import { useFrame } from "../request/frame.ts";
import { linksTo, type ResultLink, resultPath, sectionsOf } from "./result_paths.ts";
import { summaryOf } from "./summary.ts";

interface Props {
  text: string;
  found: OmniboxResult;
}

/** A listbox of links: the arrow keys walk through it, Enter opens one. */
export function Palette({ text, found }: Props) {
  const { caller } = useFrame();
  const copied = copyTextOf(found);
  return (
    <>
      <p class="said" role="status">
        {summaryOf(found)}
      </p>
      <div role="listbox" aria-label="Results">
        {sectionsOf(found.hits).map(({ title, hits }) => (
          <Options title={title}>
            {hits.map((hit) => (
              <a role="option" tabindex={-1} href={resultPath(hit)}>
                <Line {...hit} />
              </a>
            ))}
          </Options>
        ))}
        <Options title="Actions">
          {furtherLinks(caller, text, found).map(({ label, href }) => (
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
  return (
    <>
      <header class="head">
        <h1>Search</h1>
      </header>
      <SearchBox text={text} isBig />
      <p role="status">
        {summaryOf(found)} {copied && <Copy text={copied} />}
      </p>
      <div class="results">
        {sectionsOf(found.hits).map(({ title, hits }) => (
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
        ))}
        <section>
          <h2>Actions</h2>
          <ul class="plain">
            {furtherLinks(caller, text, found).map(({ label, href }) => (
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

function Line({ label, detail }: Hit) {
  return (
    <>
      <b>{label}</b> <span class="muted">{detail}</span>
    </>
  );
}

/** Actions for the typed text, pages that it names, and the lists that search all fields. */
function furtherLinks(
  caller: Caller | undefined,
  text: string,
  found: OmniboxResult,
): ResultLink[] {
  const { address, interpretation, hits } = found;
  const query = encodeURIComponent(asContainsQuery(text));
  const which = found.query === undefined ? `with “${text}” in any field` : `that match ${text}`;
  const item = hits.find(({ kind, is_exact }) => kind === "item" && is_exact);
  const links: ResultLink[] = caller ? linksTo(caller, text) : [];
  if (address?.mayTake && address.network) {
    const at = `network=${encodeURIComponent(address.network)}&ip=${encodeURIComponent(address.ip)}`;
    links.push({ label: `Add host at ${address.ip}`, href: `/network/hosts/create?${at}` });
  }
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
