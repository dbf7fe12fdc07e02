// On the page of a record: the records that refer to it, such as the hosts of a device type.

import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import * as records from "../../src/store/records.ts";
import { type Resource, recordQuery } from "../../src/store/resource.ts";
import { sources } from "../lists/sources.ts";
import { PlainTable } from "../parts/plain_table.tsx";
import { recordPath } from "../records/links.tsx";
import { inTitle } from "../texts.ts";

const MOST_LISTED = 20;

type ReferringRow = { id: number } & Record<string, unknown>;

/** The first records of one kind that refer to a record by one field. */
interface Referring {
  /** Of the list that has all of them. */
  path: string;
  of: Resource;
  field: string;
  rows: ReferringRow[];
  total: number;
}

/** As far as they are visible to the caller; nothing if no other resource refers to this one. */
export async function referencesTo(
  caller: Caller,
  to: Resource,
  { id, name }: { id: number; name: string },
): Promise<ComponentChildren> {
  const referring = await referringTo(caller, to, id);
  return referring.length > 0 && referring.map((one) => <References name={name} {...one} />);
}

function referringTo(caller: Caller, to: Resource, id: number): Promise<Referring[]> {
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
        rows: records.rowsOf(listed) as ReferringRow[],
        total: listed.total,
      };
    }),
  );
}

function detailsOf({ fields }: Resource): string[] {
  return fields.description ? ["description"] : [];
}

function References({ name, ...referring }: Referring & { name: string }) {
  const { path, of, field, rows, total } = referring;
  const id = `${of.name}-${field}`;
  return (
    <section class="region" aria-labelledby={id}>
      <h2 id={id}>
        {inTitle(of.plural)} <span class="count">{total.toLocaleString("en")}</span>
      </h2>
      {total === 0 ? <p class="muted">No {of.plural}</p> : <Rows {...referring} />}
      {total > rows.length && (
        <a class="button quiet" href={`${path}?${new URLSearchParams({ [field]: name })}`}>
          All {total.toLocaleString("en")} {of.plural}
        </a>
      )}
    </section>
  );
}

function Rows({ of, rows }: Referring) {
  const nameIn = (row: ReferringRow) => String(row[of.key]);
  return (
    <PlainTable
      caption={inTitle(of.plural)}
      rows={rows}
      columns={[
        {
          label: inTitle(of.noun),
          cell: (row) => (
            <a class="open" href={recordPath(of.name, nameIn(row))}>
              {nameIn(row)}
            </a>
          ),
        },
        ...detailsOf(of).map((detail) => ({
          label: of.fields[detail]?.label ?? detail,
          cell: (row: ReferringRow) => row[detail] as string | null,
        })),
      ]}
    />
  );
}
