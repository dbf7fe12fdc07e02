// Makes clients/python/cadastre/records.py from the OpenAPI document: `bun tests/clients/python_records.ts` writes it.
import { join } from "node:path";
import { document, type OpenApiDocument } from "../../src/api/openapi.ts";

export const RECORDS = join(import.meta.dir, "../../clients/python/cadastre/records.py");

/** The kinds of records that the client has. */
const KINDS = [
  "Host",
  "Interface",
  "Network",
  "Scope",
  "Domain",
  "Group",
  "Cname",
  "DeviceType",
  "Item",
  "MacAddress",
  "Manufacturer",
  "Model",
  "Location",
  "Status",
  "Action",
  "User",
  "Comment",
];
/** Of a list of changes, and of events. */
const CHANGE_SET = "ListChangesAnswer";
const PLAIN: Record<string, string> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
};
const WIDTH = 108;

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

type Schemas = Record<string, Schema>;

export function recordsOf({ components }: OpenApiDocument): string {
  const schemas = components.schemas as Schemas;
  const types = KINDS.map((kind) => typedDict(kind, kind, schemas));
  return `"""The fields of records, made from the OpenAPI document by tests/clients/python_records.ts."""

from typing import Any, Dict, List, Optional, TypedDict

${[...types, typedDict("ChangeSet", CHANGE_SET, schemas)].join("\n")}
`;
}

/** In the short form of a TypedDict, as wide as a line may be. */
function typedDict(name: string, schema: string, schemas: Schemas): string {
  const { properties } = schemas[schema] ?? {};
  if (!properties) throw new Error(`The document has no ${schema}`);
  const { required = [] } = schemas[`New${schema}`] ?? {};
  const fields = Object.entries(properties).map(([field, schema]) => {
    const type = pythonType(schema, schemas);
    // A reference that a new record needs is never null.
    const isSure = required.includes(field) && resolved(schema, schemas).anyOf;
    return `"${field}": ${isSure ? "str" : type}`;
  });
  const lines = [`${name} = TypedDict("${name}", {`];
  for (const field of fields) {
    const last = lines.at(-1) ?? "";
    const isNew = lines.length === 1 || last.length + field.length + 3 > WIDTH;
    if (isNew) lines.push(`    ${field},`);
    else lines[lines.length - 1] = `${last} ${field},`;
  }
  return `${lines.join("\n").slice(0, -1)}})`;
}

/** What a reference names. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema;
  return $ref ? resolved(schemas[$ref.split("/").at(-1) ?? ""] ?? {}, schemas) : schema;
}

function pythonType(schema: Schema, schemas: Schemas): string {
  const { anyOf, items = {}, ...rest } = resolved(schema, schemas);
  // A name of another record, or the record, as with `recursive`.
  if (anyOf) {
    const types = anyOf.map((one) => one.type);
    return types.includes("null") ? "Optional[str]" : "str";
  }
  const types = [rest.type ?? []].flat();
  const [type = "object"] = types.filter((one) => one !== "null");
  const plain =
    type === "array"
      ? `List[${resolved(items, schemas).anyOf ? "Any" : pythonType(items, schemas)}]`
      : (PLAIN[type] ?? "Dict[str, Any]");
  return types.includes("null") ? `Optional[${plain}]` : plain;
}

if (import.meta.main) await Bun.write(RECORDS, recordsOf(document()));
