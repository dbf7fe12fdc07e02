// GET /inventory/items/labels: labels for the items that match the filters of their list, in true size, for sheets and
// tapes.
import { Elysia } from "elysia";
import { item } from "../../../src/inventory/items/item.ts";
import {
  formatNamed,
  formats,
  type LabelFormat,
  perPaper,
} from "../../../src/inventory/labels/formats.ts";
import * as labels from "../../../src/inventory/labels/labels.ts";
import type { Field } from "../../../src/store/fields.ts";
import { partsFor } from "../../../src/store/resource.ts";
import { smallPicture } from "../../files/picture.tsx";
import { page } from "../../layout/page.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shownText } from "../../parts/resource_fields.tsx";
import { guard } from "../../request/guard.ts";
import { itemListParams } from "../items/paths.ts";
import { Papers, type PrintedLabel } from "./papers.tsx";

const PATH = "/inventory/items/labels";
const PICTURE = "picture";
/** Parameters that are not filters of items. */
const NOT_FILTERS = ["page", "per_page", "cols", "selected", "format", "start", "also"];

export const labelPages = new Elysia({ normalize: false }).use(guard).get(
  PATH,
  async ({ request, caller, search }) => {
    const filters = new URLSearchParams(
      [...search].filter(([name]) => !NOT_FILTERS.includes(name)),
    );
    const further = Object.entries(partsFor(item, caller));
    const also = further.find(([name]) => name === search.get("also"));
    const hasPicture = search.get("also") === PICTURE;
    const what = hasPicture ? PICTURE : also?.[0];
    const found = await labels.list(caller, itemListParams(filters), what);
    const errors = found.total > labels.MOST_LABELS ? [tooMany(found.total)] : [];
    const { format, start, errors: invalid } = readChoice(search);
    const chosen = { format, start, further, also: what ?? "" };
    const texts = found.labels.map((label) => ({
      ...label,
      further: also ? shownText(also[1], label.further) : null,
      picture: hasPicture ? smallPicture("items", { ...label, picture: label.further }) : undefined,
    }));
    const shown = { ...found, labels: texts, filters, ...chosen, errors: [...errors, ...invalid] };
    return page(request, {
      title: "Labels",
      crumbs: [
        { label: "Inventory" },
        { label: "Items", href: "/inventory/items" },
        { label: "Labels" },
      ],
      status: shown.errors.length > 0 ? 422 : 200,
      body: <LabelsPage {...shown} />,
    });
  },
  { see: "everyone" },
);

interface LabelsPageProps {
  labels: PrintedLabel[];
  /** The fields of the site, and the one that is printed. */
  further: Array<[name: string, field: Field]>;
  also: string;
  total: number;
  filters: URLSearchParams;
  format: LabelFormat;
  start: number;
  errors: string[];
}

function readChoice(search: URLSearchParams): Pick<LabelsPageProps, "format" | "start" | "errors"> {
  const [usual] = formats;
  const name = search.get("format");
  const format = name === null ? usual : formatNamed(name);
  if (!usual || !format) {
    return {
      format: usual as LabelFormat,
      start: 1,
      errors: ["Choose one of the paper formats below"],
    };
  }
  const places = perPaper(format);
  const text = search.get("start") ?? "1";
  const start = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (start >= 1 && start <= places) return { format, start, errors: [] };
  return { format, start: 1, errors: [`Start at a position from 1 to ${places}`] };
}

function tooMany(total: number): string {
  const count = total.toLocaleString("en");
  return `The list has ${count} items; filter it to print at most ${labels.MOST_LABELS} labels at once`;
}

function LabelsPage(shown: LabelsPageProps) {
  const isReady = shown.errors.length === 0 && shown.labels.length > 0;
  return (
    <>
      <header class="head">
        <div>
          <h1>Labels</h1>
          <p class="lead">Print at 100 % without headers and footers, on the paper chosen here</p>
        </div>
        {isReady && (
          <div class="actions js-only">
            <button type="button" class="primary" data-print>
              <Icon name="printer" /> Print
            </button>
          </div>
        )}
      </header>
      <PaperForm {...shown} />
      {shown.errors.map((error) => (
        <p class="note bad" role="alert">
          {error}
        </p>
      ))}
      {isReady && <Papers labels={shown.labels} format={shown.format} start={shown.start} />}
      {shown.total === 0 && <Empty />}
    </>
  );
}

function PaperForm(shown: LabelsPageProps) {
  const { filters, format, start, further, also, labels: all } = shown;
  const { length } = all;
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
          <label for="start">Start at position</label>
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
      <div class="field">
        <label for="also">Also print</label>
        <select id="also" name="also">
          <option value="">Nothing more</option>
          <option value={PICTURE} selected={also === PICTURE}>
            Picture
          </option>
          {further.map(([name, field]) => (
            <option value={name} selected={name === also}>
              {field.label}
            </option>
          ))}
        </select>
      </div>
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
      <p>No matching items to print</p>
      <p class="muted">
        The labels of the items of a list are printed here: filter the list, or select items, and
        choose Labels
      </p>
      <a class="button" href="/inventory/items">
        Go to items
      </a>
    </div>
  );
}
