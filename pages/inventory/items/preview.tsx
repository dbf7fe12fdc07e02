import type { Caller } from "../../../src/auth/auth.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf } from "../../../src/store/records.ts";
import { fragment } from "../../layout/page.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ItemFacts } from "./facts.tsx";

/** The facts of an item in a dialog over the list. */
export async function showPreview(
  request: Request,
  caller: Caller,
  which: string,
): Promise<Response> {
  const item = rowOf(await items.findShown(caller, which));
  const { pathname, search } = new URL(request.url);
  return fragment(request, <Preview item={item} href={pathname + search} />);
}

function Preview({ item, href }: { item: items.ItemOfPage; href: string }) {
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
