import { Copied } from "../parts/copy.tsx";

interface Props {
  texts: readonly string[];
  /** Each line can be copied. */
  isCopied?: boolean;
}

/** Several values in a cell, one below the other; compact rows show the first one and how many follow. */
export function CellLines({ texts, isCopied = false }: Props) {
  const [, ...others] = texts;
  return (
    <>
      {texts.map((text) => (
        <div>{isCopied ? <Copied text={text} /> : text}</div>
      ))}
      {others.length > 0 && (
        <span class="more muted" title={others.join(", ")}>
          +{others.length}
        </span>
      )}
    </>
  );
}
