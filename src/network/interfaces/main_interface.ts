// SQL for values that are derived from the interfaces and items of a host.
import { type SQL, sql } from "drizzle-orm";
import type { SearchSource } from "../../search/document.ts";
import { type Field, NAMED } from "../../store/fields.ts";
import { jsonObject } from "../../store/reference.ts";

/** The main interface is the one with the name of the host, else the first. Needs `hosts` and `interfaces`. */
export const IS_MAIN = sql`(not exists (
  select from interfaces other where other.host_id = interfaces.host_id
    and (other.name <> hosts.name, other.id) < (interfaces.name <> hosts.name, interfaces.id)))`;

/** The model of the first item of a host that has one; `among` is the source for searches. */
export function modelOf(
  host: SQL,
  rows: Pick<SearchSource, "id" | "from">,
): Field<string | null, undefined, undefined> {
  const first = (value: SQL) => sql`(
    select ${value} from items mounted join models on models.id = mounted.model_id
    where mounted.host_id = ${host} order by mounted.id limit 1)`;
  const nested = first(
    jsonObject({
      id: sql`models.id`,
      name: sql`models.name`,
      description: sql`models.description`,
    }),
  );
  const [value, lower] = [sql`models.name`, sql`lower(models.name)`];
  return {
    label: "Model",
    kind: "name",
    schema: NAMED,
    create: undefined,
    change: undefined,
    shows: "models",
    query: ({ name }) => ({
      [name]: { kind: "name", column: first(value), nested },
      [`${name}_id`]: { kind: "integer", column: first(sql`models.id`), hidden: true },
    }),
    sources: ({ name }) => [{ ...rows, path: name, kind: "keyword", value, lower }],
  };
}

/** The items that decide the models of hosts, joined with their models and further tables. */
export function firstModels(joins = sql``): SQL {
  return sql`items join models on models.id = items.model_id ${joins}
    where items.host_id is not null and not exists (
      select from items earlier where earlier.host_id = items.host_id and earlier.id < items.id
        and earlier.model_id is not null)`;
}

/** The main interfaces of all hosts, by host_id. */
export const MAIN_INTERFACES = sql`(
  select main.host_id, coalesce(min(main.id) filter (where main.name = whose.name), min(main.id)) as id
  from interfaces main join hosts whose on whose.id = main.host_id group by main.host_id)`;

/** The same as IS_MAIN for all interfaces at once: the value and its table. */
export const MAIN_FLAG = {
  value: sql`(interfaces.id = main.id)`,
  from: sql`interfaces join ${MAIN_INTERFACES} main on main.host_id = interfaces.host_id where true`,
};
