import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { api, carol, namesOf } from "../support/mod.ts";
import { expected, queries } from "./queries.ts";
import { makeSite } from "./site_made.ts";

setDefaultTimeout(60_000);
beforeEach(makeSite, 60_000);

async function found(query: string): Promise<string[] | string> {
  const path = `/network/hosts?per_page=100&sort=id&q=${encodeURIComponent(query)}`;
  const { status, body } = await api(carol).get(path);
  return status === 200 ? namesOf(body) : body.detail;
}

describe("q= of the hosts", () => {
  test("finds what the language says", async () => {
    const wrong: unknown[] = [];
    for (const [topic, examples] of Object.entries(queries)) {
      for (const [query, finds] of examples) {
        const names = await found(query);
        const wanted = expected(finds);
        if (!Bun.deepEquals(names, wanted)) wrong.push([topic, query, names, wanted]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
