// Events that register and change equipment.
import type { Caller } from "../auth/auth.ts";
import * as comments from "../inventory/comments/comments.ts";
import * as items from "../inventory/items/items.ts";
import * as macs from "../inventory/macs/macs.ts";
import { hasMac, partsOf } from "./equipment.ts";
import type { DemoEvent } from "./event.ts";
import type { CurrentNames } from "./names.ts";
import { people } from "./people.ts";
import type { Random } from "./random.ts";
import { valuesOfItem } from "./site_fields.ts";

export interface Equipment {
  label: string;
  product: string;
}

interface EquipmentChange {
  parent?: Equipment | null;
  location?: string;
  status?: string;
  quantity?: number;
}

export type EquipmentActions = ReturnType<typeof equipmentActions>;

const EDITORS = people.filter((person) => person.groups.includes("inventory"));

/** ICS ids are assigned in the order of planning, not of time. */
export function equipmentActions(names: CurrentNames, random: Random) {
  const ids = new Map<string, number>();
  let count = 0;

  function newEquipment(product: string): Equipment {
    const label = `AAA${String(count).padStart(3, "0")}`;
    count += 1;
    return { label, product };
  }

  function when(day: number) {
    return { day, by: random.pick(EDITORS).username };
  }

  function register(day: number, thing: Equipment, inside?: Equipment): DemoEvent {
    const { manufacturer, model } = partsOf(thing.product);
    const initials = manufacturer.replace(/[^A-Z]/g, "").slice(0, 3);
    const serial_number = `${initials}-25-${random.between(10_000, 99_999)}`;
    const number = random.between(0, 0xff_ff_ff_ff).toString(16).padStart(8, "0");
    const address = `0a:25${number.replace(/../g, ":$&")}`;
    async function run(caller: Caller) {
      const parent_id = inside && ids.get(inside.label);
      if (inside && parent_id === undefined) return;
      const place = inside
        ? { parent_id }
        : await names.now({ location: "A02 Goods reception", status: "In stock" });
      const kind = await names.now({ manufacturer, model });
      const tags = hasMac(thing.product) ? ["network"] : [];
      const site = valuesOfItem(Number(thing.label.slice(3)));
      const input = { serial_number, ics_id: thing.label, tags, site, ...kind, ...place };
      const { id } = JSON.parse((await items.create(caller, input)).json);
      ids.set(thing.label, id);
      if (hasMac(thing.product)) await macs.create(caller, { address, item_id: id });
    }
    return { ...when(day), run };
  }

  function change(day: number, { label }: Equipment, fields: EquipmentChange): DemoEvent {
    async function run(caller: Caller) {
      const { parent, ...named } = fields;
      const moved = parent === undefined ? {} : { parent: parent?.label ?? null };
      if (ids.has(label))
        await items.update(caller, label, { ...moved, ...(await names.now(named)) });
    }
    return { ...when(day), run };
  }

  function remark(day: number, { label }: Equipment, body: string): DemoEvent {
    async function run(caller: Caller) {
      if (ids.has(label)) await comments.create(caller, label, { body });
    }
    return { ...when(day), run };
  }

  return { newEquipment, register, change, remark };
}
