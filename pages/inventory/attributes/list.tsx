import {
  type AttributeKind,
  type KindName,
  kinds,
} from "../../../src/inventory/attributes/attribute.ts";
import type { AttributeRow } from "../../../src/inventory/attributes/attributes.ts";
import { PageHead } from "../../layout/page_head.tsx";
import { ListBar } from "../../lists/bulk_bar.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfStatus } from "../../lists/pill.tsx";
import { RowLink } from "../../lists/row_link.tsx";
import { Field, type Filled, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Column, Filters, List } from "../../parts/list.tsx";
import { PICK } from "../../parts/list_columns.tsx";
import { columnsOf, OtherFields } from "../../parts/resource_fields.tsx";
import { useFrame } from "../../request/frame.ts";
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
  const { density } = useFrame();
  const path = `/inventory/attributes/${of.name}`;
  return (
    <>
      <PageHead title={listTitle(of)} lead={LEADS[of.name]} />
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
      {shown.mayEdit && density !== "compact" && <AddRow filled={shown.adding} of={of} />}
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
  adding,
  mayEdit,
  mayDelete,
}: AttributesPageProps) {
  const { density } = useFrame();
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
      ways={mayEdit && density === "compact" && <AddMenu filled={adding} of={of} />}
      empty={<Empty of={of} mayEdit={mayEdit} />}
      bulk={mayEdit && <ListBar path={path} mayDelete={mayDelete} {...{ params, listed, rows }} />}
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
): Column<AttributeRow>[] {
  const uses: Column<AttributeRow> = {
    name: "items",
    label: "Items",
    sortable: true,
    class: "number",
    cell: (row) => row.items.toLocaleString("en"),
  };
  return columnsOf<AttributeRow>(
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
          <RowLink
            name={row.name}
            href={`${withParams(path, params, { selected: row.id })}#panel`}
          />
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

interface AddProps {
  filled: Filled;
  of: AttributeKind;
}

function AddRow({ filled, of }: AddProps) {
  return (
    <form class="inline" method="post" action={`/inventory/attributes/${of.name}`} id="add">
      <AddInputs filled={filled} of={of} />
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

/** The same as a menu, which leaves more room for rows. */
function AddMenu({ filled, of }: AddProps) {
  return (
    <details class="chooser" open={filled.errors.length > 0}>
      <summary data-key="c">
        <Icon name="plus" /> Add
      </summary>
      <form method="post" action={`/inventory/attributes/${of.name}`} id="add">
        <AddInputs filled={filled} of={of} />
        <button type="submit" class="primary">
          Add
        </button>
      </form>
    </details>
  );
}

function AddInputs({ filled: given, of }: AddProps) {
  const filled = { ...given, labels: { name: `New ${of.name}` } };
  return (
    <>
      <input type="hidden" name="action" value="create" />
      <Summary filled={filled} id="new" />
      <Field filled={filled} name="name" form="new" />
      <Field filled={filled} name="description" form="new" />
      <OtherFields filled={filled} placed={PLACED} form="new" />
    </>
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
