import { Icon } from "../../parts/icon.tsx";

interface Props {
  params: URLSearchParams;
  total: number;
}

/** The actions for selected rows; "all" sends the filter instead of ids. */
export function BulkBar({ params, total }: Props) {
  return (
    <form id="bulk" class="bulk" method="post" action="/inventory/items/_bulk">
      <input type="hidden" name="filter" value={params.toString()} />
      <button type="submit" class="primary">
        <Icon name="pencil" /> Change selected
      </button>
      <button type="submit" name="labels" value="true">
        <Icon name="qrcode" /> Print labels
      </button>
      {total > 1 && (
        <button type="submit" name="all" value="true">
          Change all {total.toLocaleString("en")} matching items
        </button>
      )}
    </form>
  );
}
