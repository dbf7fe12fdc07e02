const LINK = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/;

/** Text written by a user: line breaks are kept, web addresses are links. */
export function Prose({ text }: { text: string }) {
  return (
    <p class="prose">
      {text.split(LINK).map((part, at) =>
        at % 2 === 1 ? (
          <a href={part} rel="noopener noreferrer">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </p>
  );
}
