// Rows as a program sends them to the import.
import { type Answer, api } from "./api.ts";
import { service } from "./service.ts";

const PATH = "/inventory/items/import";

type ApiClient = Parameters<typeof api>[0];

/** Sends objects, one a line, or a text as it is. */
export function imports(by: ApiClient, rows: object[] | string, query = "", headers = {}) {
  const body = typeof rows === "string" ? rows : rows.map((row) => JSON.stringify(row)).join("\n");
  return api(by).post(PATH + query, body, {
    headers: { "content-type": "application/x-ndjson", ...headers },
  });
}

export function verdictsOf({ body }: Answer): any[] {
  return body.slice(0, -1);
}

export function summaryOf({ body }: Answer): any {
  return body.at(-1);
}

/** The verdict of each row; for a refused one, its errors. */
export function inShort(answer: Answer): unknown[] {
  return verdictsOf(answer).map(({ verdict, errors }) =>
    verdict === "refused"
      ? errors.map(
          ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
        )
      : verdict,
  );
}

export async function aHost(name: string, type = "Network"): Promise<number> {
  const { sql } = await service();
  const [{ id }] = await sql`
    insert into hosts (name, device_type_id) select ${name}, id from device_types where name = ${type} returning id`;
  return id;
}
