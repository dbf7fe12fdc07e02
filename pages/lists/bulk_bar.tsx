// The actions on the rows that are selected in a list. Shown below the list while any row is selected.
import type { ComponentChildren } from "preact";
import { mayChange } from "../../src/store/bulk.ts";
import { Icon } from "../parts/icon.tsx";
import { sources } from "./sources.ts";

interface Props {
  action: string;
  /** The parameters of the list, to return to it. */
  params: URLSearchParams;
  /** The parameters that the list was read with, if they differ from those in its URL. */
  listParams?: URLSearchParams;
  total: number;
  shown: number;
  /** The buttons. */
  children: ComponentChildren;
}

interface ButtonsProps {
  /** The path of the list. */
  path: string;
  mayDelete?: boolean;
}

/** The buttons that change and delete the selected rows: see bulk.tsx. */
export function BulkButtons({ path, mayDelete = true }: ButtonsProps) {
  const { bulk, isOwned } = sources.get(path) ?? {};
  if (!bulk) return null;
  return (
    <>
      <input type="hidden" name="list" value={path} />
      {mayChange(bulk) && (
        <button type="submit" formaction="/lists/change">
          <Icon name="pencil" /> Change selected
        </button>
      )}
      {bulk.remove && mayDelete && (
        <button type="submit" class="quiet bad" formaction="/lists/delete">
          <Icon name="trash" /> Delete {isOwned ? "selected" : "unused"}
        </button>
      )}
    </>
  );
}

interface ListBarProps extends ButtonsProps, Pick<Props, "params" | "listParams"> {
  listed: { total: number };
  rows: unknown[];
}

/** The bar of a list whose rows are changed and deleted as in sources.ts. */
export function ListBar({ path, mayDelete, params, listParams, listed, rows }: ListBarProps) {
  return (
    <BulkBar
      action="/lists/change"
      params={params}
      {...(listParams && { listParams })}
      total={listed.total}
      shown={rows.length}
    >
      <BulkButtons path={path} {...(mayDelete !== undefined && { mayDelete })} />
    </BulkBar>
  );
}

/** The checkbox "all" sends the filter instead of the ids. */
export function BulkBar({ action, params, listParams, total, shown, children }: Props) {
  const count = total.toLocaleString("en");
  return (
    <form id="bulk" class="bulk" method="post" action={action}>
      <input type="hidden" name="filter" value={params.toString()} />
      {listParams && <input type="hidden" name="list_params" value={listParams.toString()} />}
      <p role="status">
        <b data-selected>selected</b>
      </p>
      {/* Without a script no box selects all rows of the page. */}
      <label class={total > shown ? undefined : "no-js-only"}>
        <input type="checkbox" name="all" value="true" data-total={count} /> All {count} that match
      </label>
      {children}
    </form>
  );
}
