// A drawing of plots of land, as a cadastre shows them.

const BOUNDARIES =
  "M-5 14l46 7 24 2M-5 33l44 8 25 4M8-5L0 66M22-5l-6 43-4 30M42-5l-3 46-5 24-4 40M-5 84l35 4 44 1" +
  "M12 68l-4 37M52 76l-4 29M72 12l30 4 63 7M69 34l33 2 24 4M86-5l-3 70M104-5l-4 61M124 8l-6 34" +
  "M143-5l-6 43M118 44l-6 25 53 10M84 66l-4 20 85 17M98 69l-6 36M119 72l-7 33M140 77l-7 28M137 38l-5 36M156 42l-6 38";

/** The part of the drawing around the plot that is ours. */
const AROUND_OWN = "15 33 72 46";

interface Props {
  /** Quietly behind the head of the page; or a small picture. By default it fills the window. */
  as?: "ornament" | "picture";
}

export function Parcels({ as }: Props) {
  return (
    <svg
      class={as ? `parcels ${as}` : "parcels"}
      viewBox={as === "picture" ? AROUND_OWN : "0 0 160 100"}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <path class="taken" d="M16 38l22 3-4 23-22-4zM94 70l24 5-3 18-25-5zM124 8l19 4-4 20-18-4z" />
      <path class="lines" d={BOUNDARIES} />
      <path class="road" d="M-5 70C30 60 56 78 84 63S130 34 165 42M66-5c4 24-6 42 2 76l8 34" />
      <path class="own" d="M38 41l25 4-4 22-25-3z" />
    </svg>
  );
}
