// Records of resources that have no rules of their own, made from their descriptions.
import type { TObject, TSchema } from "@sinclair/typebox";
import { compiled, REFERS_TO } from "../../src/input/shape.ts";
import { resourceOf, standardArea } from "../../src/resources.ts";
import type { Resource } from "../../src/store/resource.ts";
import { alice, api } from "./mod.ts";

const WORD = "New";
const MOMENT = "2026-01-01T10:00:00Z";

type ApiRecord = { id: number } & Record<string, unknown>;

/** A body that creates a record: the required fields alone. */
export async function bodyOf(resource: Resource): Promise<Record<string, unknown>> {
  const { properties, required = [] }: TObject = standardArea(resource).created;
  const values = required.map(async (name) => [name, await sampleOf(properties[name]!)] as const);
  return Object.fromEntries(await Promise.all(values));
}

async function sampleOf(schema: TSchema): Promise<unknown> {
  const other = resourceOf(schema[REFERS_TO]);
  if (other) return (await aRecordOf(other))[other.key];
  const [first = schema]: TSchema[] = schema.anyOf ?? [];
  const known = [first.const, first.minimum, WORD, WORD.toLowerCase(), 1, true, [], MOMENT];
  const value = known.find((one) => compiled(schema).Check(one));
  if (value === undefined) throw new Error(`Add a value for this field: ${JSON.stringify(schema)}`);
  return value;
}

/** The first record that there is, or a new one. */
export async function aRecordOf(resource: Resource): Promise<ApiRecord> {
  const { path } = resource;
  const [found] = (await api(alice).get(path)).body;
  return found ?? (await api(alice).post(path, await bodyOf(resource))).body;
}
