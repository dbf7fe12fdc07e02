// GET /inventory/items/labels: labels for the items that match the filters of their list, in true size, for sheets and
// tapes.
import { Elysia } from "elysia";
import {
  formatNamed,
  formats,
  type LabelFormat,
  perPaper,
} from "../../../src/inventory/labels/formats.ts";
import * as labels from "../../../src/inventory/labels/labels.ts";
import { page } from "../../layout/page.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { Icon } from "../../parts/icon.tsx";
import { guard } from "../../request/guard.ts";
import { itemListParams } from "../items/paths.ts";
import { Papers } from "./papers.tsx";

const PATH = "/inventory/items/labels";
/** Parameters that are not filters of items. */
const NOT_FILTERS = ["page", "per_page", "cols", "selected", "format", "start"];

export const labelPages = new Elysia({ normalize: false }).use(guard).get(
  PATH,
  async ({ request, caller, search }) => {
    const filters = new URLSearchParams(
      [...search].filter(([name]) => !NOT_FILTERS.includes(name)),
    );
    const found = await labels.list(caller, itemListParams(filters));
    const errors = found.total > labels.MOST_LABELS ? [tooMany(found.total)] : [];
    const { format, start, errors: invalid } = readChoice(search);
    const shown = { ...found, filters, format, start, errors: [...errors, ...invalid] };
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
  labels: labels.Label[];
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

function PaperForm({ filters, format, start, labels: { length } }: LabelsPageProps) {
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
      <a class="button" href="/inventory/items">
        Go to items
      </a>
    </div>
  );
}
