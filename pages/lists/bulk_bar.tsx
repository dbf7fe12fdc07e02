// The actions on the rows that are selected in a list. Shown below the list while any row is selected.
import type { ComponentChildren } from "preact";
import { sharedFields } from "../../src/store/bulk.ts";
import type { Resource } from "../../src/store/resource.ts";
import { Icon } from "../parts/icon.tsx";

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
  of: Resource;
  /** The path of the list. */
  path?: string;
  mayDelete: boolean;
}

/** The buttons that change the selected rows and delete unused ones: see bulk.tsx. */
export function BulkButtons({ of, path = of.path, mayDelete }: ButtonsProps) {
  const { properties } = sharedFields(of);
  return (
    <>
      <input type="hidden" name="list" value={path} />
      {Object.keys(properties).length > 0 && (
        <button type="submit" formaction="/lists/change">
          <Icon name="pencil" /> Change selected
        </button>
      )}
      {mayDelete && (
        <button type="submit" class="quiet bad" formaction="/lists/delete">
          <Icon name="trash" /> Delete unused
        </button>
      )}
    </>
  );
}

/** The checkbox "all" sends the filter instead of the ids. */
export function BulkBar({ action, params, listParams, total, shown, children }: Props) {
  return (
    <form id="bulk" class="bulk" method="post" action={action}>
      <input type="hidden" name="filter" value={params.toString()} />
      {listParams && <input type="hidden" name="list_params" value={listParams.toString()} />}
      <p role="status">
        <b data-selected>Selected rows</b>
      </p>
      {total > shown && (
        <label>
          <input type="checkbox" name="all" value="true" /> All {total.toLocaleString("en")} that
          match
        </label>
      )}
      {children}
    </form>
  );
}
