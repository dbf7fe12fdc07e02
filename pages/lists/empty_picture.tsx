// A drawing of plots of land, one of them free: for empty lists.
import { Icon } from "../parts/icon.tsx";

/** Shown in a list that has no records yet. */
export function EmptyPicture({ icon }: { icon: string }) {
  return (
    <div class="picture">
      <Plots />
      <Icon name={icon} />
    </div>
  );
}

function Plots() {
  return (
    <svg viewBox="0 0 120 76" width="150" height="95" aria-hidden="true">
      <path class="taken" d="M4 8l28 4-4 26-26-3zM88 46l28 4-3 22-29-4z" />
      <path
        class="lines"
        d="M4 8l28 4-4 26-26-3zM32 12l40-8-4 22M28 38l-4 28-22-4 0-27M24 66l26 6 2-9M72 4l42 6-3 26-20-2M88 46l28 4-3 22-29-4zM91 34l-3 12M84 68l-32-5M116 50l-5-14"
      />
      <path class="own" d="M34 25l57 9-7 31-55-9z" />
    </svg>
  );
}
