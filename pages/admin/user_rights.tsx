// What a user may do, and why, with a form for rights in one place.

import { RIGHTS } from "../../src/auth/rights.ts";
import type { Explanation, RightReason } from "../../src/user/rights/explanation.ts";
import { rightInWords } from "../../src/user/rights/place.ts";
import { Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Select } from "../parts/select.tsx";
import { USERS } from "./paths.ts";

interface Props {
  of: Explanation;
  user: string;
  filled: Filled;
}

interface RightRow {
  text: string;
  because: RightReason[];
  /** Set if an admin gave it. */
  id?: number;
}

export function RightsSection({ of, user, filled }: Props) {
  const action = `${USERS}/rights/${encodeURIComponent(user)}`;
  const rows: RightRow[] = [
    ...of.groups.map(({ group, because }) => ({ text: `${group} everywhere`, because })),
    ...of.rights.map(({ id, right, place, because }) => ({
      text: rightInWords({ kind: right, place }),
      because,
      ...(because.every(({ provider }) => provider === null) && { id }),
    })),
  ];
  return (
    <section aria-labelledby="rights-title">
      <h2 id="rights-title">Rights, and why</h2>
      {rows.length === 0 ? (
        <p class="muted">No rights: {user} can read everything that is not sensitive</p>
      ) : (
        <PlainTable
          caption={`Rights of ${user}`}
          rows={rows}
          columns={[
            { label: "Right", cell: ({ text }) => <span class="tag">{text}</span> },
            {
              label: "Because of",
              cell: ({ because }) => because.map(reasonInWords).join("; "),
            },
            {
              label: "Remove",
              class: "tight",
              cell: (row) => <TakeForm row={row} action={action} />,
            },
          ]}
        />
      )}
      <form class="sheet" method="post" action={action}>
        <Summary filled={filled} />
        <Select
          filled={filled}
          name="right"
          options={RIGHTS.map((right) => ({ value: right, label: right }))}
        />
        <Field
          filled={filled}
          name="place"
          hint="For network a scope, for inventory a location, for sensitive a network"
        />
        <div class="buttons">
          <button type="submit">
            <Icon name="plus" /> Give right
          </button>
        </div>
      </form>
    </section>
  );
}

function TakeForm({ row: { text, id }, action }: { row: RightRow; action: string }) {
  if (id === undefined) return null;
  return (
    <form method="post" action={action}>
      <button type="submit" class="quiet bad" name="take" value={id} aria-label={`Remove ${text}`}>
        <Icon name="trash" /> Remove
      </button>
    </form>
  );
}

function reasonInWords({ given_by, provider, outer_group, mapping }: RightReason): string {
  if (provider === null) return given_by === null ? "given by an admin" : `given by ${given_by}`;
  const by = mapping === outer_group ? "" : `, which fits ${mapping}`;
  return `${outer_group} of ${provider}${by}`;
}
