import { Conflict, type EditConflict } from "../parts/conflict.tsx";
import { type Filled, Summary } from "../parts/forms.tsx";
import { OtherFields } from "../parts/resource_fields.tsx";
import { SaveButtons } from "../parts/save_buttons.tsx";

interface Props {
  action: string;
  noun: string;
  filled: Filled;
  /** Of the record that is edited; a new one has none. */
  version: number | undefined;
  conflict?: EditConflict | undefined;
  back: string;
}

export function ResourceForm({ action, noun, filled, version, conflict, back }: Props) {
  return (
    <form class="sheet" method="post" action={action} data-guard>
      {version !== undefined && <input type="hidden" name="version" value={version} />}
      {conflict && <Conflict noun={noun} shape={filled.shape} {...conflict} />}
      <Summary filled={filled} />
      <OtherFields filled={filled} placed={[]} autofocus />
      <SaveButtons isNew={version === undefined} back={back} />
    </form>
  );
}
