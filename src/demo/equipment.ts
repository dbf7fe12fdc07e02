// The contents of the racks in each hall, by makers and models of the catalogue.

/** "Maker / model". */
type ModelName = string;

export interface Unit {
  product: ModelName;
  /** The cards in its slots. */
  cards?: ModelName[];
}

const MTCA: Unit = {
  product: "Schroff / MTCA 12 slots",
  cards: [
    "N.A.T. / NAT-MCH-PHYS80",
    "N.A.T. / NAT-PM-AC1000",
    "Concurrent Technologies / AM G64/471",
    "Micro-Research Finland / mTCA-EVR-300U",
    "Struck Innovative Systeme / SIS8300-KU",
    "Struck Innovative Systeme / DWC8VM1",
  ],
};
const VME: Unit = {
  product: "Wiener / VME 6023",
  cards: ["IOxOS Technologies / IFC 1211", "Micro-Research Finland / VME-EVM-300"],
};
const SAFETY: Unit = {
  product: "Siemens / SIMATIC S7-1516F",
  cards: ["Siemens / SIMATIC ET 200SP", "Siemens / SIMATIC ET 200SP"],
};
const VACUUM: Unit = { product: "Pfeiffer Vacuum / TPG 366" };
const MOTION: Unit = { product: "Geobrick / LV-IMS-II" };
const SERIAL: Unit = { product: "Moxa / NPort 6650-16" };
const SWITCH: Unit = { product: "Cisco / Catalyst 9300-48T" };
const CORE: Unit = { product: "Juniper Networks / QFX5120-48Y" };
const SERVER: Unit = { product: "Dell / PowerEdge R650" };
const STORAGE: Unit = { product: "Supermicro / SSG-6049P" };

export const RACK: ModelName = "Rittal / TS 8 47HE";

/** By the hall or room of the rack. */
export const UNITS: Record<string, Unit[]> = {
  "G01 Injector hall": [MTCA, SAFETY, VACUUM, SERIAL],
  "G02 Klystron gallery": [MTCA, VME, SAFETY],
  "G03 Accelerator technical gallery": [MTCA, VACUUM, SWITCH],
  "G04 Instrument hall": [MOTION, MTCA, SERIAL, SWITCH],
  "A01 Server room": [CORE, SERVER, SERVER, STORAGE],
};

/** Spare parts in the store. */
export const SPARES: ModelName[] = [
  "N.A.T. / NAT-MCH-PHYS80",
  "N.A.T. / NAT-PM-AC1000",
  "Struck Innovative Systeme / SIS8300-KU",
  "Micro-Research Finland / mTCA-EVR-300U",
  "Phoenix Contact / QUINT4-PS 24DC/20",
  "Pfeiffer Vacuum / PKR 361",
  "Lake Shore / CX-1050",
  "Beckhoff / EL3104",
  "Beckhoff / EK1100",
  "Dell / PowerEdge R650",
];

const NETWORKED =
  /NAT-MCH|AM G64|IFC 1211|S7-1516F|LV-IMS|NPort|Catalyst|QFX|PowerEdge|SSG-|TPG 366/;

export function hasMac(product: ModelName): boolean {
  return NETWORKED.test(product);
}

export function partsOf(product: ModelName): { manufacturer: string; model: string } {
  const [manufacturer = "", ...model] = product.split(" / ");
  return { manufacturer, model: model.join(" / ") };
}
