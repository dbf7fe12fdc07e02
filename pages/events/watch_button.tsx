import { Icon } from "../parts/icon.tsx";
import { useFrame, useHx } from "../request/frame.ts";

interface Props {
  of: { table: string; id: number };
  name: string;
  /** When the caller's watch sends mails; null if the caller does not watch the record. */
  watch: string | null;
}

/** Watches a record, or ends it; the button that comes back replaces this one. */
export function WatchButton({ of: { table, id }, name, watch }: Props) {
  const hx = useHx();
  const { here } = useFrame();
  const isOn = watch !== null;
  const action = "/user/watches/toggle";
  return (
    <form
      class="watch"
      method="post"
      action={action}
      {...hx({ post: action, swap: "outerHTML", target: "this" })}
    >
      <input type="hidden" name="table_name" value={table} />
      <input type="hidden" name="row_id" value={id} />
      <input type="hidden" name="watch" value={String(!isOn)} />
      <input type="hidden" name="next" value={here} />
      <button
        type="submit"
        class="quiet"
        id={`watch-${table}-${id}`}
        aria-label={`${isOn ? "Unwatch" : "Watch"} ${name}`}
      >
        <Icon name={isOn ? "eye-off" : "eye"} /> {isOn ? "Unwatch" : "Watch"}
      </button>
    </form>
  );
}
