// The input of the network form: its domain by name, and proposals once the scope is chosen.
import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";
import { contains, readAddress, readBlock } from "../../input/addresses.ts";
import { closed, nullable } from "../../input/shape.ts";
import type { RecordJson } from "../../store/records.ts";
import { proposedRange } from "../addresses/space.ts";
import * as shapes from "../common/shapes.ts";
import { domainNamed } from "../scopes/choices.ts";
import { freeIn, type ScopeSpace } from "../scopes/free_space.ts";
import type { Network } from "./network.ts";
import * as networks from "./networks.ts";

const { domain_id, gateway, ...properties } = networks.newNetwork.properties;

export const newEntry = closed({
  ...properties,
  gateway: Type.Optional(gateway),
  domain: Type.Optional(nullable(shapes.DNS_NAME)),
});

export async function create(
  caller: Caller,
  input: Static<typeof newEntry>,
): Promise<RecordJson<Network>> {
  const { domain, gateway: given = null, ...plain } = input;
  const chosen = domain ? await domainNamed(domain) : null;
  return networks.create(caller, { ...plain, gateway: given, domain_id: chosen });
}

/** The texts of the fields, including the prefix of the proposed block. */
export type NetworkTexts = Partial<Record<string, string>>;

const ENDS = ["first_ip", "last_ip", "gateway"] as const;

/** Fields that decide the block of the network, and so the proposed range. */
const LOCATION_FIELDS = ["scope", "prefix", "address"];

/** Fills in proposals that follow from the field that was changed last. Values that still fit are kept. */
export function propose(
  space: ScopeSpace | undefined,
  texts: NetworkTexts,
  changed: string,
): NetworkTexts {
  if (!LOCATION_FIELDS.includes(changed)) return texts;
  const filled = { ...texts };
  if (space && changed === "scope") {
    const { vlans, prefixes, selected_vlan, selected_prefix } = space;
    if (!prefixes.includes(Number(texts.prefix))) filled.prefix = String(selected_prefix);
    if (!vlans.includes(Number(texts.vlan_id))) filled.vlan_id = String(selected_vlan ?? "");
  }
  if (
    space &&
    changed !== "address" &&
    (changed === "prefix" || !isIn(space.supernet, texts.address))
  ) {
    filled.address = freeIn(space, Number(filled.prefix))[0] ?? "";
  }
  return withRange(filled);
}

/** Replaces addresses outside of the block by the proposed ones; blank ones stay blank. */
function withRange(texts: NetworkTexts): NetworkTexts {
  const block = readBlock(texts.address?.trim() ?? "");
  if (!block) return texts;
  const proposed = proposedRange(block);
  const isNew = ENDS.every((name) => !texts[name]);
  const wanted = ENDS.filter((name) => isNew || (texts[name] && !isIn(texts.address, texts[name])));
  return { ...texts, ...Object.fromEntries(wanted.map((name) => [name, proposed[name]])) };
}

function isIn(block: string | undefined, text: string | undefined): boolean {
  const whole = readBlock(block?.trim() ?? "");
  const address = readAddress(text?.trim().split("/")[0] ?? "");
  return whole !== undefined && address !== undefined && contains(whole, address);
}
