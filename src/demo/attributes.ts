import type { Caller } from "../auth/auth.ts";
import { type AttributeKind, kindNamed } from "../inventory/attributes/attribute.ts";
import * as attributes from "../inventory/attributes/attributes.ts";
import * as favorites from "../inventory/attributes/favorites.ts";
import { demoStatuses, makers, type NamedDescription } from "./catalogue.ts";
import type { DemoEvent } from "./event.ts";
import type { CurrentNames } from "./names.ts";
import { people } from "./people.ts";
import { demoLocations, racks } from "./places.ts";
import { generator } from "./random.ts";

const EDITORS = people.filter((person) => person.groups.includes("inventory"));
const REMARKS = [
  "Order two weeks ahead",
  "Read the safety note before you touch it",
  "The last of its kind: ask before you take one",
  "Documentation is in the technical library",
  "Calibrated once a year",
];
/** Attributes that are renamed later, with their first names. */
const FORMER_NAMES: Record<string, string> = {
  "In service": "In use",
  "A02 Central store": "A02 Store",
  Eaton: "Eaton Powerware",
  "Hewlett Packard Enterprise": "Hewlett-Packard",
};

/** Creates, describes and renames the attributes. */
export function attributeEvents({ ids }: CurrentNames): DemoEvent[] {
  const random = generator(2_026);

  function randomTime(first: number, last: number): Pick<DemoEvent, "day" | "by"> {
    const minute = random.between(8 * 60, 17 * 60) / (24 * 60);
    return { day: random.between(first, last) + minute, by: random.pick(EDITORS).username };
  }

  function add(
    of: AttributeKind,
    { name, description }: NamedDescription,
    last: number,
  ): DemoEvent[] {
    const moment = randomTime(0, last);
    const create = async (caller: Caller) => {
      const made = await attributes.create(caller, of, {
        name: FORMER_NAMES[name] ?? name,
        description,
      });
      ids.set(name, JSON.parse(made.json).id);
    };
    const created = { ...moment, run: create };
    return FORMER_NAMES[name] ? [created, revise(of, name, { name })] : [created];
  }

  function revise(of: AttributeKind, name: string, input: Partial<NamedDescription>): DemoEvent {
    const run = async (caller: Caller) => {
      const id = ids.get(name);
      if (id !== undefined) await attributes.update(caller, { of, id }, input);
    };
    return { ...randomTime(200, 360), run };
  }

  function putInto(of: AttributeKind, name: string, parent: string): DemoEvent {
    const run = async (caller: Caller) => {
      const id = ids.get(name);
      if (id !== undefined) await attributes.update(caller, { of, id }, { parent });
    };
    return { ...randomTime(61, 62), run };
  }

  function remark(of: AttributeKind, things: NamedDescription[]): DemoEvent {
    const { name, description } = random.pick(things);
    const words = [description, random.pick(REMARKS)].filter((word) => word !== null);
    return revise(of, name, { description: words.join(". ") });
  }

  function prefer(of: AttributeKind, thing: NamedDescription, by: string): DemoEvent {
    const run = async (caller: Caller) => {
      const id = ids.get(thing.name);
      if (id !== undefined) await favorites.set(caller, { of, id }, true);
    };
    return { ...randomTime(361, 364), by, run };
  }

  const [status, place] = [kindNamed("status"), kindNamed("location")];
  const [maker, model] = [kindNamed("manufacturer"), kindNamed("model")];
  const models = makers.flatMap((made) => made.models);
  return [
    ...demoStatuses.flatMap((one) => add(status, one, 0)),
    ...demoLocations.flatMap((one) => add(place, one, 60)),
    ...makers.flatMap((one) => add(maker, one, 60)),
    ...models.flatMap((one) => add(model, one, 60)),
    ...Array.from({ length: 20 }, () => remark(model, models)),
    ...Array.from({ length: 15 }, () => remark(place, demoLocations)),
    ...EDITORS.flatMap(({ username }) => [
      ...demoStatuses.slice(1, 5).map((one) => prefer(status, one, username)),
      ...[1, 2, 3].map(() => prefer(place, random.pick(demoLocations), username)),
      ...[1, 2, 3].map(() => prefer(model, random.pick(models), username)),
    ]),
    ...racks.map(({ name, hall }) => putInto(place, name, hall)),
  ];
}
