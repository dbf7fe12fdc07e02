import type { Caller } from "../../../src/auth/auth.ts";
import type { Item } from "../../../src/inventory/items/item.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf } from "../../../src/store/records.ts";
import { fragment } from "../../layout/page.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ItemFacts } from "./facts.tsx";

/** The facts alone, beside the list, for whoever only wants to look. */
export async function showPreview(
  request: Request,
  caller: Caller,
  which: string,
): Promise<Response> {
  const item = rowOf(await items.find(caller, which));
  const { pathname, search } = new URL(request.url);
  return fragment(request, <Preview item={item} href={pathname + search} />);
}

function Preview({ item, href }: { item: Item; href: string }) {
  return (
    <>
      <header>
        <h2 id="preview-title">
          <span class="mono">{item.ics_id}</span>
        </h2>
        <form method="dialog">
          <button type="submit" class="quiet square" aria-label="Close" title="Close">
            <Icon name="x" />
          </button>
        </form>
      </header>
      <ItemFacts item={item} />
      <a class="button" href={href}>
        <Icon name="external-link" /> Open
      </a>
    </>
  );
}
