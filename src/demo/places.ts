import type { NamedDescription } from "./catalogue.ts";

const ROOMS: NamedDescription[] = [
  { name: "A01 Main control room", description: "Operators, day and night" },
  { name: "A01 Server room", description: "Virtualization and storage; access with a badge" },
  { name: "A02 Goods reception", description: "Whatever comes in is registered here" },
  { name: "A02 Central store", description: "Shelves 1 to 40, spares and consumables" },
  { name: "B01 Controls laboratory", description: "Benches for set-up and acceptance tests" },
  { name: "B01 Electronics workshop", description: "Repair and calibration" },
  { name: "B02 Vacuum laboratory", description: null },
  { name: "B02 Cryogenics plant", description: "Helium compressors and the cold box" },
  { name: "C01 Radio frequency laboratory", description: "Test stands for klystrons and cavities" },
  { name: "D01 Target station", description: "Entry with a dosimeter only" },
  { name: "D02 Detector workshop", description: null },
  { name: "E01 Office wing", description: null },
];

const ROWS = [
  { hall: "G01 Injector hall", row: "A", racks: 8 },
  { hall: "G02 Klystron gallery", row: "A", racks: 14 },
  { hall: "G02 Klystron gallery", row: "B", racks: 14 },
  { hall: "G03 Accelerator technical gallery", row: "A", racks: 12 },
  { hall: "G04 Instrument hall", row: "A", racks: 10 },
  { hall: "A01 Server room", row: "A", racks: 10 },
];

const HALLS = [...new Set(ROWS.map(({ hall }) => hall))].filter((hall) =>
  ROOMS.every(({ name }) => name !== hall),
);

interface Rack extends NamedDescription {
  hall: string;
}

export const racks: Rack[] = ROWS.flatMap(({ hall, row, racks: count }) =>
  Array.from({ length: count }, (_, at) => ({
    name: `${hall}, rack ${row}${String(at + 1).padStart(2, "0")}`,
    description: at === 0 ? "Patch panels and the switch of the row" : null,
    hall,
  })),
);

/** Rooms, and racks in rows in the halls. */
export const demoLocations: NamedDescription[] = [
  ...ROOMS,
  ...racks,
  ...HALLS.map((name) => ({ name, description: null })),
];
