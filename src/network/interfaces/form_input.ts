// The input of the interface form, with cnames for a new interface.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { collectErrors, type FieldError, invalid, notFound, refuse } from "../../input/errors.ts";
import { closed, compiled, fieldErrors, nullable, paragraph } from "../../input/shape.ts";
import { textError } from "../../input/text.ts";
import type { RecordJson } from "../../store/records.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { judge } from "../../store/rules.ts";
import { changedNames, changedParts, type Texts } from "../../store/versions.ts";
import { write } from "../../store/write.ts";
import * as cnames from "../cnames/cnames.ts";
import { type Interface, networkInterface } from "./interface.ts";
import * as interfaces from "./interfaces.ts";

const { host, ...interfaceFields } = interfaces.newInterface.properties;

export const newEntry = closed({
  ...interfaceFields,
  cnames: Type.Optional(nullable(paragraph(5_000, "Use one name on each line"))),
});
export const changedEntry = interfaces.changedInterface;
export const newName = closed({ name: cnames.newCname.properties.name });

export async function findNamed(caller: Caller, name: string): Promise<RecordJson<Interface>> {
  if (textError(name)) throw notFound();
  const mayKnow = mayKnowHost(caller, sql`interfaces.host_id`);
  const condition = sql`interfaces.name = ${name.toLowerCase()} and ${mayKnow}`;
  return records.find(recordQuery(networkInterface, caller), condition);
}

/** Creates the interface with all cnames, or nothing. */
export async function create(
  caller: Caller,
  host: string,
  { cnames: text, ...input }: Static<typeof newEntry>,
): Promise<void> {
  const added = namesIn(text ?? "");
  await write(caller, async (tx) => {
    await refuseProbing(caller);
    const owner = await interfaces.hostNamed(tx, caller, host);
    const id = await interfaces.add(tx, caller, { ...input, host: owner });
    const errors: FieldError[] = [];
    await judge(tx, caller);
    for (const one of added) {
      await collectErrors(errors, async () => {
        await cnames.add(tx, caller, { name: one, interface_id: id });
        await judge(tx, caller);
      });
    }
    if (errors.length > 0) {
      throw refuse(errors.map((error) => ({ ...error, field: "cnames" })));
    }
  });
}

interface SavedInterface {
  name: string;
  changed: string[];
}

/** Changes only fields that differ from the record; a blank address selects the first free one. */
export async function update(
  caller: Caller,
  { id, values: now }: { id: number; values: Partial<Texts> },
  input: Static<typeof changedEntry>,
): Promise<SavedInterface> {
  const fields = FORM_FIELDS.filter((field) => field in input && differs(now, field, input[field]));
  const changed: Static<typeof changedEntry> = Object.fromEntries(
    fields.map((field) => [field, input[field]]),
  );
  if (fields.length > 0) await interfaces.update(caller, id, changed);
  return {
    name: changed.name?.toLowerCase() ?? now.name ?? "",
    changed: changedNames(changed, now),
  };
}

/** The same in any case. */
const FOLDED = ["network", "name", "ip", "mac"] as const;

/** The fields of the form that changes an interface, in its order. */
export const FORM_FIELDS = fieldsOfForm();

function fieldsOfForm() {
  const all = Object.keys(changedEntry.properties) as Array<keyof Static<typeof changedEntry>>;
  return [...FOLDED, ...all.filter((name) => !FOLDED.some((one) => one === name))];
}

function differs(now: Partial<Texts>, field: string, value: unknown): boolean {
  if (field === "site") return changedParts(Object(value), now) !== undefined;
  const was = now[field] ?? "";
  const text = String(value ?? "");
  const isFolded = FOLDED.some((name) => name === field);
  return isFolded ? text.toLowerCase() !== was.toLowerCase() : text !== was;
}

const MOST_CNAMES = 50;

function namesIn(text: string): string[] {
  const words = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ""))];
  if (words.length > MOST_CNAMES)
    throw invalid("cnames", `Add at most ${MOST_CNAMES} names at once`);
  const errors = words.flatMap((name) =>
    fieldErrors(compiled(newName).Errors({ name })).map(({ message }) => ({
      field: "cnames",
      message: `${name}: ${message}`,
    })),
  );
  if (errors.length > 0) throw refuse(errors);
  return words;
}
