// Describes in one sentence how a typed or pasted text was interpreted.

import type { Interpretation } from "../../src/network/common/read_query.ts";
import type { AddressLookup } from "../../src/omnibox/address_lookup.ts";
import type { OmniboxResult } from "../../src/omnibox/omnibox.ts";
import { type Hit, MOST } from "../../src/omnibox/parts.ts";

export function sentenceOf({ interpretation, address, hits, isGuess }: OmniboxResult): string {
  if (address) return sentenceAt(address);
  if (!interpretation) return "Nothing matches";
  if (hits.length === 0) return sentenceOfNone(interpretation);
  if (isGuess) return `Nothing is called “${interpretation.text}”, but these are nearly`;
  const count = countOf(hits);
  if (interpretation.mac) return `The MAC address ${interpretation.mac}`;
  if (interpretation.block) return `The block ${interpretation.block}: ${count}`;
  if (interpretation.icsId && hits.some(({ kind, is_exact }) => kind === "item" && is_exact)) {
    return `The ICS id ${interpretation.icsId}: ${count}`;
  }
  const isPartOfMac =
    interpretation.macPart && hits.some(({ label }) => /^..(:..){5}$/.test(label));
  if (isPartOfMac) return `Part of a MAC address, or of a name: ${count}`;
  return interpretation.vlan && hits.some(({ kind }) => kind === "network")
    ? `VLAN ${interpretation.vlan}: ${count}`
    : count;
}

function sentenceOfNone({ mac, block, vlan, icsId }: Interpretation): string {
  if (mac) return `The MAC address ${mac}: registered nowhere`;
  if (block) return `The block ${block}: in no network and no scope`;
  if (vlan) return `VLAN ${vlan}: no network has it`;
  return icsId ? `The ICS id ${icsId}: no item has it` : "Nothing matches";
}

/** Each kind is limited to MOST hits, so there may be more of a kind that has that many. */
function countOf(hits: Hit[]): string {
  const kinds = Map.groupBy(hits, ({ kind }) => kind);
  const isCut = [...kinds.values()].some(({ length }) => length >= MOST);
  return `${hits.length} ${isCut ? "or more " : ""}found`;
}

function sentenceAt({ ip, network, state, host }: AddressLookup): string {
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
