// The input of the network form: its domain by name, and proposals once the scope is chosen.
import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";
import { contains, readAddress, readBlock } from "../../input/addresses.ts";
import type { FieldError } from "../../input/errors.ts";
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
  const chosen = domain ? await domainNamed(caller, domain) : null;
  return networks.create(caller, { ...plain, gateway: given, domain_id: chosen });
}

/** The texts of the fields, including the prefix of the proposed block. */
export type NetworkTexts = Partial<Record<string, string>>;

const ENDS = ["first_ip", "last_ip", "gateway"] as const;

/** Fields that decide the block of the network, and so the proposed range. */
const LOCATION_FIELDS = ["scope", "prefix", "address"];

/**
 * Fills in proposals that follow from the field that was changed last. Values that somebody typed are kept if they
 * still fit: those that differ from the proposals for the block in `_proposed`.
 */
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

/** Without scripting, proposals have not followed the size or the address when the form is sent: they do so now. */
export function proposeAtLast(space: ScopeSpace | undefined, texts: NetworkTexts): NetworkTexts {
  const { address, prefix, _proposed } = texts;
  if (!_proposed) return texts;
  const isSized = address === _proposed && prefix && !address.endsWith(`/${prefix}`);
  const followed = propose(space, texts, isSized ? "prefix" : "address");
  const typed = ENDS.filter((name) => texts[name] !== proposalsFor(_proposed)?.[name]);
  return { ...followed, ...Object.fromEntries(typed.map((name) => [name, texts[name]])) };
}

function proposalsFor(address: string | undefined) {
  const block = readBlock(address?.trim() ?? "");
  return block && proposedRange(block);
}

/** Replaces addresses that nobody typed or that are outside of the block by the proposed ones; blank ones stay blank. */
function withRange(texts: NetworkTexts): NetworkTexts {
  const proposed = proposalsFor(texts.address);
  if (!proposed) return texts;
  const earlier = proposalsFor(texts._proposed);
  const isNew = ENDS.every((name) => !texts[name]);
  const wanted = ENDS.filter((name) => {
    const text = texts[name];
    return isNew || (text && (text === earlier?.[name] || !isIn(texts.address, text)));
  });
  const range = Object.fromEntries(wanted.map((name) => [name, proposed[name]]));
  return { ...texts, ...range, _proposed: texts.address };
}

/** Asks about a range that leaves out more than half of its block. Programs are not asked: they mean it. */
export function doubtsOf({ address, first_ip, last_ip, force }: NetworkTexts): FieldError[] {
  const block = readBlock(address?.trim() ?? "");
  const isWhole = block && isIn(address, first_ip) && isIn(address, last_ip);
  if (!isWhole || force === "true") return [];
  const at = (text = "") => readAddress(text.trim())?.value ?? 0n;
  const used = at(last_ip) - at(first_ip) + 1n;
  const all = block.last - block.first + 1n;
  if (used <= 0n || used * 2n >= all) return [];
  const percent = 100n - (used * 100n) / all;
  const message = `This range leaves out ${percent} % of ${address?.trim()}`;
  return [{ field: "last_ip", message }];
}

function isIn(block: string | undefined, text: string | undefined): boolean {
  const whole = readBlock(block?.trim() ?? "");
  const address = readAddress(text?.trim().split("/")[0] ?? "");
  return whole !== undefined && address !== undefined && contains(whole, address);
}
