// Asks what the columns of a file hold that are not known by their headings.
import { type ImportFile, unknownColumns } from "../../src/import/files.ts";
import type { FieldError } from "../../src/input/errors.ts";
import { closed } from "../../src/input/shape.ts";
import { distance } from "../../src/search/language/words.ts";
import { Select } from "../parts/select.tsx";
import type { ImportSubject } from "./kind.ts";
import { previewPath } from "./preview.tsx";

interface Props {
  of: ImportSubject;
  file: ImportFile;
  errors: FieldError[];
  chosen: Record<string, string> | undefined;
}

export function ColumnsForm({ of, file, errors, chosen }: Props) {
  const unknown = unknownColumns(of.importer, file);
  const free = of.importer.columns.filter((name) => !file.columns.includes(name));
  const near = unknown.map(({ key, heading }) => [key, nearest(of, heading, free)]);
  const values = chosen ?? Object.fromEntries(near);
  const options = free.map((name) => ({ value: name, label: of.labelOf(name) }));
  return (
    <form class="sheet" method="post" action={previewPath(of, file)}>
      <p>Choose what the columns hold that are not known, or leave them out.</p>
      {unknown.map(({ key, heading }) => (
        <Select
          filled={{ shape: closed({}), values, errors }}
          name={key}
          label={heading}
          options={[{ value: "", label: "Leave out" }, ...options]}
        />
      ))}
      <div class="buttons">
        <button type="submit" name="action" value="assign" class="primary">
          Preview import
        </button>
      </div>
    </form>
  );
}

/** The free column whose name differs by at most a third: serial_number for Serial no. */
function nearest({ importer }: ImportSubject, heading: string, free: string[]): string {
  const names = [...free.map((name) => [name, name]), ...Object.entries(importer.headings)];
  const letters = (text = "") => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const isNear = ([name, column = ""]: string[]) => {
    const [one, other] = [letters(heading), letters(name)];
    const most = Math.floor(Math.max(one.length, other.length) / 3);
    return free.includes(column) && distance(one, other, most) <= most;
  };
  return names.find(isNear)?.[1] ?? "";
}
