import { Icon } from "../../parts/icon.tsx";
import { useFrame, useHx } from "../../request/frame.ts";

interface Props {
  kind: string;
  id: number;
  name: string;
  isOn: boolean;
}

/** Turns a favourite on and off; the button that comes back replaces this one. */
export function Star({ kind, id, name, isOn }: Props) {
  const hx = useHx();
  const { here } = useFrame();
  const action = `/inventory/_update_favorites/${kind}`;
  return (
    <form
      class="star"
      method="post"
      action={action}
      {...hx({ post: action, swap: "outerHTML", target: "this" })}
    >
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="checked" value={String(!isOn)} />
      <input type="hidden" name="next" value={here} />
      <button
        type="submit"
        class="quiet star"
        id={`star-${kind}-${id}`}
        aria-pressed={isOn}
        aria-label={`Favourite ${name}`}
      >
        <Icon name={isOn ? "star-filled" : "star"} />
      </button>
    </form>
  );
}
