// Fields that the laboratory has defined for itself, and what its records have in them.
export const siteFields = [
  {
    ...{ record: "item", key: "rp_class", label: "Radiation class", type: "choice" },
    choices: ["A=Controlled area", "B=Supervised area", "C=Not classified"],
    help: "Ask radiation protection before you move it out of its area",
    group: "Safety and maintenance",
  },
  {
    ...{ record: "item", key: "calibrated", label: "Calibrated until", type: "date" },
    group: "Safety and maintenance",
  },
  {
    ...{ record: "item", key: "cost_centre", label: "Cost centre", type: "choice" },
    choices: ["CC-110=Accelerator", "CC-220=Target", "CC-330=Instruments"],
    group: "Purchase",
  },
  {
    ...{ record: "item", key: "price", label: "Price", type: "number", unit: "EUR" },
    group: "Purchase",
    // Whoever buys it knows.
    visible_to: ["inventory"],
  },
  { record: "host", key: "owner", label: "Service owner", type: "text", variable: "service_owner" },
  { record: "network", key: "wiki", label: "Wiki page", type: "link" },
];

/** Of an item, by its number. */
export function valuesOfItem(number: number): Record<string, unknown> {
  return {
    rp_class: ["A", "B", "C"][number % 3],
    cost_centre: ["CC-110", "CC-220", "CC-330"][(number % 7) % 3],
    ...(number % 4 === 0 && { calibrated: `2027-0${1 + (number % 9)}-15` }),
    ...(number % 2 === 0 && { price: 120 + ((number * 37) % 900) }),
  };
}
