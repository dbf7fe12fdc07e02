// A network as a person fills it in: its domain by name, and everything else proposed once its scope is chosen.
import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";
import { contains, readAddress, readBlock } from "../../input/addresses.ts";
import { closed, nullable } from "../../input/shape.ts";
import type { Found } from "../../store/records.ts";
import { proposedRange } from "../addresses/space.ts";
import * as shapes from "../common/shapes.ts";
import { domainNamed } from "../scopes/choices.ts";
import { freeIn, type Room } from "../scopes/free_space.ts";
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
): Promise<Found<Network>> {
  const { domain, gateway: given = null, ...plain } = input;
  const chosen = domain ? await domainNamed(domain) : null;
  return networks.create(caller, { ...plain, gateway: given, domain_id: chosen });
}

/** The texts in the fields, and the size that a free block is wanted of. */
export type Texts = Partial<Record<string, string>>;

const ENDS = ["first_ip", "last_ip", "gateway"] as const;

/** What decides where the network lies; the range follows from it. */
const PLACES = ["scope", "prefix", "address"];

/** The form with what follows from the field that was changed last. Nothing that still fits is touched. */
export function propose(room: Room | undefined, texts: Texts, changed: string): Texts {
  if (!PLACES.includes(changed)) return texts;
  const filled = { ...texts };
  if (room && changed === "scope") {
    const { vlans, prefixes, selected_vlan, selected_prefix } = room;
    if (!prefixes.includes(Number(texts.prefix))) filled.prefix = String(selected_prefix);
    if (!vlans.includes(Number(texts.vlan_id))) filled.vlan_id = String(selected_vlan ?? "");
  }
  if (
    room &&
    changed !== "address" &&
    (changed === "prefix" || !isIn(room.supernet, texts.address))
  ) {
    filled.address = freeIn(room, Number(filled.prefix))[0] ?? "";
  }
  return withRange(filled);
}

/** Addresses that are not in the block give way to what is proposed for it; a blank among them stays. */
function withRange(texts: Texts): Texts {
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
