// GET /inventory/items/labels: labels for the items that the filters of their list find, in true
// millimetres, for sheets and for tapes.
import { Elysia } from "elysia";
import {
  type Format,
  formatNamed,
  formats,
  perPaper,
} from "../../../src/inventory/labels/formats.ts";
import * as labels from "../../../src/inventory/labels/labels.ts";
import { page } from "../../layout/page.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { Icon } from "../../parts/icon.tsx";
import { guard } from "../../request/guard.ts";
import { askedItems } from "../items/asked.ts";
import { Papers } from "./papers.tsx";

const PATH = "/inventory/items/labels";
/** What of the list's address says how it is shown, not what is in it; and our own two. */
const NOT_FILTERS = ["page", "per_page", "cols", "selected", "format", "start"];

export const labelPages = new Elysia({ normalize: false }).use(guard).get(
  PATH,
  async ({ request, caller, search }) => {
    const filters = new URLSearchParams(
      [...search].filter(([name]) => !NOT_FILTERS.includes(name)),
    );
    const found = await labels.list(caller, askedItems(filters));
    const faults = found.total > labels.MOST ? [tooMany(found.total)] : [];
    const { format, start, faults: strange } = readChoice(search);
    const shown = { ...found, filters, format, start, faults: [...faults, ...strange] };
    return page(request, {
      title: "Labels",
      crumbs: [
        { label: "Inventory" },
        { label: "Items", href: "/inventory/items" },
        { label: "Labels" },
      ],
      status: shown.faults.length > 0 ? 422 : 200,
      body: <LabelsPage {...shown} />,
    });
  },
  { see: "everyone" },
);

interface Shown {
  labels: labels.Label[];
  total: number;
  filters: URLSearchParams;
  format: Format;
  start: number;
  faults: string[];
}

function readChoice(search: URLSearchParams): Pick<Shown, "format" | "start" | "faults"> {
  const [usual] = formats;
  const name = search.get("format");
  const format = name === null ? usual : formatNamed(name);
  if (!usual || !format) {
    return { format: usual as Format, start: 1, faults: ["Choose one of the formats below"] };
  }
  const places = perPaper(format);
  const text = search.get("start") ?? "1";
  const start = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (start >= 1 && start <= places) return { format, start, faults: [] };
  return { format, start: 1, faults: [`Begin at a place from 1 to ${places}`] };
}

function tooMany(total: number): string {
  const count = total.toLocaleString("en");
  return `These are ${count} items; narrow the list to at most ${labels.MOST} labels at once`;
}

function LabelsPage(shown: Shown) {
  const isReady = shown.faults.length === 0 && shown.labels.length > 0;
  return (
    <>
      <header class="head">
        <div>
          <h1>Labels</h1>
          <p class="lead">
            Print without scaling (100 %) and without headers; the paper is the one you choose here
          </p>
        </div>
        {isReady && (
          <div class="actions js-only">
            <button type="button" class="primary" data-print>
              <Icon name="printer" /> Print
            </button>
          </div>
        )}
      </header>
      <Choice {...shown} />
      {shown.faults.map((fault) => (
        <p class="note bad" role="alert">
          {fault}
        </p>
      ))}
      {isReady && <Papers labels={shown.labels} format={shown.format} start={shown.start} />}
      {shown.total === 0 && <Empty />}
    </>
  );
}

function Choice({ filters, format, start, labels: { length } }: Shown) {
  return (
    <form class="inline" method="get" action={PATH} data-auto>
      {[...filters].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="field">
        <label for="format">Paper</label>
        <select id="format" name="format">
          {formats.map((one) => (
            <option value={one.name} selected={one === format}>
              {one.title}
            </option>
          ))}
        </select>
      </div>
      {perPaper(format) > 1 && (
        <div class="field">
          <label for="start">Begin at place</label>
          <input
            type="number"
            id="start"
            name="start"
            min={1}
            max={perPaper(format)}
            value={start}
            required
          />
        </div>
      )}
      <button type="submit">Show</button>
      <p class="muted" role="status">
        {length} {length === 1 ? "label" : "labels"}
      </p>
    </form>
  );
}

function Empty() {
  return (
    <div class="empty">
      <EmptyPicture icon="tag" />
      <p>No items match, so there is nothing to print</p>
      <a class="button" href="/inventory/items">
        Go to items
      </a>
    </div>
  );
}
