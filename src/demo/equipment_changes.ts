// What is done with equipment, day by day, through the doors that everybody uses.
import type { Caller } from "../auth/auth.ts";
import * as comments from "../inventory/comments/comments.ts";
import * as items from "../inventory/items/items.ts";
import * as macs from "../inventory/macs/macs.ts";
import { hasMac, partsOf } from "./equipment.ts";
import type { Names } from "./names.ts";
import { people } from "./people.ts";
import type { Random } from "./random.ts";
import type { Happening } from "./story.ts";

export interface Thing {
  label: string;
  product: string;
}

interface Change {
  parent?: Thing | null;
  location?: string;
  status?: string;
  quantity?: number;
}

export type Deeds = ReturnType<typeof deeds>;

const KEEPERS = people.filter((person) => person.groups.includes("inventory"));

/** Labels are given in the order in which things are planned, whatever happens first. */
export function deeds(names: Names, random: Random) {
  const ids = new Map<string, number>();
  let count = 0;

  function aThing(product: string): Thing {
    const label = `AAA${String(count).padStart(3, "0")}`;
    count += 1;
    return { label, product };
  }

  function when(day: number) {
    return { day, by: random.pick(KEEPERS).username };
  }

  function register(day: number, thing: Thing, inside?: Thing): Happening {
    const { manufacturer, model } = partsOf(thing.product);
    const initials = manufacturer.replace(/[^A-Z]/g, "").slice(0, 3);
    const serial_number = `${initials}-25-${random.between(10_000, 99_999)}`;
    const number = random.between(0, 0xff_ff_ff_ff).toString(16).padStart(8, "0");
    const address = `0a:25${number.replace(/../g, ":$&")}`;
    async function happen(caller: Caller) {
      const parent_id = inside && ids.get(inside.label);
      if (inside && parent_id === undefined) return;
      const place = inside
        ? { parent_id }
        : await names.now({ location: "A02 Goods reception", status: "In stock" });
      const kind = await names.now({ manufacturer, model });
      const input = { serial_number, ics_id: thing.label, ...kind, ...place };
      const { id } = JSON.parse((await items.create(caller, input)).json);
      ids.set(thing.label, id);
      if (hasMac(thing.product)) await macs.create(caller, { address, item_id: id });
    }
    return { ...when(day), happen };
  }

  function change(day: number, { label }: Thing, fields: Change): Happening {
    async function happen(caller: Caller) {
      const { parent, ...named } = fields;
      const moved = parent === undefined ? {} : { parent: parent?.label ?? null };
      if (ids.has(label))
        await items.update(caller, label, { ...moved, ...(await names.now(named)) });
    }
    return { ...when(day), happen };
  }

  function remark(day: number, { label }: Thing, body: string): Happening {
    async function happen(caller: Caller) {
      if (ids.has(label)) await comments.create(caller, label, { body });
    }
    return { ...when(day), happen };
  }

  return { aThing, register, change, remark };
}
