import { changePath } from "../../src/history/words.ts";
import { type Notice, useHx } from "../request/frame.ts";

interface Props extends Notice {
  /** The page that is shown after the undo. */
  next: string;
}

/** What was undone can be done again by undoing that. */
export const UNDONE = "Undone";

/** Reports a change, with an undo button. */
export function Toast({ text, undo, next }: Props) {
  return (
    <div class="toast">
      <p>{undo === undefined ? text : <a href={changePath(undo)}>{text}</a>}</p>
      {undo !== undefined && (
        <form method="post" action={changePath(undo)}>
          <input type="hidden" name="next" value={next} />
          <button type="submit">{text === UNDONE ? "Redo" : "Undo"}</button>
        </form>
      )}
    </div>
  );
}

/** For a response to htmx: an out-of-band swap beside the fragment. */
export function ToastBeside(props: Props) {
  const hx = useHx();
  return (
    <div {...hx({ "swap-oob": "beforeend:#toasts" })}>
      <Toast {...props} />
    </div>
  );
}
