import type { ComponentChildren } from "preact";

import { AskOf } from "../help/ask.tsx";

interface PlainColumn<Row> {
  label: string;
  class?: string;
  cell: (row: Row) => ComponentChildren;
}

interface PlainTableProps<Row> {
  caption: string;
  rows: readonly Row[];
  columns: readonly PlainColumn<Row>[];
  /** The id of a row in the page. */
  idOf?: (row: Row) => string;
}

/** A few records on a page of something else: without an order, filters or columns to choose. */
export function PlainTable<Row>({ caption, rows, columns, idOf }: PlainTableProps<Row>) {
  return (
    <table class="list">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, class: look }) => (
            <th scope="col" class={look}>
              {look?.includes("tight") ? <span class="hidden">{label}</span> : label}{" "}
              <AskOf label={label} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr id={idOf?.(row)}>
            {columns.map(({ label, class: look, cell }) => (
              <td data-label={label} class={look}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
