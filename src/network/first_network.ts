// The first network of a site with its domain and its scope, in one form and one write. What exists already is kept.
import type { Static } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { type Block, blockAt, contains, formatBlock, readBlock } from "../input/addresses.ts";
import { type FieldError, refuse } from "../input/errors.ts";
import { closed } from "../input/shape.ts";
import { advisoryLock } from "../store/advisory_lock.ts";
import { rowOf } from "../store/records.ts";
import { inSavepoint } from "../store/savepoint.ts";
import { partOf, type Transaction, write } from "../store/write.ts";
import { proposedRange, usualPrefix } from "./addresses/space.ts";
import * as domains from "./domains/domains.ts";
import * as entry from "./networks/form_input.ts";
import * as networks from "./networks/networks.ts";
import * as scopes from "./scopes/scopes.ts";

const { supernet, first_vlan, last_vlan } = scopes.newScope.properties;
const { vlan_name, vlan_id, address, first_ip, last_ip } = networks.newNetwork.properties;
const { gateway } = entry.newEntry.properties;

export const firstNetwork = closed({
  domain: { ...domains.newDomain.properties.name, title: "Domain" },
  scope: { ...scopes.newScope.properties.name, title: "Scope name" },
  ...{ supernet, first_vlan, last_vlan },
  vlan_name: { ...vlan_name, title: "Network name" },
  ...{ vlan_id, address, first_ip, last_ip, gateway },
});

type FirstNetwork = Static<typeof firstNetwork>;

interface KnownScope {
  scope: string;
  supernet: string;
  first_vlan: string;
  last_vlan: string;
}

const USUAL: KnownScope = {
  ...{ scope: "Main", supernet: "10.0.0.0/16", first_vlan: "1", last_vlan: "100" },
};

/** Switches use VLAN 1 for what nobody has assigned. */
const USUAL_VLAN = "10";

/** The form as it is first shown: with what exists, else with what is usual. `suggested` is a name for the domain. */
export async function proposal(suggested: string): Promise<entry.NetworkTexts> {
  const known = await database.row<{ domain: string | null } & Partial<KnownScope>>(sql`
    select coalesce(domains.name, (select name from domains order by id limit 1)) as domain,
      one.name as scope, supernet::text, first_vlan::text, last_vlan::text
    from (values (1)) always left join (select * from scopes order by id limit 1) one on true
      left join domains on domains.id = one.domain_id`);
  const { domain, scope, supernet, first_vlan, last_vlan } = known ?? {};
  const where = scope ? { scope, supernet, first_vlan, last_vlan } : USUAL;
  const texts = { vlan_name: "Servers", vlan_id: scope ? first_vlan : USUAL_VLAN, ...where };
  return withBlock({ ...texts, domain: domain ?? suggested });
}

/**
 * The network follows another supernet, and its range another address, where nobody typed something else: at once, or
 * without scripting when the form is sent.
 */
export function followed(texts: entry.NetworkTexts): entry.NetworkTexts {
  const { address, _proposed } = texts;
  const whole = readBlock(texts.supernet ?? "");
  const block = readBlock(address ?? "");
  const isLeft = address === _proposed && whole && block && !contains(whole, firstOf(block));
  return entry.proposeAtLast(undefined, isLeft ? { ...texts, address: firstIn(whole) } : texts);
}

function withBlock(texts: entry.NetworkTexts): entry.NetworkTexts {
  const whole = readBlock(texts.supernet ?? "");
  const address = whole && firstIn(whole);
  const block = readBlock(address ?? "");
  return { ...texts, address, ...(block && proposedRange(block)), _proposed: address };
}

function firstIn(whole: Block): string {
  return formatBlock(blockAt(firstOf(whole), usualPrefix(whole)));
}

function firstOf({ family, first }: Block) {
  return { family, value: first };
}

/** Makes what does not exist yet, or nothing if one part is refused. */
export function create(caller: Caller, input: FirstNetwork): Promise<void> {
  return write(caller, async (tx) => {
    // Of several admins at once, the later ones find what the first one has made.
    await advisoryLock(tx, "first network");
    const as = partOf(tx, caller);
    const { domain, scope, supernet, first_vlan, last_vlan, ...network } = input;
    const known = await existing(tx, input);
    let domain_id = known?.domain_id ?? 0;
    if (!domain_id) {
      await part(tx, as, { name: "domain" }, async () => {
        domain_id = rowOf(await domains.create(as, { name: domain })).id;
      });
    }
    if (known?.scope) requireSame(known.scope, input);
    else {
      const made = { name: scope, supernet, first_vlan, last_vlan, domain_id };
      await part(tx, as, { name: "scope" }, () => scopes.create(as, made));
    }
    const { gateway = null, ...given } = network;
    await part(tx, as, {}, () => networks.create(as, { ...given, gateway, scope, domain_id }));
  });
}

/** One record of the three. Its errors are told by the fields of the form. */
async function part(
  tx: Transaction,
  as: Caller,
  called: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<void> {
  const refusal = await inSavepoint(tx, as, work);
  if (!refusal) return;
  throw refuse(refusal.errors.map((one) => ({ ...one, field: called[one.field] ?? one.field })));
}

interface Existing {
  domain_id: number | null;
  scope: Record<string, string | number> | null;
}

async function existing(tx: Transaction, { domain, scope }: FirstNetwork) {
  const [found] = await tx.execute<Existing>(sql`
    select (select id from domains where name = lower(${domain})) as domain_id,
      (select json_build_object('supernet', supernet::text, 'first_vlan', first_vlan, 'last_vlan', last_vlan)
        from scopes where lower(name) = lower(${scope}::text collate names)) as scope`);
  return found;
}

/** A scope that exists is kept as it is: what was typed may not say something else. */
function requireSame(known: Record<string, string | number>, input: FirstNetwork): void {
  const typed: Record<string, unknown> = input;
  const errors = Object.entries(known)
    .filter(([field, value]) => value !== typed[field])
    .map(
      ([field, value]): FieldError => ({
        field,
        message: `The scope ${input.scope} has ${value}: use it, or name another scope`,
      }),
    );
  if (errors.length > 0) throw refuse(errors);
}
