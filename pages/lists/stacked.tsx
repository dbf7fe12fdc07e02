import type { ComponentChildren } from "preact";

interface Props {
  texts: readonly string[];
  cell?: (text: string) => ComponentChildren;
}

/** Several values in a cell, one below the other; compact rows show the first one and how many follow. */
export function Stacked({ texts, cell = (text) => text }: Props) {
  const [, ...others] = texts;
  return (
    <>
      {texts.map((text, at) => (
        <div>
          {cell(text)}
          {at === 0 && others.length > 0 && (
            <span class="more muted" title={others.join(", ")}>
              {" "}
              +{others.length}
            </span>
          )}
        </div>
      ))}
    </>
  );
}
