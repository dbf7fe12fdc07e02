import {
  type AttributeKind,
  type KindName,
  kinds,
} from "../../../src/inventory/attributes/attribute.ts";
import type { AttributeRow } from "../../../src/inventory/attributes/attributes.ts";
import * as attributes from "../../../src/inventory/attributes/attributes.ts";
import { ownerOfKind, withFiles } from "../../files/picture.tsx";
import { PageHead } from "../../layout/page_head.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfStatus } from "../../lists/pill.tsx";
import { RowLink } from "../../lists/row_link.tsx";
import { Field, type Filled, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Column, Filters } from "../../parts/list.tsx";
import { columnsOf, OtherFields } from "../../parts/resource_fields.tsx";
import { useFrame } from "../../request/frame.ts";
import { withParams } from "../../request/url_parameters.ts";
import { type ListHooks, RecordList, readBy } from "../../resource/list.tsx";
import { inTitle, whoAdds } from "../../texts.ts";
import { itemsPath } from "../items/counts.tsx";
import { Star } from "./favorites.tsx";
import { AttributePanel, type AttributesPageProps, PLACED } from "./panel.tsx";

const LEADS: Record<KindName, string> = {
  action: "Commands for the scan desk: scan the code of an action",
  manufacturer: "Manufacturers of items",
  model: "Models of items",
  location: "Buildings, rooms and racks",
  status: "Statuses of items",
};

/** Records are added above their list, from the bottom of narrow screens, or in a menu where rows are compact. */
export function attributeList(of: AttributeKind, adding: Filled): ListHooks<AttributeRow> {
  return {
    lead: LEADS[of.name],
    icon: "tag",
    read: readBy(`/inventory/attributes/${of.name}`, (caller, params) =>
      attributes.listRows(caller, of, params),
    ),
    columns: ({ path, params }) => columnsFor(of, path, params),
    ways: ({ mayEdit }) => mayEdit && <AddMenu filled={adding} of={of} />,
    empty: ({ mayEdit }) => <Empty of={of} mayEdit={mayEdit} />,
  };
}

export function AttributesPage(shown: AttributesPageProps) {
  const { of, place, path, params, opened } = shown;
  const { density } = useFrame();
  return (
    <>
      <PageHead title={inTitle(of.plural)} lead={place.list.lead} />
      <nav class="tabs" aria-label="Kinds of attributes">
        {kinds.map((kind) => (
          <a
            href={`/inventory/attributes/${kind.name}`}
            aria-current={kind === of ? "page" : undefined}
          >
            {inTitle(kind.plural)}
          </a>
        ))}
      </nav>
      {shown.mayEdit && density !== "compact" && <AddRow filled={shown.adding} of={of} />}
      <div class="split optional">
        <div>
          <Filters path={path} params={params} noun={of.plural} />
          <RecordList place={place} shown={shown} />
        </div>
        {opened && <AttributePanel {...shown} opened={opened} />}
      </div>
    </>
  );
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
    cell: (row) => {
      const filter = { [of.name === "location" ? "location__under" : of.name]: row.name };
      return row.items === 0 ? 0 : <a href={itemsPath(filter)}>{row.items.toLocaleString("en")}</a>;
    },
  };
  const columns = columnsOf<AttributeRow>(
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
  const owner = ownerOfKind(of.name);
  return owner ? withFiles(owner, columns) : columns;
}

interface AddProps {
  filled: Filled;
  of: AttributeKind;
}

function AddRow({ filled, of }: AddProps) {
  return (
    <form class="inline reach" method="post" action={`/inventory/attributes/${of.name}`} id="add">
      <details class="fold" open={filled.errors.length > 0}>
        <summary class="button primary narrow">
          <Icon name="plus" /> Add {of.name}
        </summary>
        <AddInputs filled={filled} of={of} />
        <div class="buttons">
          <button type="submit" class="primary" data-key="c">
            <Icon name="plus" /> Add
          </button>
          <button type="submit" name="again" value="true" class="js-only hidden">
            Add another
          </button>
        </div>
      </details>
    </form>
  );
}

/** The same as a menu, which leaves more room for rows. */
function AddMenu({ filled, of }: AddProps) {
  if (useFrame().density !== "compact") return null;
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
      <p class="muted">
        {mayEdit ? <a href="#new-name">Add the first {of.name}</a> : whoAdds(of.resource.editors)}
      </p>
    </div>
  );
}
