export interface NamedDescription {
  name: string;
  description: string | null;
}

export const demoStatuses: NamedDescription[] = [
  { name: "Ordered", description: "Not here yet; the serial number comes with the delivery note" },
  { name: "In stock", description: "In the central store, free to be taken" },
  { name: "Reserved", description: "In the central store, promised to a project" },
  { name: "In test", description: "On a bench, before it goes to the field" },
  { name: "In service", description: "Installed and switched on" },
  { name: "In repair", description: "At the workshop or with its manufacturer" },
  { name: "On loan", description: "Lent to another laboratory; the comment says to whom" },
  { name: "Retired", description: "Gone for good; kept here for its history" },
];

/** The models of each manufacturer that the site uses: one a line, the name before the colon. */
const MADE: Record<string, string[]> = {
  "Agilent Technologies": [
    "TwisTorr 304 FS: turbo pump",
    "XGS-600: gauge controller",
    "UHV-24p: ion gauge",
  ],
  "Allied Vision": ["Mako G-125B: camera, GigE", "Manta G-235B: camera, GigE"],
  Beckhoff: [
    "EK1100: EtherCAT coupler",
    "EL3104: analog input, 4 channels",
    "CX5140: embedded PC",
    "EL9410: power supply terminal",
  ],
  Brocade: ["G620: Fibre Channel switch", "VDX 6740: switch, 48 ports"],
  CAEN: [
    "V1720: digitizer, 8 channels",
    "SY4527: high voltage mainframe",
    "A1535: high voltage board",
  ],
  Cisco: [
    "Catalyst 9300-48T: switch, 48 ports",
    "Nexus 93180YC-FX: switch, 48 ports 25G",
    "IE-4000-8GT8GP4G: industrial switch",
  ],
  "Concurrent Technologies": ["AM G64/471: processor AMC", "AM 900/412: processor AMC"],
  CosyLab: ["microIOC-T: input and output controller", "OCS-CL: motion controller"],
  "D-Tacq": ["ACQ2106: carrier, 6 sites", "ACQ423ELF: digitizer, 32 channels"],
  Danfysik: ["System 8500: magnet power supply", "System 9100: magnet power supply"],
  Dell: [
    "PowerEdge R650: server",
    "PowerEdge R750: server",
    "PowerVault ME5024: storage array",
    "OptiPlex 7010: workstation",
  ],
  Digilent: ["Arty A7-100T: FPGA board", "Zybo Z7-20: FPGA board"],
  Eaton: ["9PX 3000i: uninterruptible power supply", "ePDU G3: power distribution, managed"],
  Emerson: ["DeltaV SQ: controller", "Rosemount 3051S: pressure transmitter"],
  Eurotherm: ["nanodac: recorder and controller", "3216: temperature controller"],
  Fortinet: ["FortiGate 200F: firewall", "FortiGate 60F: firewall"],
  Geobrick: ["LV-IMS-II: motion controller, 8 axes", "LV-NTT: motion controller, 4 axes"],
  Heinzinger: ["PTV 60-500: power supply", "PNC 30000: high voltage supply"],
  "Hewlett Packard Enterprise": [
    "ProLiant DL360 Gen10: server",
    "Aruba 2930F 48G: switch, 48 ports",
    "MSA 2060: storage array",
  ],
  Huber: ["Goniometer 410: rotation stage", "Table 5102.20: lifting table"],
  "IOxOS Technologies": [
    "IFC 1410: FPGA carrier",
    "ADC 3111: digitizer mezzanine",
    "IFC 1211: FPGA carrier",
  ],
  "Juniper Networks": [
    "EX4300-48T: switch, 48 ports",
    "QFX5120-48Y: switch, 48 ports 25G",
    "SRX345: firewall",
  ],
  Keysight: ["N9030B: spectrum analyzer", "E36313A: bench power supply", "DSOX4104A: oscilloscope"],
  Kontron: ["AM5030: processor AMC", "VX305H: VPX board"],
  "Lake Shore": [
    "Model 336: temperature controller",
    "Model 218: temperature monitor",
    "CX-1050: sensor",
  ],
  Leybold: [
    "TURBOVAC 350 i: turbo pump",
    "ECODRY 40 plus: backing pump",
    "GRAPHIX THREE: gauge controller",
  ],
  "Micro-Research Finland": [
    "mTCA-EVR-300U: event receiver",
    "VME-EVM-300: event master",
    "PCIe-EVR-300DC: event receiver",
  ],
  Moxa: [
    "NPort 6650-16: serial device server",
    "EDS-408A: industrial switch",
    "ioLogik E1242: remote input and output",
  ],
  "N.A.T.": [
    "NAT-MCH-PHYS80: MicroTCA carrier hub",
    "NATIVE-R9: MicroTCA chassis",
    "NAT-PM-AC1000: power module",
  ],
  "National Instruments": ["PXIe-1084: chassis", "PXIe-8881: controller", "cRIO-9047: controller"],
  Newport: ["XPS-D8: motion controller", "SMC100: motion controller, 1 axis"],
  Omron: ["NX102-1200: controller", "S8VK-G24024: power supply, 24 V"],
  "Pfeiffer Vacuum": [
    "HiPace 300: turbo pump",
    "TPG 366: gauge controller",
    "PKR 361: full range gauge",
    "QMG 250: residual gas analyzer",
  ],
  "Phoenix Contact": [
    "FL SWITCH 2208: industrial switch",
    "QUINT4-PS 24DC/20: power supply, 24 V",
    "AXC F 2152: controller",
  ],
  Rittal: [
    "TS 8 47HE: rack, 47 units",
    "LCP Inline: rack cooler",
    "PDU metered 32A: power distribution",
  ],
  "Schneider Electric": [
    "Modicon M580: controller",
    "Galaxy VS 60: uninterruptible power supply",
    "AP8853: rack power distribution",
  ],
  Schroff: ["MTCA 12 slots: MicroTCA chassis", "Cooling unit 642: fans of the MTCA chassis"],
  Siemens: [
    "SIMATIC S7-1516F: safety PLC",
    "SIMATIC S7-1214C: PLC",
    "SCALANCE XC208: industrial switch",
    "SIMATIC ET 200SP: remote input and output",
  ],
  "Struck Innovative Systeme": [
    "SIS8300-KU: digitizer AMC",
    "SIS8325: digitizer AMC",
    "DWC8VM1: down-converter RTM",
  ],
  Supermicro: ["SYS-1029U: server", "SSG-6049P: storage server", "SYS-E300-9D: small server"],
  VadaTech: ["VT811: MicroTCA chassis", "UTC002: MicroTCA carrier hub", "AMC525: FPGA AMC"],
  Wiener: ["MPOD EC: high voltage crate", "VME 6023: VME crate", "PL506: power supply, 6 channels"],
};

export interface Maker extends NamedDescription {
  models: NamedDescription[];
}

export const makers: Maker[] = Object.entries(MADE).map(([name, lines]) => ({
  name,
  description: null,
  models: lines.map(readModel),
}));

function readModel(line: string): NamedDescription {
  const [name = line, description = ""] = line.split(": ");
  return { name, description: description.charAt(0).toUpperCase() + description.slice(1) };
}
