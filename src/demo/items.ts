// How the equipment came, was put together, went into the field, failed and returned.

import { RACK, SPARES, UNITS, type Unit } from "./equipment.ts";
import { type Deeds, deeds, type Thing } from "./equipment_changes.ts";
import type { Names } from "./names.ts";
import { places } from "./places.ts";
import { generator, MINUTE, type Random } from "./random.ts";
import type { Happening } from "./story.ts";

const FAULTS = [
  "Does not start after the power cut; sent to the workshop",
  "Fan is loud and slow",
  "Channel 3 reads 2 % too high",
  "Lost its link twice this week",
  "Display is dark, the rest works",
  "Trips the breaker when switched on",
];
const MENDED = [
  "Capacitors of the power stage replaced, ran over night without a fault",
  "Fan replaced",
  "Calibrated again, certificate in the technical library",
  "Firmware brought up to date; no fault found",
];
const NOTES = [
  "Accepted: all channels within their limits",
  "The delivery note is in the goods reception, folder 12",
  "Firmware as delivered",
  "Cables labelled at both ends",
];

type Told = Deeds & { random: Random };

export function itemStory(names: Names): Happening[] {
  const random = generator(1_954);
  const told = { random, ...deeds(names, random) };
  const racks = places.filter(({ name }) => name.includes(", rack "));
  const filled = racks.filter((_, at) => at % 2 === 0);
  return [
    ...filled.flatMap(({ name }) => aRack(told, name, UNITS[name.replace(/, rack .*/, "")] ?? [])),
    ...Array.from({ length: 60 }, (_, at) => SPARES[at % SPARES.length] ?? RACK).flatMap((one) =>
      aSpare(told, one),
    ),
  ];
}

/** Registered and filled in the goods reception, tried in the laboratory, then moved as a whole. */
function aRack(told: Told, place: string, units: Unit[]): Happening[] {
  const { random, aThing, register, change, remark } = told;
  const day = random.between(65, 240) + random.between(8 * 60, 11 * 60) * MINUTE;
  const rack = aThing(RACK);
  const filling = units.flatMap((unit, at) => {
    const crate = aThing(unit.product);
    const cards = (unit.cards ?? []).map(aThing);
    const hour = day + (30 * at + 10) * MINUTE;
    const troubled = random.pick([...cards, crate]);
    return [
      register(hour, crate, rack),
      ...cards.map((card, slot) => register(hour + (slot + 1) * 2 * MINUTE, card, crate)),
      ...(troubled !== crate && random.between(1, 4) === 1
        ? aFailure(told, { day, card: troubled, crate })
        : []),
    ];
  });
  return [
    register(day, rack),
    ...filling,
    change(day + 4, rack, { location: "B01 Controls laboratory", status: "In test" }),
    remark(day + 9, rack, random.pick(NOTES)),
    change(day + random.between(10, 30), rack, { location: place, status: "In service" }),
  ];
}

interface Failure {
  /** When the rack was installed. */
  day: number;
  card: Thing;
  crate: Thing;
}

function aFailure({ random, change, remark }: Told, failure: Failure): Happening[] {
  const { card, crate } = failure;
  const day = failure.day + random.between(40, 80);
  const repair = { parent: null, location: "B01 Electronics workshop", status: "In repair" };
  return [
    remark(day, card, random.pick(FAULTS)),
    change(day + 10 * MINUTE, card, repair),
    remark(day + random.between(5, 20), card, random.pick(MENDED)),
    change(day + 25, card, { parent: crate }),
  ];
}

function aSpare({ random, aThing, register, change }: Told, product: string): Happening[] {
  const thing = aThing(product);
  const day = random.between(70, 330) + random.between(8 * 60, 16 * 60) * MINUTE;
  const quantity = random.pick([1, 1, 1, 2, 4, 10]);
  const stored = { location: "A02 Central store", quantity };
  const reserve = change(day + random.between(3, 30), thing, { status: "Reserved" });
  return [
    register(day, thing),
    change(day + 1, thing, stored),
    ...(random.between(1, 5) === 1 ? [reserve] : []),
  ];
}
