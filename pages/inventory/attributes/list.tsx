import {
  type AttributeKind,
  type KindName,
  kinds,
} from "../../../src/inventory/attributes/attribute.ts";
import type { UsedAttribute } from "../../../src/inventory/attributes/attributes.ts";
import { BulkBar, BulkButtons } from "../../lists/bulk_bar.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfStatus } from "../../lists/pill.tsx";
import { Field, type Filled, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Column, Filters, List } from "../../parts/list.tsx";
import { PICK } from "../../parts/list_columns.tsx";
import { columnsOf, OtherFields } from "../../parts/resource_fields.tsx";
import { withParams } from "../../request/url_parameters.ts";
import { inTitle } from "../../texts.ts";
import { AttributePanel, type AttributesPageProps, PLACED } from "./panel.tsx";
import { Star } from "./star.tsx";

const LEADS: Record<KindName, string> = {
  action: "Commands for the scan desk: scan the code of an action",
  manufacturer: "Manufacturers of items",
  model: "Models of items",
  location: "Buildings, rooms and racks",
  status: "States of items",
};

export function AttributesPage(shown: AttributesPageProps) {
  const { of, params, selected } = shown;
  const path = `/inventory/attributes/${of.name}`;
  return (
    <>
      <header class="head">
        <div>
          <h1>{listTitle(of)}</h1>
          <p class="lead">{LEADS[of.name]}</p>
        </div>
      </header>
      <nav class="tabs" aria-label="Kinds of attributes">
        {kinds.map((kind) => (
          <a
            href={`/inventory/attributes/${kind.name}`}
            aria-current={kind === of ? "page" : undefined}
          >
            {listTitle(kind)}
          </a>
        ))}
      </nav>
      {shown.mayEdit && <AddRow filled={shown.adding} of={of} />}
      <div class="split optional">
        <div>
          <Filters path={path} params={params} noun={of.plural} />
          <AttributeList {...shown} />
        </div>
        {selected && <AttributePanel {...shown} selected={selected} path={path} />}
      </div>
    </>
  );
}

export function AttributeList({
  of,
  params,
  listed,
  rows,
  selected,
  mayEdit,
  mayDelete,
}: AttributesPageProps) {
  const path = `/inventory/attributes/${of.name}`;
  return (
    <List
      noun={of.plural}
      singular={of.name}
      path={path}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK, ...columnsFor(of, path, params)] : columnsFor(of, path, params)}
      selected={selected?.record.id}
      empty={<Empty of={of} mayEdit={mayEdit} />}
      bulk={
        mayEdit && (
          <BulkBar action="/lists/change" params={params} total={listed.total} shown={rows.length}>
            <BulkButtons of={of.resource} path={path} mayDelete={mayDelete} />
          </BulkBar>
        )
      }
    />
  );
}

export function listTitle(of: AttributeKind): string {
  return inTitle(of.plural);
}

function columnsFor(
  of: AttributeKind,
  path: string,
  params: URLSearchParams,
): Column<UsedAttribute>[] {
  const uses: Column<UsedAttribute> = {
    name: "items",
    label: "Items",
    sortable: true,
    class: "number",
    cell: (row) => row.items.toLocaleString("en"),
  };
  return columnsOf<UsedAttribute>(
    of.resource,
    [
      {
        name: "favorite",
        label: "Favourite",
        class: "tight",
        fixed: true,
        cell: (row) => <Star kind={of.name} id={row.id} name={row.name} isOn={row.favorite} />,
      },
      {
        name: "name",
        sortable: true,
        fixed: true,
        cell: (row) => (
          <a class="open" href={`${withParams(path, params, { selected: row.id })}#panel`}>
            {row.name}
          </a>
        ),
        ...(of.name === "status" && { pill: (row) => colourOfStatus(row.name, row.colour) }),
      },
      { name: "description", sortable: true, cell: (row) => row.description ?? "" },
      ...(of.name === "location" ? [{ name: "parent", sortable: true }] : []),
      ...(of.name === "action" ? [] : [uses]),
    ],
    ["qrcode"],
  );
}

function AddRow({ filled, of }: { filled: Filled; of: AttributeKind }) {
  return (
    <form class="inline" method="post" action={`/inventory/attributes/${of.name}`} id="add">
      <input type="hidden" name="action" value="create" />
      <Summary filled={filled} id="new" />
      <Field filled={filled} name="name" label={`New ${of.name}`} form="new" />
      <Field filled={filled} name="description" form="new" />
      <OtherFields filled={filled} placed={PLACED} form="new" />
      <div class="buttons">
        <button type="submit" class="primary" data-key="c">
          <Icon name="plus" /> Add
        </button>
        <button type="submit" name="again" value="true" class="js-only hidden">
          Add another
        </button>
      </div>
    </form>
  );
}

function Empty({ of, mayEdit }: { of: AttributeKind; mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="tag" />
      <p>No {of.plural} yet</p>
      {mayEdit && <p class="muted">Add the first {of.name} above</p>}
    </div>
  );
}
