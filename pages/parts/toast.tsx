import { type Notice, useHx } from "../request/frame.ts";

interface Props extends Notice {
  /** Where to go on once it is undone. */
  next: string;
}

/** Reports what was done, with its undo. */
export function Toast({ text, undo, next }: Props) {
  return (
    <div class="toast">
      <p>{undo === undefined ? text : <a href={`/changes/${undo}`}>{text}</a>}</p>
      {undo !== undefined && (
        <form method="post" action={`/changes/${undo}`}>
          <input type="hidden" name="next" value={next} />
          <button type="submit">Undo</button>
        </form>
      )}
    </div>
  );
}

/** In an answer to htmx, beside what was asked for. */
export function ToastBeside(props: Props) {
  const hx = useHx();
  return (
    <div {...hx({ "swap-oob": "beforeend:#toasts" })}>
      <Toast {...props} />
    </div>
  );
}
