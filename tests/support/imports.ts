// Rows as a program sends them to the import.
import { type Answer, api } from "./api.ts";
import { alice } from "./cast.ts";
import { aNetwork, aScope } from "./makers.ts";
import { service } from "./service.ts";

const ITEMS = "/inventory/items/import";
const HOSTS = "/network/hosts/import";

type ApiClient = Parameters<typeof api>[0];

/** Sends objects, one a line, or a text as it is. */
export function imports(by: ApiClient, rows: object[] | string, query = "", headers = {}) {
  return send(by, ITEMS + query, rows, headers);
}

/** The same for hosts. */
export function importsHosts(by: ApiClient, rows: object[] | string, query = "", headers = {}) {
  return send(by, HOSTS + query, rows, headers);
}

function send(by: ApiClient, path: string, rows: object[] | string, headers: object) {
  const body = typeof rows === "string" ? rows : rows.map((row) => JSON.stringify(row)).join("\n");
  return api(by).post(path, body, {
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

/** Lab is 10.1.1.0/24 from .1 to .250, Bench 10.1.2.0/24; both in lab.example.org. */
export async function labAndBench(): Promise<void> {
  const { body: domain } = await api(alice).post("/network/domains", { name: "lab.example.org" });
  await aScope({ name: "Site", supernet: "10.1.0.0/16", domain_id: domain.id });
  await aNetwork({ scope: "Site", vlan_name: "Lab", address: "10.1.1.0/24" });
  await aNetwork({ scope: "Site", vlan_name: "Bench", address: "10.1.2.0/24" });
}
