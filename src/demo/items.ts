// Racks, crates and cards: registered, tested, installed, some failing and repaired; and spare parts.

import { RACK, SPARES, UNITS, type Unit } from "./equipment.ts";
import { type Equipment, type EquipmentActions, equipmentActions } from "./equipment_changes.ts";
import type { DemoEvent } from "./event.ts";
import type { CurrentNames } from "./names.ts";
import { demoLocations } from "./places.ts";
import { generator, MINUTE, type Random } from "./random.ts";

const FAILURES = [
  "Does not start after the power cut; sent to the workshop",
  "Fan is loud and slow",
  "Channel 3 reads 2 % too high",
  "Lost its link twice this week",
  "Display is dark, the rest works",
  "Trips the breaker when switched on",
];
const REPAIRS = [
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

type ItemContext = EquipmentActions & { random: Random };

export function itemEvents(names: CurrentNames): DemoEvent[] {
  const random = generator(1_954);
  const context = { random, ...equipmentActions(names, random) };
  const racks = demoLocations.filter(({ name }) => name.includes(", rack "));
  const filled = racks.filter((_, at) => at % 2 === 0);
  return [
    ...filled.flatMap(({ name }) =>
      rackEvents(context, name, UNITS[name.replace(/, rack .*/, "")] ?? []),
    ),
    ...Array.from({ length: 60 }, (_, at) => SPARES[at % SPARES.length] ?? RACK).flatMap((one) =>
      spareEvents(context, one),
    ),
  ];
}

/** Registered and filled in the goods reception, tested in the laboratory, then installed. */
function rackEvents(context: ItemContext, place: string, units: Unit[]): DemoEvent[] {
  const { random, newEquipment, register, change, remark } = context;
  const day = random.between(65, 240) + random.between(8 * 60, 11 * 60) * MINUTE;
  const rack = newEquipment(RACK);
  const filling = units.flatMap((unit, at) => {
    const crate = newEquipment(unit.product);
    const cards = (unit.cards ?? []).map(newEquipment);
    const hour = day + (30 * at + 10) * MINUTE;
    const failing = random.pick([...cards, crate]);
    return [
      register(hour, crate, rack),
      ...cards.map((card, slot) => register(hour + (slot + 1) * 2 * MINUTE, card, crate)),
      ...(failing !== crate && random.between(1, 4) === 1
        ? failureEvents(context, { day, card: failing, crate })
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
  card: Equipment;
  crate: Equipment;
}

function failureEvents({ random, change, remark }: ItemContext, failure: Failure): DemoEvent[] {
  const { card, crate } = failure;
  const day = failure.day + random.between(40, 80);
  const repair = { parent: null, location: "B01 Electronics workshop", status: "In repair" };
  return [
    remark(day, card, random.pick(FAILURES)),
    change(day + 10 * MINUTE, card, repair),
    remark(day + random.between(5, 20), card, random.pick(REPAIRS)),
    change(day + 25, card, { parent: crate }),
  ];
}

function spareEvents(
  { random, newEquipment, register, change }: ItemContext,
  product: string,
): DemoEvent[] {
  const thing = newEquipment(product);
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
