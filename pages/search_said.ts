// What was understood of a text that somebody typed or pasted, in one sentence.
import type { Found } from "../src/network/find_all.ts";
import type { Place } from "../src/network/place_at.ts";

export function sentenceOf({ meant, place, hits, isGuess }: Found): string {
  if (place) return sentenceAt(place);
  if (!meant || hits.length === 0) {
    return meant?.mac ? `The MAC address ${meant.mac}: registered nowhere` : "Nothing matches";
  }
  if (isGuess) return `Nothing is called “${meant.text}”, but these are nearly`;
  const count = `${hits.length} found`;
  if (meant.mac) return `The MAC address ${meant.mac}`;
  if (meant.block) return `The block ${meant.block}: ${count}`;
  const isPartOfMac = meant.macPart && hits.some(({ label }) => /^..(:..){5}$/.test(label));
  if (isPartOfMac) return `Part of a MAC address, or of a name: ${count}`;
  return meant.vlan && hits.some(({ kind }) => kind === "network")
    ? `VLAN ${meant.vlan}: ${count}`
    : count;
}

function sentenceAt({ ip, network, state, host }: Place): string {
  switch (state) {
    case "used":
      return `${ip} is ${host}, in ${network}`;
    case "free":
      return `${ip}: in ${network}, free`;
    case "gateway":
      return `${ip}: the gateway of ${network}`;
    case "kept":
      return `${ip}: in ${network}, an address that no host gets`;
    case "outside":
      return `${ip}: in ${network}, outside of the range that it gives out`;
    case "nowhere":
      return `${ip}: in no network`;
  }
}
