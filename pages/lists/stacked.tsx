import type { ComponentChildren } from "preact";
import { precompiled } from "../parts/precompiled_markup.ts";

interface Props {
  texts: readonly string[];
  cell?: (text: string) => ComponentChildren;
}

/** Several values in a cell, one below the other; compact rows show the first one and how many follow. */
export function Stacked({ texts, cell }: Props) {
  return <>{stacked(texts, cell)}</>;
}

/** The same as a plain function, which is faster in the cells of lists. */
export function stacked(
  texts: readonly string[],
  cell: (text: string) => ComponentChildren = (text) => text,
): ComponentChildren {
  const [, ...others] = texts;
  const lines = texts.map((text) => Line({ shown: cell(text) }));
  if (others.length === 0) return lines;
  return [...lines, More({ title: others.join(", "), count: others.length })];
}

const Line = precompiled<{ shown: ComponentChildren }>(({ shown }) => <div>{shown}</div>);

const More = precompiled<{ title: string; count: number }>(({ title, count }) => (
  <span class="more muted" title={title}>
    +{count}
  </span>
));
