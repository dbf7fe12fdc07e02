// On the page of a record: the records that refer to it, such as the hosts of a device type.
import type { Caller } from "../../src/auth/auth.ts";
import * as records from "../../src/store/records.ts";
import { type Resource, recordQuery } from "../../src/store/resource.ts";
import { sources } from "../lists/sources.ts";
import { recordPath } from "../records/links.tsx";
import { inTitle } from "../texts.ts";
import type { StandardRow } from "./row.ts";

const MOST_LISTED = 20;

/** The first records of one kind that refer to a record by one field. */
export interface Referring {
  /** Of the list that has all of them. */
  path: string;
  of: Resource;
  field: string;
  rows: StandardRow[];
  total: number;
}

/** As far as they are visible to the caller. */
export function referringTo(caller: Caller, to: Resource, id: number): Promise<Referring[]> {
  const references = [...sources].flatMap(([path, { resource: of }]) =>
    Object.entries(of.fields)
      .filter(([, { refersTo }]) => refersTo?.table === to.name)
      .map(([field]) => ({ path, of, field })),
  );
  return Promise.all(
    references.map(async ({ path, of, field }) => {
      const query = records.pick(recordQuery(of, caller), ["id", of.key, ...detailsOf(of)]);
      const filter = { [`${field}_id`]: String(id), per_page: String(MOST_LISTED) };
      const listed = await records.list(query, new URLSearchParams(filter));
      return {
        path,
        of,
        field,
        rows: records.rowsOf(listed) as StandardRow[],
        total: listed.total,
      };
    }),
  );
}

function detailsOf({ fields }: Resource): string[] {
  return fields.description ? ["description"] : [];
}

export function References({ name, referring }: { name: string; referring: Referring[] }) {
  return (
    <div class="stack">
      {referring.map((one) => (
        <section class="region" aria-labelledby={`${one.of.name}-${one.field}`}>
          <h2 id={`${one.of.name}-${one.field}`}>
            {inTitle(one.of.plural)} <span class="count">{one.total.toLocaleString("en")}</span>
          </h2>
          {one.total === 0 ? <p class="muted">No {one.of.plural}</p> : <Rows {...one} />}
          {one.total > one.rows.length && (
            <a
              class="button quiet"
              href={`${one.path}?${new URLSearchParams({ [one.field]: name })}`}
            >
              All {one.total.toLocaleString("en")} {one.of.plural}
            </a>
          )}
        </section>
      ))}
    </div>
  );
}

function Rows({ of, rows }: Referring) {
  const details = detailsOf(of);
  return (
    <table class="list">
      <caption class="hidden">{inTitle(of.plural)}</caption>
      <thead>
        <tr>
          <th scope="col">{inTitle(of.noun)}</th>
          {details.map((detail) => (
            <th scope="col">{of.fields[detail]?.label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <td data-label={inTitle(of.noun)}>
              <a class="open" href={recordPath(of.name, String(row[of.key]))}>
                {String(row[of.key])}
              </a>
            </td>
            {details.map((detail) => (
              <td data-label={of.fields[detail]?.label}>{row[detail] as string | null}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
