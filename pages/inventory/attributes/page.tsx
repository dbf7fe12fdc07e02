// GET /inventory/attributes/(kind)/(name): an attribute with its code, the items that have it, and its history.

import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { type Timeline, timelineOf } from "../../../src/history/history.ts";
import {
  type Attribute,
  type AttributeKind,
  ITEM_KINDS,
  kindNamed,
} from "../../../src/inventory/attributes/attribute.ts";
import * as attributes from "../../../src/inventory/attributes/attributes.ts";
import {
  contentsOf,
  itemCountsOf,
  type LocationContents,
} from "../../../src/inventory/attributes/contents.ts";
import type { ItemCounts } from "../../../src/inventory/items/counts.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { mayWrite } from "../../../src/store/rights/check.ts";
import { WatchButton } from "../../events/watch_button.tsx";
import { page } from "../../layout/page.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { InList, listOf, type PlaceInList, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { inTitle } from "../../texts.ts";
import { AllItems, CountsOfItems } from "../items/counts.tsx";
import { LocationTree } from "./contents.tsx";
import { type FirstItem, ItemTable, READ } from "./item_table.tsx";
import { listTitle } from "./list.tsx";
import { attributePath, ownFacts } from "./panel.tsx";

const MOST_LISTED = 20;

export const attributeViewPages = new Elysia({ prefix: "/inventory/attributes", normalize: false })
  .use(guard)
  .get(
    "/:kind/:name",
    ({ request, caller, params }) =>
      show(request, caller, { of: kindNamed(params.kind), name: params.name }),
    { see: "everyone" },
  );

/** A location shows a tree, the other kinds their first items. */
type AttributeContents = { tree: LocationContents } | { counts: ItemCounts; first: FirstItem[] };

interface AttributePageProps {
  of: AttributeKind;
  record: Attribute;
  contents: AttributeContents;
  timeline: Timeline;
  place: PlaceInList | undefined;
  mayEdit: boolean;
}

async function show(
  request: Request,
  caller: Caller,
  { of, name }: { of: AttributeKind; name: string },
): Promise<Response> {
  const record = rowOf(await attributes.findNamed(caller, of, name));
  const [contents, timeline, place] = await Promise.all([
    readContents(caller, of, record.id),
    timelineOf(caller, { table: of.plural, id: record.id }),
    placeIn(request.url, (list) =>
      attributes.neighboursInList(caller, of, record.id, readTyped(list)),
    ),
  ]);
  const { editors } = of.resource;
  const mayEdit = may(caller, editors) && (await mayWrite(caller, of.plural, record.id));
  return page(request, {
    title: record.name,
    live: liveRecord(of.resource, record.id, ["items"]),
    crumbs: [
      { label: "Inventory" },
      { label: listTitle(of), href: listOf(`/inventory/attributes/${of.name}`, request.url) },
      { label: record.name },
    ],
    body: (
      <AttributePage
        of={of}
        record={record}
        contents={contents}
        timeline={timeline}
        place={place}
        mayEdit={mayEdit}
      />
    ),
  });
}

async function readContents(
  caller: Caller,
  of: AttributeKind,
  id: number,
): Promise<AttributeContents> {
  if (of.name === "location") return { tree: await contentsOf(id) };
  if (of.name === "action") return { counts: await itemCountsOf(of, id), first: [] };
  const params = new URLSearchParams({
    [`${of.name}_id`]: String(id),
    per_page: String(MOST_LISTED),
    sort: "ics_id",
  });
  const [counts, listed] = await Promise.all([
    itemCountsOf(of, id),
    items.listPicked(caller, READ, params),
  ]);
  return { counts, first: rowsOf(listed) };
}

function AttributePage(shown: AttributePageProps) {
  const { of, record, timeline, place, mayEdit } = shown;
  const hasItems = of.name !== "action";
  return (
    <>
      <header class="head">
        <div>
          <h1>{record.name}</h1>
          <p class="lead">{inTitle(of.name)}</p>
        </div>
        <div class="actions">
          <InList place={place} pathOf={(name) => attributePath(of, name)} />
          <WatchButton
            of={{ table: of.plural, id: record.id }}
            name={record.name}
            watch={timeline.watch}
          />
          {mayEdit && (
            <a
              class="button primary"
              href={`/inventory/attributes/${of.name}?selected=${record.id}#field-name`}
              data-key="e"
            >
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      <div class="split record">
        {hasItems && (
          <div class="stack">
            <ContentsSection {...shown} />
          </div>
        )}
        <Code of={of} record={record} />
        <section class={hasItems ? "late" : undefined} aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <RecordTimeline timeline={timeline} of={{ table: of.plural, id: record.id }} />
        </section>
      </div>
    </>
  );
}

function ContentsSection({ of, record, contents }: AttributePageProps) {
  const isTree = "tree" in contents;
  return (
    <section class="region" aria-labelledby="contents-title">
      <h2 id="contents-title">{isTree ? "Contents" : "Items"}</h2>
      {isTree ? (
        <LocationTree location={record} contents={contents.tree} />
      ) : (
        <Items of={of} record={record} {...contents} />
      )}
    </section>
  );
}

interface ItemsProps {
  of: AttributeKind;
  record: Attribute;
  counts: ItemCounts;
  first: FirstItem[];
}

function Items({ of, record, counts, first }: ItemsProps) {
  if (counts.total === 0) return <p class="muted">No items</p>;
  const filter = { [of.name]: record.name };
  const kinds = ITEM_KINDS.filter((kind) => kind !== of.name);
  return (
    <>
      <CountsOfItems counts={counts} filter={filter} />
      <ItemTable items={first} kinds={kinds} />
      <AllItems total={counts.total} shown={first.length} filter={filter} />
    </>
  );
}

function Code({ of, record }: Pick<AttributePageProps, "of" | "record">) {
  const code = `CSE:${of.name}:${record.name}`;
  return (
    <aside class="panel first" aria-label="Facts">
      <figure class="qr">
        <Qr text={code} />
        <figcaption class="mono">{code}</figcaption>
      </figure>
      <dl class="facts">
        <Facts
          of={of.resource}
          row={record}
          own={ownFacts(of, record)}
          elsewhere={["name", "qrcode"]}
        />
      </dl>
    </aside>
  );
}
