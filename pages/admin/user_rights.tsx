// What a user may do, and why, with a form for rights in one place.
import { RIGHTS } from "../../src/auth/rights.ts";
import type { Explanation, RightReason } from "../../src/user/rights/explanation.ts";
import { rightInWords } from "../../src/user/rights/place.ts";
import { Field, type Filled, Summary } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
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
        <p class="muted">None: {user} reads what is not sensitive</p>
      ) : (
        <table class="list">
          <caption class="hidden">Rights of {user}</caption>
          <thead>
            <tr>
              <th scope="col">Right</th>
              <th scope="col">Because of</th>
              <th scope="col" class="tight">
                <span class="hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row row={row} action={action} />
            ))}
          </tbody>
        </table>
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

function Row({ row: { text, because, id }, action }: { row: RightRow; action: string }) {
  return (
    <tr>
      <td data-label="Right">
        <span class="tag">{text}</span>
      </td>
      <td data-label="Because of">{because.map(reasonInWords).join("; ")}</td>
      <td data-label="Remove" class="tight">
        {id !== undefined && (
          <form method="post" action={action}>
            <button
              type="submit"
              class="quiet bad"
              name="take"
              value={id}
              aria-label={`Remove ${text}`}
            >
              <Icon name="trash" /> Remove
            </button>
          </form>
        )}
      </td>
    </tr>
  );
}

function reasonInWords({ given_by, provider, outer_group, mapping }: RightReason): string {
  if (provider === null) return given_by === null ? "given by an admin" : `given by ${given_by}`;
  const by = mapping === outer_group ? "" : `, which fits ${mapping}`;
  return `${outer_group} of ${provider}${by}`;
}
