// The documents of the project, which are also pages of the product: inside of the binary, as they are in docs/.
import ansible from "../../docs/ansible.md" with { type: "text" };
import api from "../../docs/api.md" with { type: "text" };
import commandLine from "../../docs/command-line.md" with { type: "text" };
import events from "../../docs/events.md" with { type: "text" };
import failover from "../../docs/failover.md" with { type: "text" };
import feeds from "../../docs/feeds.md" with { type: "text" };
import fields from "../../docs/fields.md" with { type: "text" };
import files from "../../docs/files.md" with { type: "text" };
import glossary from "../../docs/glossary.md" with { type: "text" };
import guide from "../../docs/guide.md" with { type: "text" };
import limits from "../../docs/limits.md" with { type: "text" };
import operating from "../../docs/operating.md" with { type: "text" };
import python from "../../docs/python.md" with { type: "text" };
import scale from "../../docs/scale.md" with { type: "text" };
import search from "../../docs/search.md" with { type: "text" };
import signIn from "../../docs/sign-in.md" with { type: "text" };
import { type HelpSection, parseSections } from "./sections.ts";

/** How to do common things: it comes before what explains and describes. */
export const GUIDE = "guide";

/** In the order of the index, for whom they are. */
const GROUPS: Array<[audience: string, documents: Record<string, string>]> = [
  ["To read on", { [GUIDE]: guide, glossary, search, files }],
  [
    "For programs and operators",
    {
      ...{ operating, "sign-in": signIn, fields, scale, failover },
      ...{ feeds, ansible, api, "command-line": commandLine, python, events, limits },
    },
  ],
];

export interface HelpDocument {
  /** As in its path: /help/sign-in. */
  name: string;
  audience: string;
  title: string;
  sections: HelpSection[];
}

/** The part of the glossary with words that no page has. */
const FOR_ENGINEERS = "In the code";

let parsed: HelpDocument[] | undefined;

/** Parsed when the first of them is read. */
export function documents(): HelpDocument[] {
  parsed ??= GROUPS.flatMap(([audience, texts]) =>
    Object.entries(texts).map(([name, text]) => {
      const sections = parseSections(text).filter(({ title }) => title !== FOR_ENGINEERS);
      return { name, audience, title: sections[0]?.title ?? name, sections };
    }),
  );
  return parsed;
}

export function documentNamed(name: string): HelpDocument | undefined {
  return documents().find((one) => one.name === name);
}
