// docs/limits.md lists every limit with its value.
import { expect, test } from "bun:test";
import * as limits from "../../src/input/limits.ts";
import * as item_bulk from "../../src/inventory/items/bulk.ts";
import * as labels from "../../src/inventory/labels/labels.ts";
import * as jobs from "../../src/jobs/jobs.ts";
import * as groups from "../../src/network/groups/group.ts";
import * as host_bulk from "../../src/network/hosts/bulk.ts";
import * as parser from "../../src/search/language/parser.ts";
import { LONGEST_REGEX } from "../../src/search/language/parser.ts";
import * as paging from "../../src/store/paging.ts";
import * as passwords from "../../src/user/passwords.ts";
import * as throttle from "../../src/user/throttle.ts";

const ALL: Record<string, number> = {
  ...limits,
  MOST_PER_PAGE: paging.MOST_PER_PAGE,
  MOST_ITEMS_AT_ONCE: item_bulk.MOST_ITEMS_AT_ONCE,
  MOST_HOSTS_AT_ONCE: host_bulk.MOST_HOSTS_AT_ONCE,
  MOST_LABELS: labels.MOST_LABELS,
  MOST_HOSTS: groups.MOST_HOSTS,
  MOST_CHILDREN: groups.MOST_CHILDREN,
  MOST_WAITING_JOBS: jobs.MAX_WAITING,
  MOST_QUERY_BYTES: parser.MOST_BYTES,
  MOST_CLAUSES: parser.MOST_CLAUSES,
  DEEPEST_QUERY: parser.DEEPEST_QUERY,
  LONGEST_REGEX,
  LONGEST_PASSWORD: passwords.LONGEST,
  SHORTEST_PASSWORD: passwords.SHORTEST,
  FAILED_LOGINS: throttle.ALLOWED,
};

const ROW = /^\| .+ \| ([0-9,]+)( [KM]iB)?(?:, .+)? \| .+ \| `(\w+)` \|$/gm;
const UNITS: Record<string, number> = { " KiB": 1024, " MiB": 1024 * 1024 };

test("every limit is listed with its value in docs/limits.md", async () => {
  const text = await Bun.file(`${import.meta.dir}/../../docs/limits.md`).text();
  const documented = [...text.matchAll(ROW)].map(([, number = "", unit = "", name = ""]) => [
    name,
    Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1),
  ]);
  expect(Object.fromEntries(documented)).toEqual(ALL);
});
