// Describes in one sentence how a typed or pasted text was interpreted.

import type { Interpretation } from "../../src/network/common/read_query.ts";
import type { AddressLookup } from "../../src/omnibox/address_lookup.ts";
import type { OmniboxResult } from "../../src/omnibox/omnibox.ts";
import { type Hit, MOST_OF_A_KIND } from "../../src/omnibox/parts.ts";
import { syntaxErrorIn } from "../../src/search/language/typed_text.ts";

/** A text that is meant as a query, not as words. */
const QUERY = /\w:[^:]|\b(?:AND|OR|NOT)\b/;

/** `others` says what is shown instead of records. */
export function summaryOf(typed: string, found: OmniboxResult, others: string): string {
  const { interpretation, address, answers, hits, isGuess, query, corrected, note } = found;
  if (address) return sentenceAt(address);
  if (corrected !== undefined) return `No matches as you typed it; these are for "${corrected}"`;
  if (answers[0]) return answers[0].label;
  const isQuery = hits.length === 0 && query === undefined && QUERY.test(typed);
  const wrong = isQuery ? syntaxErrorIn(typed) : note;
  if (wrong !== undefined) return wrong;
  if (hits.length === 0 && others !== "") return others;
  if (!interpretation) return "No matches";
  if (hits.length === 0) return sentenceOfNone(interpretation);
  if (isGuess) {
    const others = hits[0]?.is_exact ? "records that are named in it" : "similar names";
    return `No exact match for "${interpretation.text}"; ${others}`;
  }
  const count = hitCount(hits);
  if (interpretation.mac) return `MAC address ${interpretation.mac}`;
  if (interpretation.block) return `Block ${interpretation.block}: ${count}`;
  if (interpretation.icsId && hits.some(({ kind, is_exact }) => kind === "item" && is_exact)) {
    return `Label ${interpretation.icsId}: ${count}`;
  }
  const isPartOfMac =
    interpretation.macPart && hits.some(({ label }) => /^..(:..){5}$/.test(label));
  if (isPartOfMac) return `Part of a MAC address or a name: ${count}`;
  return interpretation.vlan && hits.some(({ kind }) => kind === "network")
    ? `VLAN ${interpretation.vlan}: ${count}`
    : count;
}

function sentenceOfNone({ mac, block, vlan, icsId }: Interpretation): string {
  if (mac) return `MAC address ${mac}: not registered`;
  if (block) return `Block ${block}: not in any network or scope that you can see`;
  if (vlan) return `VLAN ${vlan}: not used by any network`;
  return icsId ? `Label ${icsId}: not used by any item` : "No matches";
}

/** Each kind is limited to MOST_OF_A_KIND hits, so there may be more of a kind that has that many. */
function hitCount(hits: Hit[]): string {
  const kinds = Map.groupBy(hits, ({ kind }) => kind);
  const isCut = [...kinds.values()].some(({ length }) => length >= MOST_OF_A_KIND);
  return `${hits.length} ${isCut ? "or more " : ""}found`;
}

function sentenceAt({ ip, network, state, host }: AddressLookup): string {
  switch (state) {
    case "used":
      return `${ip}: ${host}, in ${network}`;
    case "free":
      return `${ip}: in ${network}, free`;
    case "gateway":
      return `${ip}: gateway of ${network}`;
    case "kept":
      return `${ip}: in ${network}, not usable by hosts`;
    case "outside":
      return `${ip}: in ${network}, outside its address range`;
    case "nowhere":
      return `${ip}: not in any network that you can see`;
  }
}
