// An interface as a person fills it in, its further names with it.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { collectErrors, type Fault, invalid, notFound, refuse } from "../../input/errors.ts";
import { closed, nullable, paragraph } from "../../input/shape.ts";
import { flaw } from "../../input/text.ts";
import type { Found } from "../../store/records.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import type { Texts } from "../../store/versions.ts";
import { write } from "../../store/write.ts";
import * as cnames from "../cnames/cnames.ts";
import * as names from "../common/names.ts";
import { type Interface, networkInterface } from "./interface.ts";
import * as interfaces from "./interfaces.ts";

const { host, ...own } = interfaces.newInterface.properties;

export const newEntry = closed({
  ...own,
  cnames: Type.Optional(nullable(paragraph(5_000, "Use one name on each line"))),
});
export const changedEntry = interfaces.changedInterface;
export const newName = closed({ name: cnames.newCname.properties.name });

export async function findNamed(caller: Caller, called: string): Promise<Found<Interface>> {
  if (flaw(called)) throw notFound();
  const mayKnow = mayKnowHost(caller, sql`interfaces.host_id`);
  const condition = sql`interfaces.name = ${called.toLowerCase()} and ${mayKnow}`;
  return records.find(recordQuery(networkInterface, caller), condition);
}

/** On a host that the caller may know of; all of it, or nothing. */
export async function create(
  caller: Caller,
  host: string,
  { cnames: text, ...input }: Static<typeof newEntry>,
): Promise<void> {
  const further = namesIn(text ?? "");
  const label = input.name.toLowerCase();
  await write(caller, async (tx) => {
    await refuseProbing(caller);
    await names.claim(tx, [label, host, ...further.map((one) => cnames.labelOf({ name: one }))]);
    const owner = await interfaces.ownerNamed(tx, caller, host);
    const id = await interfaces.add(tx, caller, { ...input, host: owner });
    const faults: Fault[] = [];
    for (const one of further) {
      await collectErrors(faults, () => cnames.add(tx, caller, { name: one, interface_id: id }));
    }
    if (faults.length > 0) {
      throw refuse(faults.map((fault) => ({ ...fault, field: "cnames" })));
    }
  });
}

export interface Saved {
  name: string;
  changed: string[];
}

/** Changes what differs from the record, and nothing else; a blank address asks for the first free one. */
export async function update(
  caller: Caller,
  { id, values: now }: { id: number; values: Texts },
  input: Static<typeof changedEntry>,
): Promise<Saved> {
  const fields = FORM_FIELDS.filter((field) => field in input && differs(now, field, input[field]));
  const changed: Static<typeof changedEntry> = Object.fromEntries(
    fields.map((field) => [field, input[field]]),
  );
  if (fields.length > 0) await interfaces.update(caller, id, changed);
  return { name: changed.name?.toLowerCase() ?? now.name ?? "", changed: fields };
}

/** The fields of the form, in its order. */
export const FORM_FIELDS = ["network", "name", "ip", "mac", "description"] as const;

function differs(now: Texts, field: string, value: unknown): boolean {
  const was = now[field] ?? "";
  const text = String(value ?? "");
  return field === "description" ? text !== was : text.toLowerCase() !== was.toLowerCase();
}

const MOST = 50;
const NAME = new RegExp(cnames.newCname.properties.name.pattern ?? "");

function namesIn(text: string): string[] {
  const words = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ""))];
  if (words.length > MOST) throw invalid("cnames", `Add at most ${MOST} names at once`);
  const strange = words.find((word) => !NAME.test(word));
  if (strange) throw invalid("cnames", `'${strange}' is not a name`);
  return words;
}
