// A drawing of plots of land, with an icon on the one that is ours: for empty lists.
import { Parcels } from "../layout/parcels.tsx";
import { Icon } from "../parts/icon.tsx";

/** Shown in a list that has no records yet. */
export function EmptyPicture({ icon }: { icon: string }) {
  return (
    <div class="picture">
      <Parcels as="picture" />
      <Icon name={icon} />
    </div>
  );
}
