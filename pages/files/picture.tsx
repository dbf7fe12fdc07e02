// The picture of a record: in lists, in the head of its page, on labels.
import type { KindName } from "../../src/inventory/attributes/attribute.ts";
import type { FileOwner } from "../../src/store/file_owners.ts";
import type { Column } from "../parts/list_columns.tsx";
import { type FilesProps, filesPath } from "./section.tsx";

/** A record that was read with the field `picture`. */
interface WithPicture {
  id: number;
  picture?: unknown;
}

export function smallPicture(table: FileOwner, { id, picture }: WithPicture): string | undefined {
  return picture ? `${filesPath({ table, id })}/${picture}/small` : undefined;
}

/** Whether attributes of this kind have files. */
export function ownerOfKind(kind: KindName): FileOwner | undefined {
  return kind === "model" || kind === "location" ? `${kind}s` : undefined;
}

interface FileColumns extends WithPicture {
  files?: number;
}

/** The columns of a list, with the picture behind the name, and the number of files; only those who choose it see it where few records have one. */
export function withFiles<Row extends FileColumns>(
  table: FileOwner,
  columns: Column<Row>[],
): Column<Row>[] {
  const picture: Column<Row> = {
    name: "picture",
    label: "Picture",
    class: "picture",
    rare: table === "hosts" || table === "networks",
    cell: (row) => {
      const source = smallPicture(table, row);
      return source && <img src={source} alt="" width={28} height={28} loading="lazy" />;
    },
  };
  const files: Column<Row> = {
    name: "files",
    label: "Files",
    sortable: true,
    rare: true,
    class: "number",
    cell: (row) => row.files ?? "",
  };
  const names = columns.findLastIndex(({ fixed }) => fixed) + 1;
  return [...columns.slice(0, names), picture, ...columns.slice(names), files];
}

export function HeadPicture({ of, listed }: FilesProps) {
  const picture = listed.find((one) => one.is_picture);
  if (!picture) return null;
  return (
    <a class="picture" href="#files">
      <img
        src={smallPicture(of.table, { id: of.id, picture: picture.id })}
        alt={picture.caption ?? picture.name}
        width={72}
        height={72}
      />
    </a>
  );
}
