import type { Family, Relative } from "../../../src/inventory/items/family.ts";
import { AllItems, CountsOfItems } from "./counts.tsx";
import { itemPath } from "./paths.ts";

interface Props {
  item: { id: number; ics_id: string; model: string | null; serial_number: string };
  family: Family;
}

/** From the outermost parent down to the item and its contents. */
export function FamilyTree({ item, family }: Props) {
  const { above, inside, total } = family;
  if (above.length === 0 && total === 0) {
    return <p class="muted">Not inside another item; contains nothing</p>;
  }
  const filter = { parent__under: item.ics_id };
  return (
    <>
      {total > 0 && <CountsOfItems counts={family} filter={filter} />}
      <ul class="tree">
        <Chain above={above} item={item} family={family} />
      </ul>
      <AllItems total={total} shown={inside.length} filter={filter} />
    </>
  );
}

function Chain({ above, item, family }: Props & { above: Relative[] }) {
  const [outermost, ...others] = above;
  if (outermost) {
    return (
      <li>
        <Name of={outermost} />
        <ul>
          <Chain above={others} item={item} family={family} />
        </ul>
      </li>
    );
  }
  return (
    <li>
      <span aria-current="true">
        <span class="mono">{item.ics_id}</span>
      </span>{" "}
      <span class="muted">{item.model ?? item.serial_number}</span>
      <Inside of={item.id} family={family} />
    </li>
  );
}

function Inside({ of, family }: { of: number; family: Family }) {
  const children = family.inside.filter(({ parent_id }) => parent_id === of);
  if (children.length === 0) return null;
  return (
    <ul>
      {children.map((child) => (
        <li>
          <Name of={child} />
          <Inside of={child.id} family={family} />
        </li>
      ))}
    </ul>
  );
}

type Named = Pick<Relative, "ics_id" | "model" | "serial_number">;

/** An item in a tree. */
export function Name({ of: { ics_id, model, serial_number } }: { of: Named }) {
  return (
    <>
      <a class="mono" href={itemPath(ics_id)}>
        {ics_id}
      </a>{" "}
      <span class="muted">{model ?? serial_number}</span>
    </>
  );
}
