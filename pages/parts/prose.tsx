const LINK = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/;

/** What a person wrote: line by line, its web addresses as links. Everything else stays text. */
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
