import { expect, test } from "bun:test";
import { allChecks } from "../support/checks.ts";
import { concurrently } from "../support/concurrently.ts";
import { imports, verdictsOf } from "../support/imports.ts";
import { api, bob, service } from "../support/mod.ts";

const ITEMS = "/inventory/items";
const USED = 20_000;
const CROWD = 100;
const GAPS = [0, 999, 1_000, 7_777, 19_998];

/** The temporary id at this place of their order. */
function temporary(number: number): string {
  const letter = String.fromCharCode(65 + Math.floor(number / 1_000));
  return `ZZ${letter}${String(number % 1_000).padStart(3, "0")}`;
}

/** The first `USED` temporary ids are in use, except those in `gaps`. */
async function fill(gaps: number[]): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`
    alter table items disable trigger user;
    insert into items (ics_id, serial_number)
    select 'ZZ' || chr(65 + n / 1000) || lpad((n % 1000)::text, 3, '0'), 'SN'
    from generate_series(0, ${USED - 1}) n where n <> all('{${gaps.join()}}'::integer[]);
    alter table items enable trigger user;`);
}

function numbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

test.skipIf(!allChecks)(
  "with 20,000 temporary ids in use, imports and a hundred concurrent items fill the gaps first",
  async () => {
    await fill(GAPS);
    const [first = 0, second = 0, ...gaps] = GAPS;
    const imported = await imports(bob, [{ serial_number: "One" }, { serial_number: "Two" }]);
    const ids = verdictsOf(imported).map(({ ics_id }) => ics_id);
    expect(ids).toEqual([first, second].map(temporary));
    const answers = await concurrently(CROWD, (n) =>
      api(bob).post(ITEMS, { serial_number: `SN${n}` }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(CROWD).fill(201));
    const expected = [...gaps, ...numbers(USED, CROWD - gaps.length)].map(temporary);
    expect(answers.map(({ body }) => body.ics_id).toSorted()).toEqual(expected);
  },
  60_000,
);
