import type { ComponentChildren } from "preact";
import { Copied } from "../parts/copy.tsx";
import { precompiled } from "../parts/precompiled_markup.ts";

interface Props {
  texts: readonly string[];
  line?: typeof Line;
}

/** Several values in a cell, one below the other; compact rows show the first one and how many follow. */
export function CellLines({ texts, line }: Props) {
  return <>{cellLines(texts, line)}</>;
}

/** The same as a plain function, which is faster in the cells of lists. */
export function cellLines(texts: readonly string[], line = Line): ComponentChildren {
  const [, ...others] = texts;
  const lines = texts.map((text) => line({ text }));
  if (others.length === 0) return lines;
  return [...lines, More({ title: others.join(", "), count: others.length })];
}

const Line = precompiled<{ text: string }>(({ text }) => <div>{text}</div>);

/** A line that can be copied. */
export const CopiedLine: typeof Line = precompiled(({ text }) => (
  <div>
    <Copied text={text} />
  </div>
));

const More = precompiled<{ title: string; count: number }>(({ title, count }) => (
  <span class="more muted" title={title}>
    +{count}
  </span>
));
