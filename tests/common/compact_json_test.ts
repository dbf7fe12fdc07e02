// The JSON of the API is written alike, whichever part PostgreSQL writes.
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeRecords } from "../search/lists_made.ts";
import { alice, api, reference } from "../support/mod.ts";

setDefaultTimeout(60_000);

test("no record has a blank before a colon", async () => {
  await makeRecords();
  const { paths } = await reference();
  const lists = Object.keys(paths)
    .filter((path) => paths[path]?.get && !path.includes("{"))
    .map((path) => path.replace("/api/v1", ""));
  const spaced: string[] = [];
  for (const list of lists) {
    for (const query of ["", "?recursive=true"]) {
      const { text, status, headers } = await api(alice).get(list + query);
      const isJson = status === 200 && headers.get("content-type")?.includes("json");
      const found = isJson && /("\w+") :/.exec(text.replaceAll(/\\./g, ""));
      if (found) spaced.push(`${list}${query}: ${found[1]}`);
    }
  }
  expect(spaced).toEqual([]);
});
